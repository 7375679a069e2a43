import { type Key, wordKey } from "./keys.ts";

/** In place of a word that every post has. */
export const NO_WORD: Key = 0;

/** A pair that every post says. */
export const NO_WORDS = 0;

/** Words are told apart by the last bits of their hashes where a mistake only costs time. */
const SHORT_HASHES = 1 << 16;

/** The words that were met, in posts and in saved queries, and those that the post under way says. */
export class Vocabulary {
  readonly #timesMet = new Uint32Array(SHORT_HASHES);
  readonly #mayBeSaid = new Uint8Array(SHORT_HASHES);
  #said: ReadonlySet<Key> = new Set();

  /** Begins with a new post. */
  listen(words: Iterable<string>): ReadonlySet<Key> {
    const said = new Set<Key>();
    for (const word of words) said.add(wordKey(word));
    this.#said = said;
    this.#mayBeSaid.fill(0);
    this.#mayBeSaid[NO_WORD] = 1;
    for (const key of said) this.#mayBeSaid[short(key)] = 1;
    this.meet(said);
    return said;
  }

  meet(words: Iterable<Key>): void {
    for (const word of words) this.#timesMet[short(word)] = this.#countOf(word) + 1;
  }

  /** Each word once, those met least first. */
  rarestFirst(words: readonly Key[]): Key[] {
    return [...new Set(words)].sort((a, b) => this.#countOf(a) - this.#countOf(b));
  }

  /** Two words in one number, for `maySayBoth`. */
  pair(one: Key, other: Key): number {
    return short(one) | (short(other) << 16);
  }

  /** False when the post does not say both words of a pair; true also for words that share a few bits with those it says. */
  maySayBoth(pair: number): boolean {
    return this.#mayBeSaid[pair & (SHORT_HASHES - 1)] === 1 && this.#mayBeSaid[pair >>> 16] === 1;
  }

  /** True when the post says the first `count` words. */
  saysFirst(words: readonly Key[], count: number): boolean {
    for (let at = 0; at < count; at += 1) if (!this.#said.has(words[at] ?? NO_WORD)) return false;
    return true;
  }

  #countOf(word: Key): number {
    return this.#timesMet[short(word)] ?? 0;
  }
}

const short = (word: Key) => word & (SHORT_HASHES - 1);
