import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { VERSION } from "../../src/platform/version.ts";
import { connectMongodb } from "../../src/store/mongodb/database/connection.ts";
import {
  migrateMongodb,
  SCHEMA_VERSION,
  type Step,
} from "../../src/store/mongodb/database/schema/migrations.ts";
import { openStore } from "../../src/store/open.ts";
import { connectSqlite } from "../../src/store/sqlite/database/connection.ts";
import { STORE_MIGRATIONS } from "../../src/store/sqlite/database/migrations.ts";
import { migrateSqlite } from "../../src/store/sqlite/database/upgrade.ts";
import { exportTo } from "../contract/transfer.contract.ts";
import { startBoard } from "../support/boards/board.ts";
import { call } from "../support/boards/client.ts";
import {
  RECORDED_AT,
  recorded,
  recordedKeys,
  restoreDocuments,
  unzipped,
} from "../support/boards/recorded.ts";
import { useFolder } from "../support/boards/use.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";

/** The rows of the recorded export, in the order and form that an export of today gives them. */
const KNOWN = ["embedding_model", "launched", "secret_key_check"];
const exported = () =>
  readFileSync(recorded("0.1.0.export.jsonl"), "utf8").trimEnd().split("\n").slice(1, -1);
/** Fields that a later release added have no place in an older recording. */
function withFieldsOf(line: string, known: Map<string, readonly string[]>): string {
  const [kind = "", row] = Object.entries(JSON.parse(line) as Record<string, object>)[0] ?? [];
  const fields = known.get(kind) ?? [];
  const kept = Object.entries(row ?? {}).filter(([field]) => fields.includes(field));
  return JSON.stringify({ [kind]: Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1))) });
}
const isOurs = (line: string) =>
  !line.startsWith('{"setting"') || KNOWN.some((name) => line.includes(`"name":"${name}"`));

function comparable(lines: readonly string[]): string[] {
  const known = new Map<string, readonly string[]>();
  for (const line of exported()) {
    const [kind = "", row = {}] = Object.entries(JSON.parse(line) as Record<string, object>)[0] ?? [];
    known.set(kind, Object.keys(row));
  }
  // A board that took over another's export keeps its own check of the secret key.
  return lines
    .filter(isOurs)
    .filter((line) => !line.includes("secret_key_check"))
    .map((line) => withFieldsOf(line, known))
    .sort();
}

/** Fields that 0.1.0 did not have say what its boards did. */
function expectLateFields(lines: readonly string[]): void {
  const rows = (kind: string) => lines.flatMap((line) => JSON.parse(line)[kind] ?? []);
  const [posts, subscriptions] = [rows("post"), rows("subscription")];
  for (const all of [posts, subscriptions, rows("delivery"), rows("inbox")]) expect(all).not.toEqual([]);
  const late = { breadth: "close", changes: true, webhookRefusal: null };
  for (const row of subscriptions)
    expect(row).toMatchObject({ ...late, savedNo: row.createdAt - 8_640_000_000_000_000 });
  for (const row of posts)
    expect(row).toMatchObject({ change: null, writtenNo: row.createdAt - 8_640_000_000_000_000 });
  for (const row of [...rows("delivery"), ...rows("inbox")]) expect(row.change).toBeNull();
  for (const row of rows("publisher")) expect(row.recovery).toBeNull();
}

/** The recorded board answers its publishers and shows their posts. */
async function expectAnswers(environment: Record<string, string>, dataDir: string): Promise<void> {
  const { secret_key: SECRET_KEY, keys, ids } = recordedKeys("0.1.0");
  const board = await startBoard({ SECRET_KEY, ...environment }, { dataDir, clock: () => RECORDED_AT });
  try {
    for (const key of Object.values(keys))
      expect((await call(board, "GET /publishers/me", undefined, { key })).status).toBe(200);
    const statuses = ids.flatMap((id) => (id === null ? [] : [call(board, `GET /posts/${id}`)]));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([
      200, 200, 404, 200, 200, 200, 200,
    ]);
    // The index of 0.1.0 had a copy of each post, which is gone; what it found is found.
    const { title } = (await call(board, `GET /posts/${ids[0]}`)).body.data;
    const { data } = (await call(board, `GET /search?q=${encodeURIComponent(`"${title}"`)}`)).body;
    expect(data.map(({ id }: { id: string }) => id)).toContain(ids[0]);
  } finally {
    await board.stop();
  }
}

