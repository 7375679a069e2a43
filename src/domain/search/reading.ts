import type { SearchIndex } from "../../ports/search-index.ts";
import type { PublisherStore, Store } from "../../ports/store/index.ts";
import type { Lift } from "../../schema/filter.ts";
import type { SearchQuery } from "../../schema/query.ts";
import { parseQueryText, type QueryText } from "../../search/text/query-text.ts";
import { withoutStopWords } from "../../search/text/stop-words.ts";
import { wordsOf } from "../../search/text/tokens.ts";
import type { Correction, Corrections } from "./corrections.ts";
import { subjectOf, type Understood, understoodIn, wordsUnderstood } from "./understood/index.ts";

/** The words of a search are read once: whatever needs them is given these. */
export interface ReadWords {
  /** Has its slips put right; null without any. */
  text: string | null;
  /** Parses the whole text; null without any. */
  whole: QueryText | null;
  /** Leaves out place and time, which are no part of the subject. */
  subject: QueryText | null;
  corrections: readonly Correction[];
  understood: Understood;
  lifts: readonly Lift[];
  /** These words mean where the reader is, if any do. */
  here: string | null;
  /** The publishers of that name have these ids. */
  publishers: readonly string[];
  /** No post has any of the words: they are a name and nothing else. */
  isName: boolean;
}

const NOTHING: ReadWords = {
  text: null,
  whole: null,
  subject: null,
  corrections: [],
  understood: {},
  lifts: [],
  here: null,
  publishers: [],
  isName: false,
};

/** The words of a search are read by these parameters. */
const READ_BY = ["q", "near", "radius_km", "after", "before", "timezone", "publisher"] as const;

export const isReadAlike = (a: SearchQuery, b: SearchQuery): boolean =>
  READ_BY.every((name) => a[name] === b[name]);

/** Reads what the words say of place, time and publishers, and the text with its slips put right; a name is no slip. */
export async function readWords(
  query: SearchQuery,
  typed: string | null,
  now: number,
  parts: { store: Pick<Store, "publishers">; corrections: Corrections; index: SearchIndex },
): Promise<ReadWords> {
  if (typed === null) return NOTHING;
  const isOpen = (query.publisher ?? "") === "";
  const publishers = isOpen ? await publishersNamed(typed, parts.store.publishers) : [];
  const first = await understoodIn(query, typed, now);
  const spared = publishers.length > 0 ? [typed] : wordsUnderstood(first.understood, first.here);
  const { text, corrections } = await parts.corrections.of(typed, spared);
  const read = corrections.length === 0 ? first : await understoodIn(query, text, now);
  const words = publishers.length > 0 ? wordsOf(typed) : [];
  const isName = words.length > 0 && (await parts.index.ask("unknownWords", words)).length === words.length;
  const whole = parseQueryText(text);
  const others = subjectOf(text, wordsUnderstood(read.understood, read.here));
  const subject = others === text ? whole : parseQueryText(others);
  return { ...read, text, whole, subject, corrections, publishers, isName };
}

/** A search finds the posts of this many publishers of one name at most. */
const NAMED_MAX = 10;
/** A shorter text is hardly a name. */
const NAME_MIN = 3;
/** These may stand before a name, in a search for what its publisher wrote. */
const LEAD =
  /^(?:(?:all |the )?(?:posts?|events?|offers?|requests?) )?(?:by|from|of|von|de|par|van|di|av|af)\s+/iu;

/** Finds the publishers whose name a search is, or the beginning of one: their posts are found too. */
async function publishersNamed(text: string, publishers: PublisherStore): Promise<string[]> {
  for (const name of new Set([text, text.replace(LEAD, "")])) {
    const isName = name.length >= NAME_MIN && withoutStopWords(wordsOf(name)).length > 0;
    // Quoted or excluded words are looked for in posts.
    if (!isName || /["“”„«»]|(?<!\S)-/u.test(name)) continue;
    const found = await publishers.named(name, NAMED_MAX);
    if (found.length > 0) return found;
  }
  return [];
}
