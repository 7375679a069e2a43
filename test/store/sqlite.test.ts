import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DatabaseSync } from "../../src/platform/sqlite.ts";
import { VERSION } from "../../src/platform/version.ts";
import { StoreUnavailable } from "../../src/ports/store/index.ts";
import type { EmbeddedIndex } from "../../src/search/index/index.ts";
import { isBusy, isDamaged, sqliteCode } from "../../src/search/index/sqlite-errors.ts";
import type { StoreIndex } from "../../src/store/sqlite/database/connection.ts";
import { STORE_MIGRATIONS } from "../../src/store/sqlite/database/migrations.ts";
import sqlite, { openSqlite, type SqliteStore, sqliteIndex } from "../../src/store/sqlite/index.ts";
import { expectClosed } from "../contract/being-erased.ts";
import { turn } from "../contract/store/subject.ts";
import { eventually } from "../support/boards/client.ts";
import { aQuestion } from "../support/boards/questions.ts";
import { useFolderForEach } from "../support/run/temporary.ts";
import { aPost, aPublisher, aSubscription } from "../support/search/rows.ts";

const T0 = Date.UTC(2026, 10, 20, 12);
const ONE_PUSH = { limit: 1, perOrigin: 1, failing: 1, leaseMs: 1000, now: T0 };
const folder = useFolderForEach();
let file: string;
let store: SqliteStore | null = null;

beforeEach(() => {
  file = join(folder(), "board.db");
});
afterEach(async () => {
  await store?.close();
  store = null;
});

async function start(index?: StoreIndex): Promise<SqliteStore> {
  await store?.close();
  const url = `sqlite:${file}`;
  store = await (index === undefined ? sqlite.openStore(url) : openSqlite(url, { index }));
  return store;
}

/** As if the board had been made without one. */
const NO_INDEX: StoreIndex = {
  migrations: [],
  attach() {},
  replace() {},
  touch() {},
  touchPublisher() {},
  forgetPublisher() {},
  removeAllWords() {},
  committed() {},
  close: async () => {},
};
const anIndex = () => sqliteIndex({ modelId: "m", dimension: 16 });

describe("the embedded index", () => {
  it("keeps nothing of a write that failed", async () => {
    const index = anIndex();
    const { posts, publishers, connection } = await start(index);
    await publishers.insert(aPublisher("pub_a"));
    const replace = index.replace.bind(index);
    vi.spyOn(index, "replace").mockImplementation((...text) => {
      replace(...text);
      throw new Error("index is broken");
    });
    await expect(posts.insert(aPost("p"))).rejects.toThrow("index is broken");
    expect(await posts.get("p")).toBeNull();
    expect(connection.db.prepare("SELECT count(*) AS n FROM index_words_docsize").get()).toEqual({ n: 0 });
    expect((await publishers.get("pub_a"))?.postCount).toBe(0);
  });

  it("is filled from the board when it is new to the file or newer than it, and only then", async () => {
    const { posts, publishers } = await start(NO_INDEX);
    await publishers.insert(aPublisher("pub_a"));
    await Promise.all(Array.from({ length: 250 }, (_, n) => posts.insert(aPost(`p${n}`))));
    const vector = new Int8Array(16).fill(3);
    await posts.setVectors([{ id: "p7", updatedAt: T0, model: "m", vector }]);
    await posts.remove("p8", T0);
    await posts.update("p9", { state: "hidden" }, { text: false });

    const filled = async (index: EmbeddedIndex) => {
      const replace = vi.spyOn(index, "replace");
      await start(index);
      return replace.mock.calls.length;
    };
    const first = anIndex();
    expect(await filled(first)).toBe(248);
    expect(await first.ask("vectors", ["p7"])).toEqual([vector]);
    expect(await filled(anIndex())).toBe(0);

    const newer = anIndex();
    const migrations = [...newer.migrations, "ALTER TABLE index_change ADD COLUMN later TEXT"];
    expect(await filled(Object.assign(newer, { migrations }))).toBe(248);
    expect(await store?.reindex()).toBe(248);
    // Another version of Unicode has other words.
    const { settings } = store as SqliteStore;
    await settings.set("index_filled", "1.0");
    const sameAgain = anIndex();
    expect(await filled(Object.assign(sameAgain, { migrations }))).toBe(248);
    await store?.close();
    const said: string[] = [];
    const newest = Object.assign(anIndex(), { migrations: [...migrations, "SELECT 1"] });
    store = await openSqlite(`sqlite:${file}`, { index: newest, log: (line) => void said.push(line) });
    const copy = `${file}.before-${VERSION}-3`;
    expect(said).toEqual([
      `${file} is of an earlier release: upgrading it to ${VERSION}`,
      `${file} is upgraded. How it was before is kept in ${copy}: remove that when all is well`,
      "filling the search index; the board opens when that is done",
      "the search index is filled with 248 posts",
    ]);
  });
});

