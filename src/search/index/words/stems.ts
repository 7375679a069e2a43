import { stemmer } from "stemmer";
import { DatabaseSync } from "../../../platform/sqlite.ts";

/** FTS5 is told here of the tokenizer that `src/search/text/tokens.ts` describes. */
export const TOKENIZER = `"porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"`;
/** This many words are kept; more are met only by boards in many languages. */
const KEPT_MAX = 200_000;
/** The stem of these words needs no question: FTS5 has the same algorithm of Porter. */
const PLAIN = /^(?:(?!.*yy)[a-z0-9]{1,64}|[0-9]+)$/;
/** Every version of Unicode knows these letters. */
const ONE_STEM = /^[a-z0-9\u00E0-\u00F6\u00F8-\u024F\u03B1-\u03C9\u0430-\u045F]+$/;

/**
 * Finds the stem that the full-text index makes of a word. For all but plain words the tokenizer of FTS5 itself answers, in
 * a table in memory, so that words are compared here exactly as they are there. Each question to it costs 80 µs.
 */
export class Stems {
  readonly #database = new DatabaseSync(":memory:");
  readonly #statements;
  /** One stem for nearly every word; none or several for letters that SQLite does not know as such. */
  readonly #stems = new Map<string, readonly string[]>();

  constructor() {
    this.#database.exec(`CREATE VIRTUAL TABLE word USING fts5(text, content = '', columnsize = 0, tokenize = ${TOKENIZER});
      CREATE VIRTUAL TABLE token USING fts5vocab(word, instance)`);
    this.#statements = {
      begin: this.#database.prepare("BEGIN"),
      undo: this.#database.prepare("ROLLBACK"),
      add: this.#database.prepare("INSERT INTO word (rowid, text) VALUES (1, ?)"),
      tokens: this.#database.prepare("SELECT term, offset FROM token"),
    };
    this.#statements.tokens.setReturnArrays(true);
  }

  /** Gives the stems of a word in the index's spelling. */
  of(word: string): readonly string[] {
    const known = this.#stems.get(word);
    if (known !== undefined) return known;
    const stems = PLAIN.test(word) ? [stemmer(word)] : this.#tokens(word);
    this.#keep(word, stems);
    return stems;
  }

  /** Learns the common ones of some lists of words at once, where one by one takes ten times as long. */
  learn(lists: Iterable<readonly string[]>): void {
    const unknown = new Set<string>();
    for (const words of lists) {
      for (const word of words) {
        if (!this.#stems.has(word) && !PLAIN.test(word) && ONE_STEM.test(word)) unknown.add(word);
      }
    }
    if (unknown.size === 0) return;
    const list = [...unknown];
    const tokens = this.#tokens(list.join(" "));
    if (tokens.length === list.length)
      for (const [i, word] of list.entries()) this.#keep(word, [tokens[i] ?? word]);
  }

  /** It may be called again. */
  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #keep(word: string, stems: readonly string[]): void {
    if (this.#stems.size >= KEPT_MAX) this.#stems.clear();
    this.#stems.set(word, stems);
  }

  /** Gives the tokens of a text, in order. */
  #tokens(text: string): string[] {
    const { begin, add, tokens: all, undo } = this.#statements;
    // Undone, the table stays empty: it need not find and remove each token again.
    begin.run();
    const tokens: string[] = [];
    try {
      add.run(text);
      for (const [term, offset] of all.all() as unknown as [string | null, number][]) {
        tokens[offset] = term ?? "";
      }
    } finally {
      undo.run();
    }
    // A mark alone becomes a token without letters.
    return tokens.filter((token) => token !== "");
  }
}
