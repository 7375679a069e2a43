import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, describe, expect, it } from "vitest";
import type { RelatedQuestion } from "../../../src/ports/search-index.ts";
import { LIMITS } from "../../../src/search-index/follower.ts";
import { type IndexModel, LocalAnswers } from "../../../src/search-index/local.ts";
import { Lender, type Loan, Turns } from "../../../src/search-index/memory/lending.ts";
import { Tables } from "../../../src/search-index/tables.ts";
import { Borrower } from "../../../src/search-index/thread/borrower.ts";
import { ThreadAnswers } from "../../../src/search-index/thread/index.ts";
import {
  DIMENSION,
  MODEL,
  NOW,
  post,
  question,
  randomOf,
  useIndexFile,
  vectorOf,
} from "../../support/search/embedded-index.ts";

const openIndex = useIndexFile();
const BOARD = 2_500;
const model: IndexModel = { modelId: MODEL, dimension: DIMENSION };
const { filter } = question({});
const similar: RelatedQuestion = { filter, minCosine: 0.1, limit: 5 };

function openBoard(posts = BOARD) {
  const opened = openIndex();
  opened.write((index) => {
    for (let i = 0; i < posts; i += 1) {
      const id = `p${i}`;
      index.put(post({ id, title: `Bike number${i}`, publisherId: `pub_${i % 20}` }));
      index.putVector(id, MODEL, vectorOf(i));
    }
  });
  return opened;
}

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** A connection to a board's file. */
function openDatabase(folder: string) {
  const database = new DatabaseSync(join(folder, "board.db"));
  open.push(async () => database.close());
  return database;
}

/** Answers from a connection of their own. */
function openAnswers(folder: string, options: ConstructorParameters<typeof LocalAnswers>[3] = {}) {
  const database = openDatabase(folder);
  const answers = new LocalAnswers(database, new Tables(database), model, options);
  open.push(async () => answers.release());
  return answers;
}

async function openThread(folder: string) {
  const tables = new Tables(openDatabase(folder));
  const thread = new ThreadAnswers(
    join(folder, "board.db"),
    model,
    () => tables.newestChange(),
    () => {},
  );
  open.push(() => thread.close());
  await thread.ready();
  return thread;
}

/** A lender and a borrower in one thread, where a change can come at any moment. */
function lendHere(folder: string, limits = LIMITS) {
  const turns = new Turns();
  const borrower = new Borrower(new Turns(turns.shared), model);
  const loans: Loan[] = [];
  const lender = new Lender(turns, (loan) => loans.push(loan));
  const answers = openAnswers(folder, { limits, lender });
  const related = (id: string, asked = similar) => {
    answers.follower.follow();
    for (const loan of loans.splice(0)) borrower.take(loan);
    return borrower.related(id, asked, answers.follower.memory.change);
  };
  return { answers, lender, borrower, loans, related };
}