describe("the look at a file", () => {
  const found = async () => {
    const lines: string[] = [];
    for await (const { level, about, text } of sqlite.examine(`sqlite:${file}`))
      lines.push(`${level} ${about}: ${text}`);
    return lines;
  };
  /** Changes the file as another program does. */
  const change = (statement: string) => {
    const db = new DatabaseSync(file);
    db.exec(statement);
    db.close();
  };

  it("says that it will be made, or what there is to see to, and changes nothing", async () => {
    expect(await found()).toEqual([
      `ok database: ${file} is not there yet and will be made at the first start`,
    ]);
    expect(existsSync(file)).toBe(false);
    await (await start()).close();
    const [permissions, sound, journal] = [
      "ok permissions: only this board's user reads the file",
      "ok integrity: every page of the file is sound",
      "ok journal: write-ahead log",
    ];
    const known = STORE_MIGRATIONS.length;
    expect(await found()).toEqual([permissions, `ok schema: version ${known}`, sound, journal]);

    change("UPDATE agent_board_version SET version = version - 1 WHERE part = 'store'");
    const earlier = `ok schema: version ${known - 1}; the next start makes it ${known}, and keeps a copy of how it was`;
    expect(await found()).toEqual([permissions, earlier, sound, journal]);

    chmodSync(file, 0o604);
    const [early, first, third] = ["0.9.0", "0.10.0", "0.10.0-3"].map((name) => `${file}.before-${name}`);
    for (const name of [third, early, first, `${early}-wal`]) writeFileSync(name ?? "", "");
    const kept =
      "how the board was before an upgrade, with what was erased since: remove it when all is well";
    expect(await found()).toEqual([
      `warning permissions: every user of this machine may read ${file}: chmod 600 keeps its keys private`,
      earlier,
      `warning upgrade: ${early}, ${first}, ${third} keep ${kept}`,
      sound,
      journal,
    ]);
    for (const name of [third, early]) rmSync(name ?? "");
    expect((await found())[2]).toBe(`warning upgrade: ${first} keeps ${kept}`);
  });

  it("says of a newer one which release wrote it, and the way back", async () => {
    await (await start()).close();
    change("UPDATE agent_board_version SET version = version + 2 WHERE part = 'store'");
    change("UPDATE setting SET value = '9.8.7' WHERE name = 'program'");
    const known = STORE_MIGRATIONS.length;
    const versions = `store version ${known + 2}, this program (${VERSION}) knows ${known}`;
    const by = `${file} was written by Agent Board 9.8.7 (${versions}). Start that release; or, to lose what was written since,`;
    expect((await found())[1]).toBe(`problem schema: ${by} restore a backup that this release made.`);
    await expect(start()).rejects.toThrow(`${by} restore a backup that this release made.`);
    for (const n of ["", "-2"]) writeFileSync(`${file}.before-9.8.7${n}`, "");
    const copies = `${file}.before-9.8.7, ${file}.before-9.8.7-2`;
    expect((await found())[1]).toBe(
      `problem schema: ${by} put the copy that the upgrade kept (${copies}) in place of ${file}, without its -wal and -shm.`,
    );
    change("DELETE FROM setting WHERE name = 'program'");
    expect((await found())[1]).toBe(
      `problem schema: ${file} was written by another Agent Board (${versions}). Start that one: a newer to go on, one from before 0.1.0 to \`export\` the board and \`import\` it here.`,
    );
  });

  it("says of one of another program, an empty one or a broken one what to do", async () => {
    change("CREATE TABLE theirs (a)");
    chmodSync(file, 0o600);
    const permissions = "ok permissions: only this board's user reads the file";
    const theirs = `problem database: ${file} is a database of another program: point STORE_URL at another file`;
    expect(await found()).toEqual([permissions, theirs]);
    writeFileSync(file, "");
    const empty = `problem database: ${file} is empty: the next start makes a new board in it. Was there one? Restore a backup`;
    expect(await found()).toEqual([permissions, empty]);
    expect(await sqlite.exists(`sqlite:${file}`)).toBe(false);
    writeFileSync(file, "Dear diary, this is not a database.\n".repeat(200));
    const broken = `problem database: ${file} cannot be read (file is not a database): restore a backup`;
    expect(await found()).toEqual([permissions, broken]);
    expect(await sqlite.exists(`sqlite:${file}`)).toBe(true);
  });

  it("reads a setting, null without it, its table or the file", async () => {
    const setting = (name: string) => sqlite.setting(`sqlite:${file}`, name);
    expect(await setting("launched")).toBeNull();
    const { settings } = await start();
    await settings.set("launched", "2026-11-20");
    expect([await setting("launched"), await setting("landed")]).toEqual(["2026-11-20", null]);
    await store?.close();
    change("DROP TABLE setting");
    expect(await setting("launched")).toBeNull();
  });
});

