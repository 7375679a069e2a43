import { type Key, wordKey } from "./keys.ts";

/** Stands for a word that every post has. */
export const NO_WORD: Key = 0;

/** Words are told apart by the last bits of their hashes where a mistake only costs time. */
const SHORT_HASHES = 1 << 16;

/** How often words were met, in posts and in saved queries, and which of them the current post says. */
export class Vocabulary {
  readonly #timesMet = new Uint32Array(SHORT_HASHES);
  readonly #mayBeSaid = new Uint8Array(SHORT_HASHES);
  #said: ReadonlySet<Key> = new Set();

  /** Starts on a new post. Gives what it says, `NO_WORD` included. */
  listen(words: Iterable<string>): ReadonlySet<Key> {
    const said = new Set<Key>();
    for (const word of words) said.add(wordKey(word));
    this.#said = said;
    this.#mayBeSaid.fill(0);
    this.meet(said);
    said.add(NO_WORD);
    for (const key of said) this.#mayBeSaid[short(key)] = 1;
    return said;
  }

  meet(words: Iterable<Key>): void {
    for (const word of words) this.#timesMet[short(word)] = this.#countOf(word) + 1;
  }

  /** Each word once, those met least first. */
  rarestFirst(words: readonly Key[]): Key[] {
    return [...new Set(words)].sort((a, b) => this.#countOf(a) - this.#countOf(b));
  }

  /** True when the post says a word. */
  says(word: Key): boolean {
    return this.#mayBeSaid[short(word)] === 1 && this.#said.has(word);
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
