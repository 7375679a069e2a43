import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../../src/search/index/follower.ts";
import { allAnswers, QUESTIONS } from "../../support/search/all-answers.ts";
import { History } from "../../support/search/history.ts";
import {
  anEntry,
  hasUnfinished,
  MODEL,
  type OpenIndex,
  openIndex as openCopy,
  useIndexFile,
  vectorOf,
} from "../../support/search/open-index.ts";

const openIndex = useIndexFile();
const BOARD = 500;

const fileOf = ({ folder }: OpenIndex) => join(folder, "board.db-search");

/** Loads the memory. @returns true when the snapshot was taken: otherwise a new one is begun at once */
function loadsSnapshot(opened: OpenIndex): boolean {
  opened.index.follow();
  return !hasUnfinished(opened.folder);
}

/** Answers of a new start, and of one that finds no snapshot. */
async function answersOfStarts(): Promise<[withSnapshot: unknown, without: unknown]> {
  const one = openIndex();
  expect(loadsSnapshot(one)).toBe(true);
  const withSnapshot = await allAnswers(one.index);
  const two = openIndex();
  rmSync(fileOf(two));
  expect(loadsSnapshot(two)).toBe(false);
  const without = await allAnswers(two.index);
  await two.index.close();
  return [withSnapshot, without];
}

it("every question of these tests finds something", async () => {
  const opened = openIndex();
  const history = new History(1);
  opened.write((index) => {
    history.grow(index, 2_600);
    history.go(index, 300);
  });
  for (const [name, asked] of Object.entries(QUESTIONS)) {
    expect([name, await opened.index.ask("count", asked)]).toEqual([name, expect.toSatisfy((n) => n > 0)]);
  }
});

describe("a start with a snapshot", () => {
  it("answers as one that reads the tables, after a long history", async () => {
    const opened = openIndex();
    const history = new History(1);
    opened.write((index) => history.grow(index, BOARD));
    opened.index.follow();
    // In steps, so that the memory follows each kind of change and not only the last state.
    for (let i = 0; i < 12; i += 1) {
      opened.write((index) => history.go(index, 40));
      opened.index.follow();
    }
    const live = await allAnswers(opened.index);
    await opened.index.close();
    const [withSnapshot, without] = await answersOfStarts();
    expect(withSnapshot).toEqual(without);
    expect(withSnapshot).toEqual(live);
  });

  it("knows what changed since the snapshot, and goes on to follow changes", async () => {
    const opened = openIndex();
    const history = new History(4);
    opened.write((index) => history.grow(index, BOARD));
    opened.index.follow();
    opened.write((index) => history.go(index, 80));
    await opened.index.close();
    const later = openIndex();
    // Erased publishers take the snapshot with them.
    later.write((index) => history.go({ ...index, removePublisher() {} }, 150));
    const [withSnapshot, without] = await answersOfStarts();
    expect(withSnapshot).toEqual(without);
    const live = openIndex();
    expect(loadsSnapshot(live)).toBe(true);
    for (let i = 0; i < 5; i += 1) {
      live.write((index) => history.go(index, 50));
      live.index.follow();
    }
    expect(await allAnswers(live.index)).toEqual(await allAnswers(openIndex().index));
  });

  it("is right although posts changed while it was written", async () => {
    const limits = { ...LIMITS, deadRows: 50, snapshotFrom: 100, snapshotEvery: 30, snapshotPauseMs: 0 };
    const opened = openIndex({ limits });
    const history = new History(8);
    opened.write((index) => history.grow(index, 250));
    const copies = join(opened.folder, "copies");
    let taken = 0;
    for (let round = 0; round < 72; round += 1) {
      opened.write((index) => history.go(index, 8));
      opened.index.follow();
      await turn();
      if (round % 12 !== 11) continue;
      for (const name of ["board.db", "board.db-wal", "board.db-search"]) {
        const from = join(opened.folder, name);
        if (existsSync(from)) cpSync(from, join(copies, name));
      }
      const started = openCopy(copies, { limits: { ...LIMITS, snapshotFrom: 1, snapshotEvery: 1e9 } });
      if (loadsSnapshot(started)) taken += 1;
      expect(await allAnswers(started.index)).toEqual(await allAnswers(opened.index));
      await started.index.close();
      started.database.close();
      rmSync(copies, { recursive: true });
    }
    expect(taken).toBeGreaterThan(2);
    await opened.index.close();
  });

  it("knows no vector that came while it was written and is gone", async () => {
    const opened = openIndex({ limits: { ...LIMITS, snapshotFrom: 1 } });
    opened.write((index) => index.put(anEntry({ id: "a" })));
    opened.index.follow();
    opened.write((index) => index.putVector("a", MODEL, vectorOf(1)));
    opened.index.follow();
    while (hasUnfinished(opened.folder)) await turn();
    opened.write((index) => index.putVector("a", null, null));
    const started = openIndex();
    expect(loadsSnapshot(started)).toBe(true);
    expect(await started.find("other", vectorOf(1))).toEqual([]);
  });

  it("is not for boards that are read in a moment", async () => {
    const opened = openIndex();
    opened.write((index) => new History(7).grow(index, 250));
    opened.index.follow();
    await opened.index.close();
    expect(existsSync(fileOf(opened))).toBe(false);
  });
});
