import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { seeded } from "../../../bench/support/random.ts";
import { PostMemory } from "../../../src/search/index/memory/index.ts";
import { SnapshotFile } from "../../../src/search/index/snapshot/index.ts";
import { useFolder } from "../../support/boards/use.ts";
import { useFolderForEach } from "../../support/run/temporary.ts";
import { allAnswers } from "../../support/search/all-answers.ts";
import { History } from "../../support/search/history.ts";
import { DIMENSION, hasUnfinished, type OpenIndex, openIndex } from "../../support/search/open-index.ts";

const BOARD = 350;
const MODEL_OF_FILE = JSON.stringify({ modelId: "test-model", dimension: DIMENSION });

/** A board with its snapshot, copied for each test. */
const original = useFolder();
let right: unknown;
const folder = useFolderForEach();
const database = () => join(folder(), "board.db");
const snapshot = () => join(folder(), "board.db-search");

beforeAll(async () => {
  const opened = openIndex(original);
  const history = new History(21);
  opened.write((index) => history.grow(index, BOARD + 50));
  opened.index.follow();
  opened.write((index) => history.go(index, 80));
  right = await allAnswers(opened.index);
  await end(opened);
});
beforeEach(() => cpSync(original, folder(), { recursive: true }));

async function end(opened: OpenIndex): Promise<void> {
  await opened.index.close();
  // Brings everything into the main file.
  opened.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  opened.database.close();
}

/** Starts an index on the files as they are. @returns true when it took the snapshot */
async function starts(then: (opened: OpenIndex) => Promise<void> = async () => {}): Promise<boolean> {
  const opened = openIndex(folder());
  opened.index.follow();
  const took = !hasUnfinished(folder());
  await then(opened);
  await end(opened);
  return took;
}

const answersRightly = async ({ index }: OpenIndex) => expect(await allAnswers(index)).toEqual(right);

/** The header's account of the file. */
function sectionsOfFile(): { name: string; bytes: number }[] {
  const file = readFileSync(snapshot());
  return JSON.parse(file.subarray(8, 8 + file.readUInt32LE(0)).toString()).sections;
}

describe("a snapshot", () => {
  it("is taken when nothing is wrong with it", async () => {
    expect(await starts(answersRightly)).toBe(true);
  });

  it("is not taken when it ends too soon or has one wrong bit, in any section or in what describes them", async () => {
    const random = seeded(1);
    const whole = readFileSync(snapshot());
    const places = [0, 1, 3, 4, 7, 8, 20, 100, 8 + whole.readUInt32LE(0) - 1];
    let at = 8 + 65_536;
    for (const { bytes } of sectionsOfFile()) {
      if (bytes > 0) places.push(at, at + bytes - 1, at + Math.floor(random() * bytes));
      at += bytes;
    }
    expect(at).toBe(whole.length);
    for (const place of places) {
      writeFileSync(snapshot(), whole.subarray(0, place));
      expect([place, "cut", isReadable()]).toEqual([place, "cut", false]);
      const flipped = Buffer.from(whole);
      flipped[place] = (flipped[place] ?? 0) ^ (1 << (place % 8));
      writeFileSync(snapshot(), flipped);
      expect([place, "flipped", isReadable()]).toEqual([place, "flipped", false]);
    }
    expect(await starts(answersRightly)).toBe(false);
  });

  /** As `starts`, at the file alone: fifty starts would take a minute. */
  function isReadable(): boolean {
    const mark = readMark();
    return new SnapshotFile(database(), MODEL_OF_FILE).read(new PostMemory(DIMENSION), mark);
  }

  it("is not taken by an index of another model or dimension", async () => {
    const wrong = [
      { modelId: "another", dimension: DIMENSION },
      { modelId: null, dimension: DIMENSION },
      { modelId: "test-model", dimension: 2 * DIMENSION },
    ];
    const whole = readFileSync(snapshot());
    for (const model of wrong) {
      writeFileSync(snapshot(), whole);
      const opened = openIndex(folder(), model);
      opened.index.follow();
      expect(hasUnfinished(folder())).toBe(true);
      expect(await opened.index.ask("vectors", ["p000001"])).toEqual([null]);
      await end(opened);
    }
    expect(await starts(answersRightly)).toBe(false);
  });

  it("is not taken by an older copy of the database that was put back", async () => {
    const copy = readFileSync(database());
    await starts(async (opened) => {
      opened.write((index) => new History(23).grow(index, 10));
      opened.index.follow();
    });
    writeFileSync(database(), copy);
    expect(await starts(answersRightly)).toBe(false);
  });

  it("is not taken when an older one of the same database was put back", async () => {
    const copy = readFileSync(snapshot());
    let now: unknown;
    await starts(async (opened) => {
      const history = new History(24);
      opened.write((index) => history.grow(index, 50));
      now = await allAnswers(opened.index);
    });
    writeFileSync(snapshot(), copy);
    expect(await starts(async ({ index }) => expect(await allAnswers(index)).toEqual(now))).toBe(false);
  });

  it("is of no use when the changes since were not kept", async () => {
    const later = openIndex(folder());
    later.write((index) => new History(25).grow(index, 50));
    const now = await allAnswers(later.index);
    later.database.exec("DELETE FROM index_change WHERE no < (SELECT max(no) - 3 FROM index_change)");
    later.database.close();
    expect(await starts(async ({ index }) => expect(await allAnswers(index)).toEqual(now))).toBe(false);
  });

  it("that was never finished does no harm", async () => {
    writeFileSync(ofADeadProcess(), "half a snapshot");
    expect(await starts(answersRightly)).toBe(true);
    expect(hasUnfinished(folder())).toBe(false);
    // It does none beside a database without a snapshot either.
    rmSync(snapshot());
    writeFileSync(ofADeadProcess(), "half a snapshot");
    expect(await starts(answersRightly)).toBe(false);
    expect(await starts(answersRightly)).toBe(true);
  });

  it("that cannot be written, read or removed reaches no caller", async () => {
    // A folder in its place fails for every user, also one who may write everywhere.
    rmSync(snapshot());
    mkdirSync(join(snapshot(), "in-the-way"), { recursive: true });
    mkdirSync(join(`${snapshot()}-new-${process.pid}-${threadId}`, "in-the-way"), { recursive: true });
    const opened = openIndex(folder());
    opened.index.follow();
    await answersRightly(opened);
    opened.write((index) => new History(26).grow(index, 20));
    opened.index.follow();
    await end(opened);
    expect(existsSync(join(snapshot(), "in-the-way"))).toBe(true);
  });
});

/** No process has an id as large as this. */
const ofADeadProcess = () => `${snapshot()}-new-${2 ** 30}-0`;

function readMark(): string | null {
  const opened = openIndex(folder());
  const { mark } = opened.database.prepare("SELECT mark FROM index_snapshot").get() as {
    mark: string | null;
  };
  opened.database.close();
  return mark;
}