describe("opening", () => {
  it("sets the file up so that an acknowledged write survives a loss of power", async () => {
    const { connection } = await start();
    const pragma = (name: string) => Object.values(connection.db.prepare(`PRAGMA ${name}`).get())[0];
    expect(["journal_mode", "synchronous", "foreign_keys", "secure_delete"].map(pragma)).toEqual([
      "wal",
      2,
      1,
      1,
    ]);
  });

  it("waits for the disk with each transaction that holds a promise, and with no other", async () => {
    const { connection } = await start();
    const { write, writeRelaxed, db } = connection;
    const syncing = (): number => db.prepare("PRAGMA synchronous").get().synchronous;
    expect(await writeRelaxed(syncing)).toBe(1);
    expect(await write(syncing)).toBe(2);
    expect(await Promise.all([writeRelaxed(syncing), write(syncing), writeRelaxed(syncing)])).toEqual([
      2, 2, 2,
    ]);
    // One that syncs comes while another process holds the file and the first waits for it.
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const relaxed = writeRelaxed(syncing);
    await turn();
    await turn();
    const kept = write(syncing);
    other.exec("COMMIT");
    other.close();
    expect([await relaxed, await kept]).toEqual([1, 2]);
  });

  it("is readable by its owner only, with the files beside it", async () => {
    await start();
    for (const name of ["board.db", "board.db-wal", "board.db-shm", "board-scratch.db"])
      expect(statSync(join(folder(), name)).mode & 0o077, name).toBe(0);
  });

  it("makes the folder, and takes relative paths and paths with spaces and percent signs", async () => {
    file = join(folder(), "a b", "100%", "board.db");
    await start();
    expect(existsSync(file)).toBe(true);
    expect(readdirSync(join(folder(), "a b", "100%"))).toContain("board-scratch.db");
  });

  it.each(["sqlite://data/board.db", "sqlite:", "sqlite:data/"])(
    "refuses %s with the form it should have",
    async (url) => {
      await expect(sqlite.openStore(url)).rejects.toThrow("STORE_URL must be sqlite:FILE");
    },
  );

  it("refuses a file that is no database, and leaves it as it is", async () => {
    writeFileSync(file, "Dear diary, this is not a database.\n".repeat(200));
    const before = readFileSync(file);
    await expect(start()).rejects.toThrow(/^\S+ is damaged or no database\. Restore a backup/);
    expect(readFileSync(file)).toEqual(before);
  });

  it("refuses a board whose pages are damaged, as soon as it reads one", async () => {
    await (await start()).close();
    store = null;
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0x55, 4096));
    await expect(start()).rejects.toThrow(/^\S+ is damaged or no database\. Restore a backup/);
  });

  it("refuses a database of another program, and leaves it as it is", async () => {
    const foreign = new DatabaseSync(file);
    foreign.exec("CREATE TABLE theirs (a)");
    foreign.close();
    const before = readFileSync(file);
    await expect(start()).rejects.toThrow(/is a database of another program/);
    expect(readFileSync(file)).toEqual(before);
  });

  it("refuses a folder where the file should be", async () => {
    file = folder();
    await expect(start()).rejects.toThrow(/cannot be opened/);
  });

  it("throws away a damaged scratch file, which holds nothing that must stay", async () => {
    await (await start()).close();
    writeFileSync(join(folder(), "board-scratch.db"), "x".repeat(10_000));
    const { limits } = await start();
    expect((await limits.add("k", 1, 1000, T0)).points).toBe(1);
  });

  it("takes no lock where all is in place, so a start does not wait for processes that write", async () => {
    await start(anIndex());
    await store?.settings.setOnce("launched", "2026-11-20");
    const writers = [file, join(folder(), "board-scratch.db")].map((each) => new DatabaseSync(each));
    for (const writer of writers) writer.exec("BEGIN IMMEDIATE; CREATE TABLE held (x)");
    // Waiting for the lock would end with an error after ten seconds.
    const opened = await openSqlite(`sqlite:${file}`, {
      index: anIndex(),
    });
    expect(await opened.settings.setOnce("launched", "2026-11-21")).toBe("2026-11-20");
    expect(await opened.finishErasures()).toBe(true);
    for (const writer of writers) {
      writer.exec("ROLLBACK");
      writer.close();
    }
    await opened.close();
  });

  it("waits, without blocking the event loop, while another process writes", async () => {
    const { publishers } = await start();
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    const waiting = publishers.insert(aPublisher("pub_a"));
    // The event loop turns while the lock is held; nothing is written.
    let turns = 0;
    while (turns < 20) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    expect(await publishers.get("pub_a")).toBeNull();
    other.exec("COMMIT");
    other.close();
    await waiting;
    expect(await publishers.get("pub_a")).not.toBeNull();
  });
});