describe("a memory that is lent", () => {
  it.each([
    ["all vectors", Number.POSITIVE_INFINITY],
    ["sign codes", 1_000],
  ])("says the same of related posts as its owner, by %s, whatever was written", async (_, codesFrom) => {
    const { folder, write } = openBoard();
    const limits = { ...LIMITS, codesFrom, deadRows: 50 };
    const here = lendHere(folder, limits);
    const random = randomOf(17);
    const some = (count: number) => Math.floor(random() * count);
    let [next, loans] = [BOARD, 0];
    for (let round = 0; round < 60; round += 1) {
      write((index) => {
        const id = `p${some(next)}`;
        const now = round % 7 === 0 ? NOW + 2 : NOW;
        if (round % 6 === 0) for (let i = 0; i < 250; i += 1) index.remove(`p${some(next)}`);
        if (round % 6 === 1) index.put(post({ id, title: "Changed", createdAt: now, expiresAt: NOW - 1 }));
        if (round % 6 === 2) index.putVector(id, MODEL, vectorOf(some(10_000)));
        if (round % 6 === 3) index.removeVector(id);
        if (round % 6 === 4)
          index.putPublisher(`pub_${some(20)}`, { verified: true, suspended: round % 4 === 0 });
        for (let i = 0; round % 6 === 5 && i < 300; i += 1, next += 1) {
          index.put(post({ id: `p${next}`, title: "Another" }));
          index.putVector(`p${next}`, MODEL, vectorOf(next));
        }
      });
      for (let nth = 0; nth < 5; nth += 1) {
        const id = `p${some(next)}`;
        here.answers.follower.follow();
        loans += here.loans.length;
        const found = here.related(id);
        expect(found).not.toBe(null);
        expect(found).toEqual(await here.answers.related(id, similar));
      }
    }
    // Columns have grown, and dead rows were dropped.
    expect(loans).toBeGreaterThan(3);
    expect(here.answers.follower.memory.moves).toBeGreaterThan(0);
    expect(here.borrower.answered).toBe(300);
  });

  it("is not read while it changes, nor believed when it has changed meanwhile", async () => {
    const { folder } = openBoard();
    const { answers, lender, borrower, related } = lendHere(folder);
    const memory = () => answers.follower.memory;
    const expected = await answers.related("p5", similar);
    expect(expected).toHaveLength(5);
    expect(related("p5")).toEqual(expected);
    const { change } = memory();
    lender.change(() => {
      expect(borrower.related("p5", similar, change)).toBe(null);
    }, memory);
    expect(related("p5")).toEqual(expected);

    const changing = (change: () => void): RelatedQuestion => ({
      ...similar,
      get filter() {
        change();
        return filter;
      },
    });
    expect(
      related(
        "p5",
        changing(() => lender.change(() => {}, memory)),
      ),
    ).toBe(null);
    const lost = changing(() => {
      lender.change(() => {}, memory);
      throw new RangeError("A list leads out of its memory.");
    });
    expect(related("p5", lost)).toBe(null);
    expect(related("p5")).toEqual(expected);
    const broken = changing(() => {
      throw new RangeError("broken");
    });
    expect(() => related("p5", broken)).toThrow("broken");
  });

  it("is not read without the newest change, nor before a loan that was announced has come", () => {
    const { folder, write } = openBoard();
    const { answers, borrower, loans, related } = lendHere(folder);
    expect(borrower.related("p5", similar, 0)).toBe(null);
    expect(related("p5")).toHaveLength(5);
    const { change } = answers.follower.memory;
    expect(borrower.related("p5", similar, change + 1)).toBe(null);
    expect(borrower.related("p5", similar, change)).toHaveLength(5);
    write((index) => {
      for (let i = 0; i < 2 * BOARD; i += 1) index.put(post({ id: `q${i}` }));
    });
    answers.follower.follow();
    expect(loans).toHaveLength(1);
    expect(borrower.related("p5", similar, answers.follower.memory.change)).toBe(null);
    expect(related("p5")).toHaveLength(5);
  });
});

describe("the memory of a search thread", () => {
  it("tells the event loop of related posts while the thread is at work", async () => {
    const { folder, write } = openBoard();
    const thread = await openThread(folder);
    const alone = openAnswers(folder);
    const expected = await alone.related("p5", similar);
    expect(await thread.related("p5", similar)).toEqual(expected);
    expect(thread.borrower.answered).toBe(1);

    // Rankings keep the thread busy; no event of its can come in between.
    const asked = question({ q: "bike number7", vector: vectorOf(7), minCosine: 0.1 });
    const answered: string[] = [];
    const rankings = Array.from({ length: 8 }, () =>
      thread.rank(asked, { rerank: true, limit: 50, except: new Set() }).then(() => answered.push("ranking")),
    );
    await thread.related("p5", similar).then(() => answered.push("related"));
    expect(answered).toEqual(["related"]);
    await Promise.all(rankings);

    // The thread is asked after a commit, and reads it; then its memory is enough again.
    write((index) => index.remove(expected[0] ?? ""));
    const after = await alone.related("p5", similar);
    expect(after).not.toEqual(expected);
    expect(await thread.related("p5", similar)).toEqual(after);
    expect(thread.borrower.answered).toBe(2);
    expect(await thread.related("p5", similar)).toEqual(after);
    expect(thread.borrower.answered).toBe(3);
  });

  it("may change at any moment: what the event loop finds is what the thread finds", async () => {
    const { folder, write } = openBoard();
    const thread = await openThread(folder);
    const alone = openAnswers(folder);
    const asked = question({ q: "bike", vector: vectorOf(7), minCosine: 0.1 });
    for (let round = 0; round < 100; round += 1) {
      write((index) => {
        for (let i = 0; i < 20; i += 1) {
          const id = `p${(round * 37 + i * 11) % BOARD}`;
          index.put(post({ id, title: `Bike ${round}`, tags: [`t${i}`] }));
          index.putVector(id, MODEL, vectorOf(round * 20 + i));
        }
      });
      // The thread takes the changes in while this one looks for related posts.
      const ranking = thread.rank(asked, { rerank: true, limit: 50, except: new Set() });
      const found: string[][] = [];
      for (let n = 0; n < 5; n += 1) {
        found.push(await thread.related(`p${(round * 41 + n) % BOARD}`, similar));
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (const [n, ids] of found.entries())
        expect(ids).toEqual(await alone.related(`p${(round * 41 + n) % BOARD}`, similar));
      await ranking;
    }
    expect(thread.borrower.answered).toBeGreaterThan(100);
  });
});
