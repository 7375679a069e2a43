import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PostMemory } from "../../../src/search/index/memory/index.ts";
import { OwnRows } from "../../../src/search/index/own-rows.ts";
import { SnapshotFile } from "../../../src/search/index/snapshot/index.ts";
import { Tables } from "../../../src/search/index/tables.ts";
import { History } from "../../support/search/history.ts";
import { bytesOf, bytesOfVector, leftInFiles } from "../../support/search/left-in-files.ts";
import {
  anEntry,
  DIMENSION,
  MODEL,
  type OpenIndex,
  useIndexFile,
  vectorOf,
} from "../../support/search/open-index.ts";

const openIndex = useIndexFile();
const BOARD = 400;
const SECRET = anEntry({
  id: "secret-id",
  title: "Xylophonist wanted",
  body: "zyzzyva vexillology",
  tags: ["quokkatag"],
  placeName: "Ulcombeville",
  lat: 1,
  lng: 1,
  publisherId: "pub_secret",
});
const WORDS = ["xylophonist", "zyzzyva", "vexillolog", "quokkatag", "ulcombeville"];
/** No other post has this vector. */
const VECTOR = vectorOf(987_654);

const searchFiles = ({ folder }: OpenIndex) =>
  readdirSync(folder).filter((name) => name.startsWith("board.db-search"));

/** A board with a post of a publisher who leaves later. */
function openBoard(posts = BOARD): OpenIndex {
  const opened = openIndex();
  opened.write((index) => {
    new History(1).grow(index, posts);
    index.putPublisher("pub_secret", { verified: true, suspended: false });
    index.put(SECRET);
    index.putVector(SECRET.id, MODEL, VECTOR);
  });
  opened.index.follow();
  return opened;
}

function erase(opened: OpenIndex): void {
  opened.write((index) => {
    index.remove(SECRET.id);
    index.removePublisher("pub_secret");
  });
}

/** What of the erased post can still be read in the folder. */
function leftOf(opened: OpenIndex): string[] {
  opened.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return leftInFiles(opened.folder, [...WORDS, SECRET.id], VECTOR);
}

it("words said hundreds of times leave with a post that was edited", () => {
  const opened = openBoard();
  const said = (word: string) => `${word} `.repeat(300);
  const mine = Array.from({ length: 30 }, (_, n) =>
    anEntry({ id: `much-${n}`, publisherId: "pub_secret", title: `t${n}`, body: said(`zyzzyva${n}`) }),
  );
  opened.write((index) => {
    for (const entry of mine) index.put(entry);
  });
  // Its body stays but for a word. SQLite kept the earlier list of places beside the new one, and showed it when that had gone.
  opened.write((index) => {
    for (const entry of mine) index.put({ ...entry, body: `${entry.body}vexillology` });
  });
  opened.write((index) => {
    for (const { id } of mine) index.remove(id);
  });
  erase(opened);
  expect(leftOf(opened)).toEqual([]);
});

it("no file but SQLite's own holds a word of a post", async () => {
  const opened = openBoard();
  await opened.index.close();
  const own = ["board.db", "board.db-wal", "board.db-shm"];
  expect(searchFiles(opened)).toEqual(["board.db-search"]);
  const others = bytesOf(opened.folder, (name) => !own.includes(name));
  expect(WORDS.filter((word) => others.includes(word))).toEqual([]);
  expect(leftOf(opened)).toEqual([...WORDS, SECRET.id, "vector"]);
  // A snapshot does hold vectors, so this look into the files would find a word.
  expect(others.includes(bytesOfVector(VECTOR))).toBe(true);
});

it("an erased publisher's posts are in no file, neither at once nor after the next snapshot", async () => {
  const opened = openBoard();
  await opened.index.close();
  const next = openIndex();
  next.index.follow();
  erase(next);
  expect(searchFiles(next)).toEqual([]);
  expect(leftOf(next)).toEqual([]);
  // Rows of removed posts stay in memory for a time.
  next.index.follow();
  await next.index.close();
  expect(searchFiles(next)).toEqual(["board.db-search"]);
  expect(leftOf(next)).toEqual([]);
});

