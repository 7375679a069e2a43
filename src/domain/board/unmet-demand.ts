import { createHash, randomBytes } from "node:crypto";
import type { SearchQuery } from "../../schema/query.ts";
import { parseQueryText } from "../../search/text/query-text.ts";
import { textOfQuery } from "../search/query.ts";

/** A part is kept only once this many distinct callers looked for it on one day. */
const CALLERS_MIN = 3;
/** This many parts of searches are followed on one day. Further ones are not counted. */
const FOLLOWED_MAX = 20_000;
const PER_SEARCH_MAX = 16;
/** Only words of letters are published: numbers and tokens never are, however many callers ask for them. */
const PUBLISHED_WORD = /^[\p{L}\p{M}'’]{2,30}$/u;
/** Tags may have some digits: web3, 5k. */
const PUBLISHED_TAG = /^(?=.{2,30}$)(?!.*\p{N}{4})[\p{L}\p{N}][\p{L}\p{M}\p{N} +#'’_-]*$/u;

/** Lists the published kinds of unmet demand, each with the prefix of its counters. */
export const DEMAND = {
  terms: "unmet:term:",
  kinds: "unmet:kind:",
  places: "unmet:place:",
  tags: "unmet:tag:",
} as const;

/**
 * Counts what people search for in vain, and keeps neither who searched nor what they asked. It splits a search into
 * words, kinds, tags and whole degrees. Until three callers have looked for the same part, the part stays in this
 * process's memory, beside at most three two-byte hashes of callers under a key of the day. That memory is cleared at
 * midnight (UTC). From the third caller on the part is counted by itself, without callers and without its query.
 */
export class UnmetDemand {
  #day = "";
  #salt = randomBytes(16);
  readonly #callers = new Map<string, Set<number>>();

  /**
   * @param caller  one voice; it is not kept
   * @param day  UTC, `2026-11-20`
   * @returns names of the counters to raise
   */
  missed(query: SearchQuery, caller: string, day: string): string[] {
    if (day !== this.#day) {
      this.#day = day;
      this.#salt = randomBytes(16);
      this.#callers.clear();
    }
    const voice = createHash("sha256").update(this.#salt).update(caller).digest().readUInt16BE(0);
    return partsOf(query).filter((part) => this.#isCommon(part, voice));
  }

  #isCommon(part: string, voice: number): boolean {
    const voices = this.#callers.get(part);
    if (voices === undefined) {
      if (this.#callers.size < FOLLOWED_MAX) this.#callers.set(part, new Set([voice]));
      return false;
    }
    if (voices.size < CALLERS_MIN) voices.add(voice);
    return voices.size >= CALLERS_MIN;
  }
}

function partsOf(query: SearchQuery): string[] {
  // Otherwise mail addresses, links and numbers would be split into words.
  const plain = (textOfQuery(query) ?? "").split(/\s+/).filter((part) => !/[@/\\\p{N}]/u.test(part));
  const { any, phrases } = parseQueryText(plain.join(" "));
  const words = [...new Set([...any, ...phrases.flat()])].filter((word) => PUBLISHED_WORD.test(word));
  const tags = (query.tags ?? []).filter((tag) => PUBLISHED_TAG.test(tag));
  const { near } = query;
  return [
    ...(query.kind ?? []).map((kind) => DEMAND.kinds + kind),
    ...(near === undefined ? [] : [`${DEMAND.places}${Math.round(near.lat)},${Math.round(near.lng)}`]),
    ...tags.map((tag) => DEMAND.tags + tag),
    ...words.map((word) => DEMAND.terms + word),
  ].slice(0, PER_SEARCH_MAX);
}