it("what has ended is pruned: windows of limits, rankings and sign-ins, and no others", async () => {
  const { limits, rankings, signIns, pruneExpired } = await start();
  const signIn = { grantId: null, publisherId: null, payload: "{}", consumedAt: null };
  for (const [id, endsAt] of [["ended", T0] as const, ["lasting", T0 + 1] as const]) {
    await limits.add(id, 1, 10, endsAt - 10);
    await rankings.save({ id, ids: [], relevance: [], previous: null, expiresAt: endsAt });
    await signIns.put({ ...signIn, id, expiresAt: endsAt });
  }
  await pruneExpired?.(T0);
  const before = T0 - 1;
  const left = async (id: string) => [
    (await limits.add(id, 1, 10, before)).points,
    (await rankings.get(id, before))?.id,
    (await signIns.get(id, before))?.id,
  ];
  expect([await left("ended"), await left("lasting")]).toEqual([
    [1, undefined, undefined],
    [2, "lasting", "lasting"],
  ]);
});

it("what is read in steps is counted whole", async () => {
  const { publishers, subscriptions, statistics, connection } = await start(NO_INDEX);
  for (const id of ["pub_a", "pub_b"]) await publishers.insert(aPublisher(id));
  await subscriptions.insert(aSubscription("sub_1"), 50);
  // Every fifth is hidden, and the last is somebody else's.
  connection.db.exec(`
    INSERT INTO post (id, publisher_id, kind, expires_at, expiry_chosen, syndicated, reply_count, flags, fingerprint,
      input_hash, created_at, updated_at, state)
    WITH RECURSIVE post_no (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM post_no WHERE n < 4001)
    SELECT 'p' || n, CASE n WHEN 4001 THEN 'pub_b' ELSE 'pub_a' END, 'offer', ${T0} + n, 0, n % 2, 0, '[]', '00', '',
      ${T0} + n, ${T0}, CASE n % 5 WHEN 0 THEN 'hidden' ELSE 'active' END FROM post_no;
    INSERT INTO post_content (post, title, body, tags, metadata) SELECT seq, '', '', '["a"]', '{}' FROM post;
    INSERT INTO delivery (subscription, post, delivery_id, matched_at) SELECT 1, seq, seq, ${T0} + seq FROM post`);
  expect(await subscriptions.pendingCounts(["sub_1"])).toEqual(new Map([["sub_1", 3201]]));
  expect(await statistics.overview(T0 + 1, 1)).toMatchObject({
    ...{ activePosts: 4000, firstHand: 2000, syndicated: 2000, kinds: { offer: 4000 } },
    topTags: [{ tag: "a", count: 3200 }],
  });
  expect(await statistics.activePublishers(T0, T0 + 9_999)).toBe(2);
  expect(await subscriptions.pruneDeliveries(T0 + 9_999, 3_000)).toBe(3_000);
  expect(await subscriptions.pendingCounts(["sub_1"])).toEqual(new Map([["sub_1", 801]]));
  expect(await subscriptions.pruneDeliveries(T0 + 9_999, 3_000)).toBe(1_001);
});