it("an erased publisher's posts are in no file after the end of a process that asked nothing since", async () => {
  const opened = openBoard();
  erase(opened);
  await opened.index.close();
  expect(leftOf(opened)).toEqual([]);
});

it("an erased publisher's posts are in no file after the end of another process that did not know of it yet", async () => {
  const other = openBoard();
  await expect.poll(() => searchFiles(other)).toEqual(["board.db-search"]);
  // Another snapshot is due.
  other.write((index) => index.put(anEntry({ id: "one-more" })));
  other.index.follow();
  const opened = openIndex();
  erase(opened);
  await other.index.close();
  expect(leftOf(opened)).toEqual([]);
});

it("an erased publisher's posts are in no file after the end of a search thread", async () => {
  await openBoard(2_200).index.close();
  const opened = openIndex({ threadFrom: 1_000 });
  await opened.index.open();
  expect(opened.index.isThreaded).toBe(true);
  erase(opened);
  await opened.index.close();
  expect(searchFiles(opened)).toEqual(["board.db-search"]);
  expect(leftOf(opened)).toEqual([]);
});

it("an erased publisher's posts are in no file when the process that erased it died before it removed the snapshot", async () => {
  const opened = openBoard();
  await opened.index.close();
  const dying = openIndex();
  dying.database.exec("BEGIN IMMEDIATE");
  dying.index.remove(SECRET.id);
  dying.index.removePublisher("pub_secret");
  // The process dies before `committed`.
  dying.database.exec("COMMIT");
  expect(searchFiles(dying)).toEqual(["board.db-search"]);
  const next = openIndex();
  // Too few posts are left for a new snapshot that would take its place.
  next.write((index) => {
    for (let i = 0; i < 150; i += 1) index.remove(`p${String(i).padStart(6, "0")}`);
  });
  next.index.follow();
  expect(leftOf(next)).toEqual([]);
});

it("an erased publisher's posts are in no file when a snapshot was written after the publisher had gone and before its posts had", async () => {
  const opened = openBoard();
  // A replica hears of both in any order; a snapshot in between held the post and was kept.
  opened.write((index) => index.removePublisher("pub_secret"));
  await opened.index.close();
  expect(leftOf(opened)).toContain("vector");
  const next = openIndex();
  next.index.follow();
  next.write((index) => index.remove(SECRET.id));
  expect(searchFiles(next)).toEqual([]);
  next.index.follow();
  await next.index.close();
  expect(leftOf(next)).toEqual([]);
});

it("a snapshot that another process is writing does not come back", async () => {
  const opened = openBoard();
  await opened.index.close();
  const other = openIndex();
  const tables = new Tables(other.database, new OwnRows(other.database));
  const memory = new PostMemory(DIMENSION);
  const file = new SnapshotFile(join(opened.folder, "board.db"), "model");
  const { erasures } = tables.snapshotState();
  let kept: boolean | null = null;
  const writing = file.write(memory, "mark", () => {
    // What is being written when the post is erased must not be kept.
    erase(other);
    kept = tables.markSnapshot("mark", erasures);
    return kept;
  });
  expect(await writing).toBe(false);
  expect(kept).toBe(false);
  expect(searchFiles(opened)).toEqual([]);
  expect(tables.snapshotState()).toEqual({ mark: null, erasures: erasures + 1 });
});

it("a snapshot whose file was taken away while it was being written is given up", async () => {
  const opened = openBoard();
  await opened.index.close();
  const file = new SnapshotFile(join(opened.folder, "board.db"), "model");
  const keep = () => {
    erase(opened);
    return true;
  };
  expect(await file.write(new PostMemory(DIMENSION), "mark", keep)).toBe(false);
  expect(searchFiles(opened)).toEqual([]);
});