describe("a folder of 0.1.0", () => {
  const folder = useFolder();
  const file = join(folder, "board.db");
  const later = [...STORE_MIGRATIONS, "ALTER TABLE post ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'"];
  const copies = () =>
    readdirSync(folder)
      .filter((name) => /\.before-[\d.]+(-\d)?$/.test(name))
      .sort();
  const rows = async (url = `sqlite:${file}`) => {
    const store = await openStore(url, () => {});
    try {
      return await exportTo(store, join(folder, "rows.jsonl"));
    } finally {
      await store.close();
    }
  };
  /** Opens the file as a release with these steps does. */
  const upgrade = async (steps: readonly string[], said: string[] = []) => {
    const connection = await connectSqlite(file, "full");
    try {
      await migrateSqlite(connection, file, [{ name: "store", steps }], (line) => void said.push(line));
    } finally {
      await connection.close();
    }
  };
  beforeEach(() => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    writeFileSync(file, unzipped("0.1.0.board.db.gz"));
  });

  it("opens with everything in it, and answers", async () => {
    const there = await rows();
    expect(comparable(there)).toEqual(comparable(exported()));
    expectLateFields(there);
    await expectAnswers({}, folder);
  });

  it("is upgraded in place, and the log names the copy of how it was", async () => {
    const said: string[] = [];
    await upgrade(later, said);
    const [copy = "", ...others] = copies();
    expect(others).toEqual([]);
    expect(said).toEqual([
      expect.stringContaining(`is of an earlier release: upgrading it to ${VERSION}`),
      expect.stringContaining(join(folder, copy)),
    ]);
    expect(statSync(join(folder, copy)).mode & 0o777).toBe(0o600);
    // A second start finds it done.
    await upgrade(later, said);
    expect([copies().length, said.length]).toEqual([1, 2]);
    // Opening the copy upgrades it in turn.
    expect(comparable(await rows(`sqlite:${join(folder, copy)}`))).toEqual(comparable(exported()));
  });

  it("is refused by the earlier release afterwards, which names the way back, and that works", async () => {
    await upgrade(later);
    const copy = join(folder, copies()[0] ?? "");
    await expect(rows()).rejects.toThrow(
      `was written by Agent Board ${VERSION} (store version ${later.length}, this program (${VERSION}) knows ${STORE_MIGRATIONS.length})`,
    );
    await expect(rows()).rejects.toThrow(`put the copy that the upgrade kept (${copy}) in place of ${file}`);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
    copyFileSync(copy, file);
    expect(comparable(await rows())).toEqual(comparable(exported()));
  });

  it("stays as it was when the last of several steps fails, and no copy is left", async () => {
    const failing = [...later, "ALTER TABLE nowhere ADD COLUMN a TEXT"];
    await expect(upgrade(failing)).rejects.toThrow(
      /cannot be upgraded to \S+ \(no such table: nowhere\). Nothing in it was changed/,
    );
    expect(copies()).toEqual([]);
    expect(comparable(await rows())).toEqual(comparable(exported()));
  });

  it("is upgraded once when two open it together", async () => {
    await Promise.all([upgrade(later), upgrade(later)]);
    expect(copies()).toHaveLength(1);
  });

  it("keeps the copies of several upgrades apart, and none for a new board", async () => {
    await upgrade(later);
    const more = ["tone", "tempo"].map((column) => `ALTER TABLE post ADD COLUMN ${column} TEXT`);
    await upgrade([...later, ...more.slice(0, 1)]);
    await upgrade([...later, ...more]);
    expect(copies()).toEqual(["", "-2", "-3"].map((n) => `board.db.before-${VERSION}${n}`));
    const other = join(folder, "new.db");
    await (await openStore(`sqlite:${other}`)).close();
    expect(existsSync(other)).toBe(true);
    expect(copies()).toHaveLength(3);
  });
});