describe("a file that is no longer where it was", () => {
  it("is not written to, until the same file is put back", async () => {
    const { publishers, ping } = await start();
    await publishers.insert(aPublisher("pub_a"));
    const gone = {
      message:
        "the files of the database were moved, deleted or replaced while the board runs: put the same files back, or stop the board and restore a backup",
    };
    const moved = `${file}-moved`;
    const write = () => publishers.update("pub_a", { name: "New" });
    for (const name of [file, `${file}-wal`, `${file}-shm`]) {
      renameSync(name, moved);
      await expect(write(), name).rejects.toMatchObject(gone);
      expect(await ping()).toMatchObject({ unwritable: gone });
      expect(await publishers.get("pub_a")).not.toBeNull();
      // Another in its place is no better.
      copyFileSync(moved, name);
      await expect(write(), name).rejects.toMatchObject(gone);
      renameSync(moved, name);
      await write();
      expect(await ping()).toEqual({ unwritable: null });
    }
  });
});

describe("an error of SQLite", () => {
  const withCode = (errcode: number) => Object.assign(new Error("of SQLite"), { errcode });

  it.each<[number, string, number]>([
    [5, "database is locked", 5 + 256],
    [8, "attempt to write a readonly database", 8 + 4 * 256],
    [10, "disk I/O error", 10 + 3 * 256],
    [11, "database disk image is malformed", 11 + 256],
    [13, "database or disk is full", 13],
    [14, "unable to open database file", 14 + 2 * 256],
    [26, "file is not a database", 26],
  ])("has the code %i, by its text %j or its longer code", (code, text, longer) => {
    const errors = [withCode(longer), Object.assign(new Error(text), { code: "ERR_SQLITE_ERROR" })];
    expect(errors.map(sqliteCode)).toEqual([code, code]);
    expect(errors.map(isBusy)).toEqual([code === 5, code === 5]);
    expect(errors.map(isDamaged)).toEqual(Array(2).fill(code === 11 || code === 26));
    for (const other of [new Error(text), text, Object.assign(new Error("x"), { code: "ERR_SQLITE_ERROR" })])
      expect(sqliteCode(other)).toBeNull();
  });

  it("is told as what can be done about it, and the file is tried again unless it is damaged", async () => {
    const { connection, ping, publishers } = await start();
    const told = (errcode: number) => {
      try {
        return connection.reported(withCode(errcode));
      } catch (error) {
        return error;
      }
    };
    for (const [code, text] of [
      [5, "another process has held the database for too long"],
      [8, "the database file is read-only"],
      [10, "the disk failed"],
      [13, "the disk is full"],
      [14, "the database file cannot be opened"],
    ] as const) {
      const failure = told(code);
      expect(failure).toBeInstanceOf(StoreUnavailable);
      expect(failure).toMatchObject({ message: text, cause: { errcode: code } });
      expect(await ping()).toEqual({ unwritable: null });
    }
    expect(told(1)).toMatchObject({ message: "of SQLite", errcode: 1 });
    await publishers.insert(aPublisher("pub_a"));
    const damaged = "the database file is damaged: restore a backup";
    expect(told(26)).toMatchObject({
      message: "the database file is no database any more: restore a backup",
    });
    expect(told(11)).toMatchObject({ message: damaged });
    await expect(ping()).rejects.toThrow(damaged);
    await expect(publishers.insert(aPublisher("pub_b"))).rejects.toThrow(damaged);
  });
});

