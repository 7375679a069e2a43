import type { DatabaseSyncInstance } from "../../../platform/sqlite.ts";
import { partTerm } from "../../text/compounds.ts";
import { type BoardWord, CORRECTED_MIN, meantWord, slipsBetween, slipsIn } from "../../text/spelling.ts";
import { comparableWords } from "../../text/tokens.ts";
import type { PostRows } from "../indexed-post.ts";
import type { PostMemory } from "../memory/index.ts";
import { NAME } from "../memory/names.ts";
import type { Stems } from "./stems.ts";
import { wordsOfText } from "./terms.ts";

/** At most this many stems near to a word are looked at, the most frequent first. */
const NEAR_MAX = 8;
/** The spellings of a stem are looked up in this many posts. */
const POSTS_MAX = 50;

/**
 * Finds what a misspelt word was meant to be. The memory knows words as hashes only, so the stems of a first letter are
 * read from the full-text index at the first question for it (4 ms on a board of 10,000 posts, 40 ms on one of 100,000),
 * and kept; the memory adds new ones.
 */
export class Spellings {
  readonly #database: DatabaseSyncInstance;
  readonly #rows: PostRows;
  readonly #stems: Stems;
  /** Words are kept by their first letter. */
  readonly #known = new Map<string, Set<string>>();
  #memory: PostMemory | null = null;

  constructor(database: DatabaseSyncInstance, rows: PostRows, stems: Stems) {
    this.#database = database;
    this.#rows = rows;
    this.#stems = stems;
  }

  /** Finds the word of the board that was meant, or null when a post has this one, or none is near. */
  meant(memory: PostMemory, word: string): string | null {
    const [typed, another] = comparableWords(word);
    if (typed === undefined || another !== undefined) return null;
    const [stem, more] = this.#stems.of(typed);
    if (stem === undefined || more !== undefined || isThere(memory, typed, stem)) return null;
    const allowed = slipsIn(typed);
    const near: BoardWord[] = [];
    for (const known of this.#startingWith(memory, stem.charAt(0))) {
      // A slip in an ending keeps it from being cut off: "apartmnet" begins with the stem of "apartment".
      const begins = known.length >= CORRECTED_MIN && typed.startsWith(known);
      if (!begins && slipsBetween(stem, known, allowed) > allowed) continue;
      const posts = countOf(memory, known);
      if (posts > 0) near.push({ word: known, posts });
    }
    near.sort((a, b) => b.posts - a.posts || (a.word < b.word ? -1 : 1));
    const isNear = (spelling: string) =>
      spelling.charAt(0) === typed.charAt(0) && slipsBetween(typed, spelling, allowed) <= allowed;
    const spelt = near.slice(0, NEAR_MAX).flatMap(({ word: known, posts }) => {
      return this.#spelt(known, isNear).map((spelling) => ({ word: spelling, posts }));
    });
    return meantWord(typed, spelt);
  }

  /** Tells whether a post has a word: every part of it, where the index keeps several. */
  isKnown(memory: PostMemory, word: string): boolean {
    return comparableWords(word).every((part) =>
      this.#stems.of(part).every((stem) => isThere(memory, part, stem)),
    );
  }

  #startingWith(memory: PostMemory, letter: string): Set<string> {
    if (this.#memory !== memory) this.#known.clear();
    this.#memory = memory;
    const known = this.#known.get(letter);
    if (known !== undefined) return known;
    this.#database.exec(
      "CREATE VIRTUAL TABLE IF NOT EXISTS temp.index_stem USING fts5vocab(main, index_words, row)",
    );
    const end = String.fromCodePoint((letter.codePointAt(0) ?? 0) + 1);
    const rows = this.#database
      .prepare("SELECT term FROM temp.index_stem WHERE term >= ? AND term < ?")
      .all(letter, end) as { term: string }[];
    const stems = new Set(rows.map(({ term }) => term));
    this.#known.set(letter, stems);
    memory.onNewWord = (stem) => this.#known.get(stem.charAt(0))?.add(stem);
    return stems;
  }

  /** Lists how posts spell a stem, each way once. @param isNear  asked first: a new word's stem is asked of SQLite */
  #spelt(stem: string, isNear: (spelling: string) => boolean): string[] {
    this.#database.exec(
      "CREATE VIRTUAL TABLE IF NOT EXISTS temp.index_stem_place USING fts5vocab(main, index_words, instance)",
    );
    const posts = this.#database
      .prepare(`SELECT DISTINCT doc FROM temp.index_stem_place WHERE term = ? LIMIT ${POSTS_MAX}`)
      .all(stem) as { doc: number }[];
    const texts = this.#rows.postsOf(
      null,
      posts.map(({ doc }) => doc),
    );
    const words = new Set(
      texts
        .map(({ text }) => wordsOfText(text))
        .flatMap(({ title, body, more }) => [...title, ...body, ...more]),
    );
    return [...words].filter((word) => isNear(word) && this.#stems.of(word)[0] === stem);
  }
}

function isThere(memory: PostMemory, word: string, stem: string): boolean {
  const part = partTerm(word);
  return countOf(memory, stem) > 0 || (part !== null && countOf(memory, part) > 0);
}

function countOf(memory: PostMemory, stem: string): number {
  const name = memory.names.find(NAME.word, stem);
  return name < 0 ? 0 : memory.liveCount(name);
}
