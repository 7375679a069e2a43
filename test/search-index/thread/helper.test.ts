import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { seeded } from "../../../bench/support/random.ts";
import { newComparison } from "../../../src/search/kernel/comparison.ts";
import { SignCodes } from "../../../src/search/kernel/sign-codes.ts";
import { LIMITS } from "../../../src/search-index/follower.ts";
import { LocalAnswers } from "../../../src/search-index/local.ts";
import { Tables } from "../../../src/search-index/tables.ts";
import { HelperThread } from "../../../src/search-index/thread/helper.ts";
import {
  DIMENSION,
  MODEL,
  post,
  question,
  useIndexFile,
  vectorOf,
} from "../../support/search/embedded-index.ts";

const helpers: HelperThread[] = [];
const newHelper = (isCrowded = () => false) => {
  const helper = new HelperThread({ from: 0, isCrowded });
  helpers.push(helper);
  return helper;
};
afterEach(async () => {
  for (const helper of helpers.splice(0)) await helper.end();
});

describe("codes compared by two threads", () => {
  const WIDTH = 128;
  // Four chunks, the last of which is no whole one.
  const ROWS = 100_003;
  const random = seeded(11);
  const vector = () => Int8Array.from({ length: WIDTH }, () => Math.floor(random() * 200) - 100);
  const centre = new Int8Array(WIDTH);
  const codes = new SignCodes(WIDTH);
  const vectors = Array.from({ length: ROWS }, vector);
  const queries = Array.from({ length: 20 }, vector);
  const wanted = { size: ROWS, words: null, most: 50, mostWithWords: 0 };
  let alone: Uint32Array[];

  beforeAll(() => {
    for (const [row, one] of vectors.entries()) codes.set(row, one, centre);
    alone = queries.map((query) => byOne(codes, query, wanted));
  });

  /** What one thread finds that compares all codes, as two do. */
  const byOne = (all: SignCodes, query: Int8Array, some: typeof wanted) =>
    all.nearest(query, centre, { ...some, begun: all.begin(query, centre, some.size, null) });

  const together = (helper: HelperThread, query: Int8Array, beforeBlock?: () => void) => {
    const begun = codes.begin(query, centre, ROWS, helper);
    return codes.nearest(query, centre, { ...wanted, begun, ...(beforeBlock && { beforeBlock }) });
  };
  /** Asks until the other thread has compared some more. */
  const until = async (helper: HelperThread, chunks: number, beforeBlock?: () => void) => {
    const ask = () => {
      expect(queries.map((query) => together(helper, query, beforeBlock))).toEqual(alone);
      return helper.chunks;
    };
    await expect.poll(ask, { timeout: 20_000 }).toBeGreaterThan(chunks);
  };

  it("are the same as by one", async () => {
    const helper = newHelper();
    await until(helper, 20);
  });

  it("are compared by one while other searches wait for it", async () => {
    let isCrowded = false;
    const helper = newHelper(() => isCrowded);
    await until(helper, 0);
    isCrowded = true;
    const [first = new Int8Array()] = queries;
    together(helper, first);
    const { chunks } = helper;
    for (const [n, query] of queries.entries()) expect(together(helper, query)).toEqual(alone[n]);
    expect(helper.chunks).toBe(chunks);
    isCrowded = false;
    await until(helper, chunks);
  });

  it("are the same while another search is made between two blocks", async () => {
    const helper = newHelper();
    const [query = new Int8Array()] = queries;
    let nested = 0;
    await until(helper, 10, () => {
      nested += 1;
      if (nested % 7 === 0) expect(together(helper, query)).toEqual(alone[0]);
    });
    expect(nested).toBeGreaterThan(7);
  });

  it("are the same after a search that was given up", async () => {
    const helper = newHelper();
    await until(helper, 0);
    for (let round = 0; round < 100; round += 1) {
      const [query = new Int8Array(), other = new Int8Array()] = [
        queries[round % 20],
        queries[(round + 7) % 20],
      ];
      const begun = codes.begin(other, centre, ROWS, helper);
      if (round % 2 === 0) codes.end(begun);
      else {
        const stop = () => {
          throw new Error("nobody waits");
        };
        expect(() => codes.nearest(other, centre, { ...wanted, begun, beforeBlock: stop })).toThrow("nobody");
      }
      expect(together(helper, query)).toEqual(alone[round % 20]);
    }
  });

  it("are the same when there are more codes than it has seen", async () => {
    const helper = newHelper();
    await until(helper, 0);
    const grown = new SignCodes(WIDTH);
    for (let size = 10_000, seen = 0; size < ROWS; size *= 3, seen = helper.chunks) {
      for (let row = 0; row < size; row += 1) grown.set(row, vectors[row] ?? centre, centre);
      const [query = new Int8Array()] = queries;
      const some = { ...wanted, size };
      const expected = byOne(grown, query, some);
      const ask = () => {
        const begun = grown.begin(query, centre, size, helper);
        expect(grown.nearest(query, centre, { ...some, begun })).toEqual(expected);
        return helper.chunks;
      };
      await expect.poll(ask, { timeout: 20_000, interval: 1 }).toBeGreaterThan(seen);
    }
  });

  it("are the same when the other thread ends in the midst of it, and another takes its place", async () => {
    const helper = newHelper();
    await until(helper, 0);
    const [query = new Int8Array()] = queries;
    for (let round = 0; round < 2; round += 1) {
      const begun = codes.begin(query, centre, ROWS, helper);
      // Of another shape than its memory: the thread begins with it, and breaks.
      const { memory } = codes;
      helper.help({ memory, dimension: 3_000_000 } as SignCodes, newComparison(0, ROWS));
      expect(codes.nearest(query, centre, { ...wanted, begun })).toEqual(alone[0]);
      await expect.poll(() => helper.chunks, { timeout: 20_000 }).toBe(0);
      await until(helper, 0);
    }
  });
});

describe("a board searched by two threads", () => {
  const openIndex = useIndexFile();
  const BOARD = 3_000;

  it("is ranked as by one", async () => {
    const { folder, write } = openIndex();
    write((index) => {
      for (let i = 0; i < BOARD; i += 1) {
        const id = `p${i}`;
        index.put(post({ id, title: `Bike number${i % 50} blue`, createdAt: i, windowStart: i }));
        index.putVector(id, MODEL, vectorOf(i));
      }
    });
    const database = new DatabaseSync(`${folder}/board.db`);
    const model = { modelId: MODEL, dimension: DIMENSION };
    const limits = { ...LIMITS, codesFrom: 1_000 };
    const helper = newHelper();
    const [one, two] = [null, helper].map(
      (helping) => new LocalAnswers(database, new Tables(database), model, { limits, helper: helping }),
    ) as [LocalAnswers, LocalAnswers];
    const rank = async (answers: LocalAnswers, at: number) => {
      const asked = question({ q: `bike number${at}`, vector: vectorOf(at), minCosine: 0.1 });
      return [
        await answers.rank(asked, { rerank: true, limit: 60, except: new Set() }),
        await answers.related(`p${at}`, { ...asked, limit: 5 }),
        await answers.count(asked),
      ];
    };
    let at = 0;
    const ask = async () => {
      at += 1;
      expect(await rank(two, at % 50)).toEqual(await rank(one, at % 50));
      return helper.chunks;
    };
    await expect.poll(ask, { timeout: 20_000, interval: 1 }).toBeGreaterThan(5);
    one.release();
    two.release();
    database.close();
  });
});