describe("writes that meet others", () => {
  it("wait ten seconds for another process, then fail, and do not count as a fault of the file", async () => {
    const { publishers, ping, connection } = await start();
    const other = new DatabaseSync(file);
    const tries = vi.spyOn(connection.db, "exec");
    const triedAgain = (before = tries.mock.calls.length) =>
      eventually(
        async () => tries.mock.calls.length,
        (count) => count > before,
      );
    vi.useFakeTimers({ toFake: ["performance"] });
    for (const [id, waitedMs] of [
      ["pub_a", 9_999],
      ["pub_b", 10_001],
    ] as const) {
      other.exec("BEGIN IMMEDIATE");
      const written = publishers.insert(aPublisher(id)).then(
        () => "written",
        ({ message }) => message,
      );
      await triedAgain();
      vi.advanceTimersByTime(waitedMs);
      await triedAgain();
      if (waitedMs > 10_000) expect(await written).toBe("another process has held the database for too long");
      other.exec("COMMIT");
      if (waitedMs < 10_000) expect(await written).toBe("written");
    }
    other.close();
    vi.useRealTimers();
    tries.mockRestore();
    expect(await ping()).toEqual({ unwritable: null });
  });

  it("share a transaction, 256 of them at most, and are refused where 20,000 wait", async () => {
    let commits = 0;
    const committed = () => {
      commits += 1;
    };
    const { connection } = await start({ ...NO_INDEX, committed });
    commits = 0;
    const writes = Array.from({ length: 20_000 }, () => connection.write(() => {}));
    await expect(connection.write(() => {})).rejects.toThrow("the queue of writes is full");
    await Promise.all(writes);
    expect(commits).toBeGreaterThanOrEqual(Math.ceil(20_000 / 256));
    expect(commits).toBeLessThan(20_000);
  });
});

