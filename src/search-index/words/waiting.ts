import { comparableWords } from "../../search/tokens.ts";
import type { DatabaseSyncInstance } from "../../sqlite.ts";
import type { IndexedText } from "../indexed-post.ts";
import { WAITING } from "./full-text.ts";
import type { Stems } from "./stems.ts";
import { type WordsOfText, wordsOfText } from "./terms.ts";

/** A post that the full-text index does not hold yet: its text, and the stems of each field in order. */
export interface WaitingPost {
  text: IndexedText;
  stems: WordsOfText;
}

/** How much a phrase counts in each field; see `WEIGHTS` of phrases. */
type Weights = Readonly<Record<keyof IndexedText, number>>;

/** The few posts that the full-text index does not hold yet, for what only full text can answer. */
export class WaitingPosts {
  readonly #statement;
  readonly #stems: Stems;
  #posts: ReadonlyMap<number, WaitingPost> = new Map();
  #change = -1;

  constructor(database: DatabaseSyncInstance, stems: Stems) {
    this.#statement = database.prepare(WAITING);
    this.#stems = stems;
  }

  /** By `seq`. @param change  number of the last change that the caller knows; the same one reads nothing again */
  at(change: number): ReadonlyMap<number, WaitingPost> {
    if (change === this.#change) return this.#posts;
    const rows = this.#statement.all() as (IndexedText & { seq: number })[];
    this.#posts = new Map(rows.map(({ seq, ...text }) => [seq, this.#kept(seq, text)]));
    this.#change = change;
    return this.#posts;
  }

  stemsOf(phrase: string): string[] {
    return comparableWords(phrase).flatMap((word) => this.#stems.of(word));
  }

  #kept(seq: number, text: IndexedText): WaitingPost {
    const known = this.#posts.get(seq);
    if (known !== undefined && isSame(known.text, text)) return known;
    const { title, body, more } = wordsOfText(text);
    const stems = (words: readonly string[]) => words.flatMap((word) => this.#stems.of(word));
    return { text, stems: { title: stems(title), body: stems(body), more: stems(more) } };
  }
}

const isSame = (one: IndexedText, other: IndexedText) =>
  one.title === other.title && one.body === other.body && one.more === other.more;

/** How often a phrase occurs in a post, by the weights of the fields; overlapping ones count each. */
export function frequencyIn({ stems }: WaitingPost, phrase: readonly string[], weights: Weights): number {
  const [first] = phrase;
  if (first === undefined) return 0;
  let frequency = 0;
  for (const field of ["title", "body", "more"] as const) {
    const words = stems[field];
    for (let at = words.indexOf(first); at >= 0; at = words.indexOf(first, at + 1)) {
      if (phrase.every((stem, n) => words[at + n] === stem)) frequency += weights[field];
    }
  }
  return frequency;
}
