import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { vocabulary } from "../../bench/board/vocabulary.ts";
import { pick, seeded } from "../../bench/support/random.ts";
import { Stems, TOKENIZER } from "../../src/search-index/words/stems.ts";
import { DatabaseSync } from "../../src/sqlite.ts";

/** What English words end in, as the rules of Porter's algorithm list it. */
const ENDINGS =
  "s sses ies eed ed ing y ational tional enci anci izer logi bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize e ll".split(
    " ",
  );

describe("the stem of a word is what the full-text index makes of it", () => {
  const database = new DatabaseSync(":memory:");
  const stems = new Stems();

  beforeAll(() => {
    database.exec(`CREATE VIRTUAL TABLE word USING fts5(text, tokenize = ${TOKENIZER});
      CREATE VIRTUAL TABLE token USING fts5vocab(word, instance)`);
  });
  afterAll(() => {
    database.close();
    stems.close();
  });

  /** The tokens of each word, by FTS5. */
  function tokensOf(words: readonly string[]): string[][] {
    database.exec("DELETE FROM word");
    const add = database.prepare("INSERT INTO word (rowid, text) VALUES (?, ?)");
    database.exec("BEGIN");
    for (const [at, word] of words.entries()) add.run(at + 1, word);
    database.exec("COMMIT");
    const rows = database.prepare("SELECT doc, term FROM token ORDER BY doc, offset").all() as {
      doc: number;
      term: string;
    }[];
    const tokens: string[][] = words.map(() => []);
    for (const { doc, term } of rows) tokens[doc - 1]?.push(term);
    return tokens;
  }

  function isSame(words: readonly string[]): void {
    expect(words.map((word) => [word, stems.of(word)])).toEqual(
      tokensOf(words).map((tokens, at) => [words[at], tokens]),
    );
  }

  it("for the words of a language", () => {
    const words = vocabulary()
      .words.map(({ word }) => word)
      .filter((word) => /^[a-z]+$/.test(word));
    expect(words.length).toBeGreaterThan(10_000);
    isSame(words);
  });

  it("for words with any ending", () => {
    const words = vocabulary().words.filter((_, at) => at % 50 === 0);
    isSame(words.flatMap(({ word }) => ENDINGS.map((ending) => word + ending)));
  });

  it("for words mixed of letters and digits, and for two y in a row", () => {
    const random = seeded(7);
    const letters = "0123456789aeiouybctlszx";
    const beginnings = Array.from({ length: 200 }, () =>
      Array.from({ length: 1 + Math.floor(random() * 6) }, () => pick(random, [...letters])).join(""),
    );
    isSame(
      ["sayyed", "z8oyyed", ...beginnings].flatMap((word) => [word, ...ENDINGS.map((end) => word + end)]),
    );
  });

  it("for short and long ones, numbers, and words of several kinds of signs", () => {
    const lengths = [1, 2, 3, 4, 63, 64, 65, 66, 200].map((length) => "bing".repeat(50).slice(-length));
    isSame([
      ...lengths,
      "1",
      "2026",
      "0815ing",
      "7".repeat(80),
      "b2bs",
      "naïves",
      "straßenbahnen",
      "ёлки",
      "東",
    ]);
  });
});
