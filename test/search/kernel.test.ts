import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { kernelModule } from "../../bench/kernel/build.ts";
import { seeded } from "../../bench/support/random.ts";
import { COVERAGE_STEPS } from "../../src/search/fuse.ts";
import { SignCodes } from "../../src/search/kernel/sign-codes.ts";
import { EmbeddedIndex } from "../../src/search-index/index.ts";
import { NAME } from "../../src/search-index/memory/hash.ts";
import { Names } from "../../src/search-index/memory/names.ts";
import { RowLists } from "../../src/search-index/memory/row-lists.ts";
import { WordSums } from "../../src/search-index/query/word-sums.ts";

describe("the kernel", () => {
  it("is what its source compiles to", async () => {
    const built = await kernelModule();
    expect(readFileSync(new URL("../../src/search/kernel/bytes.ts", import.meta.url), "utf8")).toBe(built);
  });

  it("refuses dimensions it cannot scan", () => {
    expect(() => new EmbeddedIndex({ modelId: "test-model", dimension: 100 })).toThrow(RangeError);
  });
});

describe("sign codes", () => {
  const DIMENSION = 384;
  // Neither a multiple of what the kernel takes at a time nor of its blocks.
  const ROWS = 4_103;
  const random = seeded(7);
  const vectors = Array.from({ length: ROWS }, () =>
    Int8Array.from({ length: DIMENSION }, () => Math.floor(random() * 200) - 100),
  );
  const centre = Int8Array.from({ length: DIMENSION }, () => Math.floor(random() * 20) - 10);
  const added = Float32Array.from({ length: ROWS }, () => (random() < 0.1 ? random() * 0.3 : 0));
  const [query = new Int8Array()] = vectors;
  const vouched = Float32Array.from(added, (one) => (one > 0.2 ? random() * 0.5 : 0));
  const isAbove = (vector: Int8Array, at: number) => (vector[at] ?? 0) > (centre[at] ?? 0);
  /** The estimate as the docstrings have it, with the cosine itself. */
  const estimates = vectors.map((vector, row) => {
    let bits = 0;
    for (let at = 0; at < DIMENSION; at += 1) if (isAbove(vector, at) !== isAbove(query, at)) bits += 1;
    return Math.max(Math.cos((Math.PI * bits) / DIMENSION), vouched[row] || -1) + (added[row] ?? 0);
  });
  const codes = new SignCodes(DIMENSION);
  for (const [row, vector] of vectors.entries()) codes.set(row, vector, centre);
  const rows = Uint32Array.from(vectors.keys()).filter((row) => added[row] !== 0);
  // Each of them has a step of coverage of its own, so that any least meaning can stand in the table.
  const words = {
    rows,
    scores: added.filter((one) => one !== 0),
    coverage: Float32Array.from(rows, (_, at) => at / COVERAGE_STEPS),
    rates: new Float64Array(COVERAGE_STEPS + 1).fill(1),
    least: Float64Array.from(rows, (row) => vouched[row] || -1),
  };
  const nearest = (most: number, mostWithWords = 0) => [
    ...codes.nearest(query, centre, { size: ROWS, words, most, mostWithWords }),
  ];

  it.each([1, 50, 1000])("give the best %i rows by their estimate, and few more", (most) => {
    const rows = nearest(most);
    expect(rows.length).toBeGreaterThanOrEqual(most);
    expect(rows.length).toBeLessThan(most + ROWS / 10);
    expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b));
    const others = estimates.filter((_, row) => !rows.includes(row));
    const least = Math.min(...rows.map((row) => estimates[row] ?? 0));
    // A step, and some.
    expect(Math.max(...others)).toBeLessThan(least + 0.001);
  });

  it("give the best rows with words too, however many others are better", () => {
    const found = nearest(5, 200);
    expect(found).toEqual([...new Set(found)].sort((a, b) => a - b));
    expect(found).toEqual(expect.arrayContaining(nearest(5)));
    const estimateOf = (row: number) => estimates[row] ?? 0;
    const withWords = found.filter((row) => added[row] !== 0);
    expect(withWords.length).toBeGreaterThanOrEqual(200);
    const others = [...rows].filter((row) => !withWords.includes(row)).map(estimateOf);
    expect(Math.max(...others)).toBeLessThan(Math.min(...withWords.map(estimateOf)) + 0.001);
    expect(nearest(1, ROWS)).toEqual(expect.arrayContaining([...rows]));
  });

  it("give the same while other rows are asked for between two blocks", () => {
    const [, another = new Int8Array()] = vectors;
    const asked = { size: ROWS, words, most: 50, mostWithWords: 0 };
    const alone = [codes.nearest(query, centre, asked), codes.nearest(another, centre, asked)];
    const between: Uint32Array[] = [];
    const beforeBlock = () => between.push(codes.nearest(another, centre, asked));
    expect(codes.nearest(query, centre, { ...asked, beforeBlock })).toEqual(alone[0]);
    expect(between.length).toBeGreaterThan(1);
    expect(between).toEqual(between.map(() => alone[1]));
  });

  it("count rows with more words than the best that passes among the best", () => {
    const more = { ...words, scores: words.scores.map((one) => one + 20) };
    const found = codes.nearest(query, centre, { size: ROWS, words: more, most: 1, mostWithWords: 0 });
    expect([...found]).toEqual(expect.arrayContaining([...rows]));
    expect(
      codes.nearest(query, centre, { size: ROWS, words: more, most: ROWS, mostWithWords: 0 }),
    ).toHaveLength(ROWS);
  });

  it("give the nearest of many rows by meaning alone, also while others are asked for", () => {
    const MANY = 120_005;
    const many = new SignCodes(DIMENSION);
    // Some are more like the query than chance would have it.
    const kin: number[] = [];
    for (let row = 0; row < MANY; row += 1) {
      const [one = query] = [vectors[row % ROWS]];
      const isKin = row % 250 === 7 && row % ROWS !== 0;
      if (isKin) kin.push(row);
      const vector = isKin ? query.map((number, at) => (at % 4 === row % 4 ? (one[at] ?? 0) : number)) : one;
      many.set(row, row % ROWS === 0 ? (vectors[1] ?? vector) : vector, centre);
    }
    const asked = { size: MANY, words: null, most: 200, mostWithWords: 0 };
    const among = (wanted: typeof asked) =>
      many.nearest(query, centre, { ...wanted, begun: many.begin(query, centre, MANY, null) });
    const sifted = many.nearest(query, centre, asked);
    expect(sifted.length).toBeGreaterThanOrEqual(200);
    expect([...among(asked)].filter((row) => !sifted.includes(row))).toEqual([]);
    expect(kin).toEqual(expect.arrayContaining([...sifted]));
    let nested = 0;
    const beforeBlock = () => {
      nested += 1;
      if (nested % 9 === 0) many.nearest(vectors[2] ?? query, centre, asked);
    };
    expect(many.nearest(query, centre, { ...asked, beforeBlock })).toEqual(sifted);
    expect(nested).toBeGreaterThan(9);
    // So many are not sifted.
    const half = { ...asked, most: MANY / 2 };
    expect(many.nearest(query, centre, half)).toEqual(among(half));
  });

  it("give all rows when as many are wanted", () => {
    expect(nearest(ROWS)).toEqual(vectors.map((_, row) => row));
  });
});

