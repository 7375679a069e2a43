import { type Document, Long } from "mongodb";
import { afterEach, describe, expect, it } from "vitest";
import { VERSION } from "../../src/platform/version.ts";
import { COLLECTIONS } from "../../src/store/mongodb/database/context.ts";
import { INDEXES } from "../../src/store/mongodb/database/schema/indexes.ts";
import { SCHEMA_VERSION } from "../../src/store/mongodb/database/schema/migrations.ts";
import mongodb from "../../src/store/mongodb/index.ts";
import { CommandServer, failure, HELLO } from "../support/mongodb/command-server.ts";
import { T0 } from "../support/search/rows.ts";

const OK = { ok: 1 };
const REFUSES =
  "refuses this user: look at name, password, authSource and roles (readWrite and dbAdmin on its database)";
const servers: CommandServer[] = [];

/** What a sound server answers, by the command; the database is a board of this release. */
const SOUND: Record<string, (command: Document) => Document> = {
  hello: () => ({
    ...HELLO,
    maxWireVersion: 25,
    logicalSessionTimeoutMinutes: 30,
    setName: "rs0",
    hosts: ["a.example:1", "b.example:1"],
    localTime: new Date(T0),
  }),
  buildInfo: () => ({ ...OK, version: "8.0.4" }),
  // A trial that was taken back is not found.
  find: ({ filter }) => batchOf("meta", filter._id === "schema" ? [schema(SCHEMA_VERSION)] : []),
  listCollections: () => batchOf("$cmd.listCollections", names([...COLLECTIONS, "meta"])),
  listIndexes: ({ listIndexes }) => batchOf(listIndexes, INDEXES[listIndexes as "posts"]),
  aggregate: () => streamOf("firstBatch"),
  getMore: () => streamOf("nextBatch"),
  findAndModify: ({ query, update }) => ({
    ...OK,
    value: { _id: query._id, owner: update[0].$set.owner.$cond[1].$literal, fence: 1 },
  }),
};

/** The URL of a database on a server that answers so. */
const urlOf = async (answers: Partial<typeof SOUND> = {}, user = "") => {
  const server = await CommandServer.start(async (command) => {
    const [name = ""] = Object.keys(command);
    const said = { ...SOUND, ...answers };
    const known = name.toLowerCase() === "ismaster" ? "hello" : name;
    return (said[known] ?? (() => ({ ...OK, n: 1 })))(command);
  });
  servers.push(server);
  return `mongodb://${user}127.0.0.1:${server.port}/board?directConnection=true&minPoolSize=0`;
};

/** All that is found there, each as `level about: text`. */
const examined = async (
  answers: Partial<typeof SOUND> = {},
  { user = "", now = T0 }: { user?: string; now?: number } = {},
) => {
  const url = await urlOf(answers, user);
  const found: string[] = [];
  for await (const { level, about, text } of mongodb.examine(url, () => now))
    found.push(`${level} ${about}: ${text.replace(/^[\d.]+ ms until/, "some ms until")}`);
  return found;
};

const schema = (version: number) => ({ _id: "schema", version });
const names = (list: readonly string[]) => list.map((name) => ({ name, type: "collection" }));
const batchOf = (collection: string, firstBatch: readonly Document[]) => ({
  ...OK,
  cursor: { id: Long.ZERO, ns: `board.${collection}`, firstBatch },
});
const streamOf = (batch: string) => ({
  ...OK,
  cursor: { id: Long.ONE, ns: "board.meta", [batch]: [], postBatchResumeToken: { _data: "1" } },
});

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe("a database that is no open board", () => {
  it("tells whether there is anything in it, and a setting", async () => {
    const empty = await urlOf({ listCollections: () => batchOf("$cmd.listCollections", []) });
    expect([await mongodb.exists(await urlOf()), await mongodb.exists(empty)]).toEqual([true, false]);
    const settings = { board_id: "the id", secret_key: "the key" };
    const url = await urlOf({
      find: ({ find, filter: { _id } }) =>
        batchOf(
          find,
          find === "settings" && _id in settings ? [{ _id, value: settings[_id as "board_id"] }] : [],
        ),
    });
    const asked = ["secret_key", "board_id", "none"].map((name) => mongodb.setting(url, name));
    expect(await Promise.all(asked)).toEqual(["the key", "the id", null]);
  });
});