describe("erasing a publisher", () => {
  const inFiles = (text: string) =>
    readdirSync(folder()).filter((name) => readFileSync(join(folder(), name)).includes(text));

  it("leaves no byte of its text in any file", async () => {
    const { posts, publishers, subscriptions, pushes, reports, rankings, limits } = await start(NO_INDEX);
    await publishers.insert(aPublisher("pub_a", { name: "XYZZYNAME", description: "XYZZYABOUT" }));
    await publishers.insert(aPublisher("pub_b"));
    // Edits, growing texts, removals and neighbours of others, so that pages are split, merged and used again.
    const text = (n: number) => `XYZZY${n} `.repeat(1 + ((n * 7919) % 400));
    const ids = Array.from({ length: 300 }, (_, n) => n);
    for (let start = 0; start < ids.length; start += 100) {
      await Promise.all(
        ids.slice(start, start + 100).flatMap((n) => [
          posts.insert(
            aPost(`a${n}`, {
              title: text(n),
              body: text(n + 1),
              tags: [`XYZZYtag${n % 50}`],
              metadata: { k: text(n) },
            }),
          ),
          posts.insert(
            aPost(`b${n}`, {
              publisherId: "pub_b",
              body: "theirs ".repeat((n * 31) % 500),
              tags: [`t${n}`],
            }),
          ),
        ]),
      );
      await Promise.all(
        ids
          .slice(start, start + 100)
          .filter((n) => n % 3 === 0)
          .map((n) => posts.update(`a${n}`, { body: text(n + 5) }, { text: true })),
      );
      for (const n of ids.slice(start, start + 100).filter((m) => m % 9 === 0))
        await posts.remove(`b${n}`, T0);
    }
    await posts.insert(aPost("a1-1", { parentId: "a1", publisherId: "pub_b", body: "XYZZYREPLY" }));
    await subscriptions.insert(
      aSubscription("sub_a", {
        label: "XYZZYLABEL",
        query: { q: "XYZZYQUERY" },
        webhookUrl: "https://a.example/XYZZYPATH",
        webhookVerifiedAt: T0,
      }),
      50,
    );
    await subscriptions.deliver(
      ids.map((n) => ({ subscriptionId: "sub_a", postId: `b${n}`, matchedAt: T0 })),
      [],
    );
    expect(await pushes.claim({ ...ONE_PUSH, limit: 5, perOrigin: 5 })).toHaveLength(5);
    await reports.upsert({
      id: "rep_1",
      postId: "b1",
      reporter: "key:pub_a",
      addresses: ["addr:1"],
      reason: "other",
      details: "XYZZYDETAILS",
      createdAt: T0,
    });
    await rankings.save({ id: "r", ids: ["a1"], relevance: [1], previous: null, expiresAt: T0 + 9 });
    await limits.add("write:pub_a", 1, 1000, T0);
    expect(inFiles("XYZZY")).not.toEqual([]);

    await publishers.erase("pub_a");
    expect(inFiles("XYZZY")).toEqual([]);
    expect((await publishers.get("pub_b"))?.postCount).toBe(300 - 34);
    expect(await posts.get("b1")).not.toBeNull();
  });

  it("takes its posts out of the search and what is told of them at once, and its id out of the index in the end", async () => {
    const index = anIndex();
    const { posts, publishers, subscriptions, inbox, statistics, connection } = await start(index);
    for (const id of ["pub_a", "pub_b"]) await publishers.insert(aPublisher(id, { verifiedAt: T0 }));
    const ids = Array.from({ length: 200 }, (_, n) => `p${n}`);
    await Promise.all(ids.map((id) => posts.insert(aPost(id))));
    await posts.insert(aPost("b", { publisherId: "pub_b" }));
    await posts.insert(aPost("p98-1", { publisherId: "pub_b", parentId: "p98" }));
    await subscriptions.insert(aSubscription("sub_b", { publisherId: "pub_b" }), 50);
    const matches = ["p99", "p98-1", "b"].map((postId) => ({
      subscriptionId: "sub_b",
      postId,
      matchedAt: T0,
    }));
    await subscriptions.deliver(matches, []);
    const found = () => index.ask("count", aQuestion({ filter: { verifiedOnly: true } }));
    expect(await found()).toBe(201);
    const erased = publishers.erase("pub_a");
    while ((await publishers.get("pub_a")) !== null) await turn();
    expect([await found(), (await posts.many(["p99", "p98-1"])).length]).toEqual([1, 2]);
    expect(await index.ask("count", aQuestion({}))).toBe(1);
    expect((await subscriptions.pending("sub_b", 0, 9)).map(({ post }) => post.id)).toEqual(["b"]);
    expect(await subscriptions.pendingCounts(["sub_b"])).toEqual(new Map([["sub_b", 1]]));
    expect((await inbox.read("pub_b", 0, 9)).map(({ postId }) => postId)).toEqual(["b"]);
    expect((await statistics.counts(T0)).publishers).toBe(1);
    expect(await erased).toEqual({ posts: 200, subscriptions: 0, complete: true });
    const named = "SELECT count(*) AS n FROM index_change WHERE publisher_id = 'pub_a'";
    expect([await found(), connection.db.prepare(named).get()]).toEqual([1, { n: 0 }]);
  });

  it("empties the log once a reader elsewhere has ended that kept it, though nobody asks again", async () => {
    const { posts, publishers } = await start();
    await publishers.insert(aPublisher("pub_a"));
    await posts.insert(aPost("p", { title: "XYZZY" }));
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM post").get();
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    await posts.remove("p", T0);
    expect(await posts.erase({ expired: 0, removed: T0 + 1 }, 9)).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    reader.exec("COMMIT");
    reader.close();
    await vi.advanceTimersByTimeAsync(1_999);
    expect(inFiles("XYZZY")).toEqual(["board.db-wal"]);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    await expect.poll(() => inFiles("XYZZY")).toEqual([]);
  });

  it("leaves nothing of a saved query that is removed, however much came of it", async () => {
    const { publishers, subscriptions, connection } = await start();
    await publishers.insert(aPublisher("pub_a"));
    await subscriptions.insert(aSubscription("sub_1"), 50);
    connection.db.exec(`INSERT INTO push (subscription, delivery_id, post_id, matched_at, state, attempts)
      WITH RECURSIVE push_no (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM push_no WHERE n < 4001)
      SELECT (SELECT seq FROM subscription), n, 'p', 0, 'delivered', 1 FROM push_no`);
    await subscriptions.remove("sub_1");
    expect(connection.db.prepare("SELECT count(*) AS n FROM push").get()).toEqual({ n: 0 });
  });

  it("drops the text of a removed post from the log, too", async () => {
    const store = await start();
    await store.publishers.insert(aPublisher("pub_a"));
    await store.posts.insert(aPost("p", { title: "XYZZY" }));
    await store.posts.remove("p", T0);
    expect(await store.finishErasures()).toBe(true);
    expect(inFiles("XYZZY")).toEqual([]);
  });

  it("forgets with the deliveries which series a saved query was told of", async () => {
    const { posts, publishers, subscriptions, connection } = await start();
    await publishers.insert(aPublisher("pub_a"));
    await subscriptions.insert(aSubscription("sub_1"), 50);
    for (const n of [1, 2]) {
      await posts.insert(aPost(`p${n}`));
      const match = { subscriptionId: "sub_1", postId: `p${n}`, matchedAt: T0 };
      await subscriptions.deliver([{ ...match, series: { key: `series ${n}`, endsAt: T0 + n } }], []);
    }
    await subscriptions.pruneDeliveries(T0 + 2, 10);
    const left = connection.db.prepare("SELECT series FROM told_series").all();
    expect(left.map(({ series }) => series)).toEqual(["series 2"]);
  });

  it("goes on after a restart where a crash interrupted it", async () => {
    const { posts, publishers, subscriptions, connection } = await start();
    for (const id of ["pub_a", "pub_b"]) await publishers.insert(aPublisher(id));
    await posts.insert(aPost("p", { body: "XYZZY" }));
    await posts.insert(aPost("p_pub_b", { publisherId: "pub_b" }));
    await subscriptions.insert(aSubscription("sub_a"), 50);
    // The state after the first transaction of an erasure.
    connection.db.exec("UPDATE publisher SET erasing = 1, key_hash = 'erased' WHERE id = 'pub_a'");
    await expectClosed(store as SqliteStore);
    const again = await start();
    expect(await again.posts.get("p")).toBeNull();
    expect(inFiles("XYZZY")).toEqual([]);
  });
});