describe("sums of words", () => {
  const ROWS = 50_000;
  const random = seeded(11);
  const names = new Names();
  const lists = new RowLists(names);
  // Distances of one, two and three bytes; a list that ends with a block, and one that stops early.
  const words = [0.6, 0.05, 0.01, 0.0002, 1].map((share, nth) => ({
    share,
    name: names.number(NAME.word, `word ${nth}`),
    until: nth === 4 ? 9_000 : ROWS,
  }));
  for (let row = 0; row < ROWS; row += 1) {
    for (const { share, name, until } of words) {
      if (row >= until || random() >= share) continue;
      lists.append(name, row, random() < 0.7 ? undefined : 1 + Math.floor(random() * 255));
    }
  }
  const texts = { lengths: Uint16Array.from({ length: ROWS }, () => 1 + random() * 100), meanLength: 50 };
  const sums = new WordSums();
  const sumsOf = (among: Uint32Array | null) => {
    const listed = words.map(({ name, share }, nth) => ({
      blocks: lists.blocksOf(name),
      factor: 1 + nth,
      isFlat: false,
      share,
    }));
    sums.sum(listed, ROWS, texts, among, () => {});
    const { rows, scores, coverage, count } = sums;
    return new Map(
      Array.from({ length: count }, (_, at) => [rows[at] ?? -1, [scores[at], coverage[at]]] as const),
    );
  };
  const all = sumsOf(null);

  it.each([0.5, 0.02, 0.001, 0.0002])("are the same when a share of %d of the rows is wanted", (share) => {
    const among = Uint32Array.from({ length: ROWS }, (_, row) => row).filter(() => random() < share);
    const expected = [...among].flatMap((row) => {
      const sum = all.get(row);
      return sum === undefined ? [] : [[row, sum] as const];
    });
    expect(expected.length).toBeGreaterThan(0);
    expect([...sumsOf(among)]).toEqual(expected);
  });

  it("are the same for each row that is wanted alone", () => {
    for (let row = 8_900; row < 9_400; row += 1) {
      const sum = all.get(row);
      expect([...sumsOf(Uint32Array.of(row))]).toEqual(sum === undefined ? [] : [[row, sum]]);
    }
  });

  it("are none where no row is wanted", () => {
    expect(sumsOf(new Uint32Array(0)).size).toBe(0);
  });
});