describe("what is found at a server of MongoDB", () => {
  const [SERVER, CLOCK] = [
    "ok database: MongoDB 8.0.4 (wire version 25), replica set rs0 of 2 members",
    "ok clock: 0 ms from the server's",
  ];
  const WORKS = [
    "ok transactions: work, and changes can be followed",
    "ok indexes: all there",
    "ok writes: some ms until a majority has a write",
  ];

  it("is a board in order", async () => {
    expect(await examined()).toEqual([SERVER, CLOCK, `ok schema: version ${SCHEMA_VERSION}`, ...WORKS]);
  });

  it.each([
    [{ setName: undefined, hosts: undefined, msg: "isdbgrid" }, "ok database: *, sharded cluster"],
    [
      { hosts: ["a.example:1"] },
      "warning database: *, replica set rs0 of one member: when it fails, the board does",
    ],
    [
      { hosts: ["a.example:1"], passives: ["b.example:1"], arbiters: ["c.example:1"] },
      "ok database: *, replica set rs0 of 2 members",
    ],
  ])("is what kind of server it is: %j", async (said, text) => {
    const [server] = await examined({ hello: () => ({ ...SOUND["hello"]?.({}), ...said }) });
    expect(server).toBe(text.replace("*", "MongoDB 8.0.4 (wire version 25)"));
  });

  it.each([
    [2_000, "ok clock: 2000 ms from the server's"],
    [-2_000, "ok clock: -2000 ms from the server's"],
    [2_001, "problem clock: 2.0 s from the server's: keep all machines in time, as by NTP"],
    [-90_000, "problem clock: -90.0 s from the server's: keep all machines in time, as by NTP"],
  ])("is a clock that is %d ms ahead of the server's", async (ms, text) => {
    expect((await examined({}, { now: T0 + ms }))[1]).toBe(text);
  });

  it("is a board of an earlier release, and what its upgrades kept", async () => {
    const copies = ["posts", "meta"].flatMap((name) => [`before_0_1_0_${name}`, `before_0_2_0_${name}`]);
    const found = await examined({
      find: ({ filter }) => batchOf("meta", filter._id === "schema" ? [schema(SCHEMA_VERSION - 1)] : []),
      listCollections: () => batchOf("$cmd.listCollections", names([...COLLECTIONS, ...copies, "before"])),
    });
    const kept = (begin: string) =>
      `warning upgrade: the collections ${begin}* keep how the board was before an upgrade, with what was erased since: remove them when all is well`;
    expect(found).toEqual([
      SERVER,
      CLOCK,
      `ok schema: version ${SCHEMA_VERSION - 1}; the next start makes it ${SCHEMA_VERSION}, and keeps a copy of how it was`,
      kept("before_0_1_0_"),
      kept("before_0_2_0_"),
      ...WORKS,
    ]);
  });

  it.each([
    [[], "ok schema: the database is empty; the first start makes a board of it"],
    [
      ["orders"],
      "problem schema: the database is not empty and holds no board: name another one in STORE_URL's path",
    ],
  ])("is a database without a board, with the collections %j", async (collections, text) => {
    const found = await examined({
      find: () => batchOf("meta", []),
      listCollections: () => batchOf("$cmd.listCollections", names(collections)),
    });
    expect(found).toEqual([SERVER, CLOCK, text]);
  });

  it("is every index that is missing, and what brings it back", async () => {
    const missing = ["publishers.key", "deliveries.post"];
    const found = await examined({
      listIndexes: ({ listIndexes: name }) =>
        batchOf(
          name,
          INDEXES[name as "posts"].filter((index) => !missing.includes(`${name}.${index.name}`)),
        ),
    });
    expect(found.slice(-2)).toEqual([
      'problem indexes: missing: publishers.key, deliveries.post; db.meta.updateOne({_id: "schema"}, {$set: {version: 0}}) lets the next start make them',
      WORKS[2],
    ]);
  });

  it.each([
    [
      "takes back no transaction",
      { find: ({ filter }: Document) => batchOf("meta", [{ ...schema(SCHEMA_VERSION), ...filter }]) },
      "The database does not take back a transaction. A board needs MongoDB itself.",
    ],
    [
      "gives no stream of changes",
      { aggregate: () => failure(40573, "no change stream") },
      "The database gives no stream of changes (error 40573).",
    ],
    [
      "is older than 7.0",
      { buildInfo: () => ({ ...OK, version: "6.0.9" }), hello: () => ({ ...HELLO, maxWireVersion: 17 }) },
      "The database is version 6.0.9; a board needs MongoDB 7.0 or newer.",
    ],
    [
      "may not be written",
      { findAndModify: () => failure(8000, "you are over your space quota") },
      "the database cannot do this now (error 8000)",
    ],
    [
      "has a board of a newer release",
      { find: () => batchOf("meta", [{ ...schema(99), program: "9.9.9" }]) },
      `The database was written by Agent Board 9.9.9 (version 99, this program (${VERSION}) knows ${SCHEMA_VERSION}). Start that release; or, to lose what was written since, put the copies that its upgrade kept (collections before_*) back: see "Upgrades" in docs/mongodb.md.`,
    ],
    [
      "has a board of a newer release that does not say which",
      { find: () => batchOf("meta", [schema(99)]) },
      `The database was written by another Agent Board (version 99, this program (${VERSION}) knows ${SCHEMA_VERSION}). Install that version, or move the board by its \`export\` and this one's \`import\`.`,
    ],
    ["allows this user nothing", { find: () => failure(13, "not authorized") }, `it ${REFUSES}`],
    [
      "answers with another error",
      { listIndexes: () => ({ ...failure(2, "no"), codeName: "BadValue" }) },
      "it answers with error 2 (BadValue)",
    ],
  ])("is a problem where it %s", async (_what, answers, text) => {
    expect((await examined(answers)).at(-1)).toBe(`problem database: ${text}`);
  });

  it.each([
    [18, `it ${REFUSES}`],
    [8000, `the database of STORE_URL ${REFUSES}`],
  ])("is a wrong password, also where it is called %i", async (code, text) => {
    const found = await examined({ saslStart: () => failure(code, "bad auth") }, { user: "me:secret@" });
    expect(found).toEqual([`problem database: ${text}`]);
  });
});