const database = await mongodbFor("replicaSet", "upgrades");
describe.skipIf(database === null)("a database of 0.1.0", () => {
  if (database === null) return;
  const { db, url } = database;
  const folder = useFolder();
  const first: Step[] = [
    { collection: "posts", where: { mood: null }, update: [{ $set: { mood: "calm" } }] },
  ];
  const wrong: Step[] = [
    { collection: "posts", where: {}, update: [{ $set: { n: { $divide: ["$title", 2] } } }] },
  ];
  const rows = async () => {
    const store = await openStore(url, () => {});
    try {
      return await exportTo(store, join(folder, "rows.jsonl"));
    } finally {
      await store.close();
    }
  };
  const upgrade = async (steps: Step[][], said: string[] = []) => {
    const connection = await connectMongodb(url);
    try {
      await migrateMongodb(connection, url, (line) => void said.push(line), steps);
    } finally {
      await connection.close();
    }
  };
  const names = async () =>
    (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  beforeEach(() => restoreDocuments(db, "0.1.0.mongodb.jsonl.gz"));
  afterEach(() => database.wipe());
  afterAll(() => database.drop());
  /** Steps that a database of 0.1.0 lacks today; a later release has more. */
  const today: Step[][] = Array.from({ length: SCHEMA_VERSION - 2 }, () => []);

  it("opens with everything in it, and answers", async () => {
    const there = await rows();
    expect(comparable(there)).toEqual(comparable(exported()));
    expectLateFields(there);
    await expectAnswers({ STORE_URL: url }, folder);
  });

  it("is upgraded in place, and the log names the copies of how it was", async () => {
    const said: string[] = [];
    await Promise.all([upgrade([...today, first], said), upgrade([...today, first], said)]);
    const posts = await db.collection("posts").find().toArray();
    expect(posts.length).toBeGreaterThan(1);
    expect(posts.filter((post) => post["mood"] !== "calm")).toEqual([]);
    const begin = `before_${VERSION.replaceAll(".", "_")}_`;
    expect(said).toEqual([
      expect.stringMatching(/^the database is of an earlier release \(version 2\)/),
      expect.stringContaining(`in the collections ${begin}*`),
    ]);
    const kept = await db.collection(`${begin}posts`).find().toArray();
    expect(kept.map(({ _id }) => String(_id)).sort()).toEqual(posts.map(({ _id }) => String(_id)).sort());
    expect(kept.filter((post) => "mood" in post)).toEqual([]);
  });

  it("takes each step once, from one release to the next", async () => {
    const runs = { $add: [{ $ifNull: ["$runs", 0] }, 1] };
    const counted: Step[] = [{ collection: "posts", where: {}, update: [{ $set: { runs } }] }];
    await upgrade([...today, counted]);
    await upgrade([...today, counted, first]);
    const posts = await db.collection("posts").find().toArray();
    expect(new Set(posts.map((post) => `${post["runs"]} ${post["mood"]}`))).toEqual(new Set(["1 calm"]));
  });

  it("is refused by the earlier release afterwards, which names the way back, and that works", async () => {
    await upgrade([...today, first, first]);
    await expect(rows()).rejects.toThrow(/was written by Agent Board .* \(collections before_\*\) back/);
    // As docs/mongodb.md says.
    for (const name of await names()) {
      const own = name.replace(/^before_\d+_\d+_\d+_/, "");
      if (own !== name) await db.renameCollection(name, own, { dropTarget: true });
    }
    expect(comparable(await rows())).toEqual(comparable(exported()));
    expect(await db.collection("publishers").indexExists("key")).toBe(true);
  });

  it("stays as it was when the last of several steps fails", async () => {
    await expect(upgrade([...today, first, wrong])).rejects.toThrow(
      /cannot be upgraded to \S+ \(posts: error \d+\). Nothing in it was changed/,
    );
    expect((await names()).filter((name) => name.startsWith("before_"))).toEqual([]);
    expect(comparable(await rows())).toEqual(comparable(exported()));
  });

  it("goes on where an upgrade was cut off, and keeps the copies of before", async () => {
    await upgrade([...today, first]);
    await db.collection<{ _id: string }>("meta").updateOne({ _id: "schema" }, { $set: { version: 2 } });
    await upgrade([...today, first]);
    const kept = await db
      .collection(`before_${VERSION.replaceAll(".", "_")}_posts`)
      .find()
      .toArray();
    expect(kept.filter((post) => "mood" in post)).toEqual([]);
  });
});
