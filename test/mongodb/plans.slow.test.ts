import type { Db, Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { INDEXES } from "../../src/store/mongodb/database/schema/indexes.ts";
import { type MongodbStore, openMongodb } from "../../src/store/mongodb/index.ts";
import { everyCall, fillForPlans } from "../contract/every-call.ts";
import { mongodbFor } from "../support/mongodb/mongodb.ts";

const APP_NAME = "agent-board";
const database = await mongodbFor("replicaSet", "plans");

/** These sort groups of what an index found, which have no order until all are known, or the few reports of one post. */
const SORTED = ["reports.of", "reports.queue", "statistics.overview"];

describe.skipIf(database === null)("the plans of the MongoDB store", () => {
  let store: MongodbStore;
  let db: Db;
  /** What the server did for each call: the indexes it searched, and whether it sorted. */
  const done = new Map<string, { searches: string[]; sorts: boolean }>();

  beforeAll(async () => {
    if (database === null) return;
    db = database.db;
    store = await openMongodb(database.url);
    await fillForPlans(store);
    const profile = await db.createCollection("system.profile", { capped: true, size: 64e6 });
    await db.command({ profile: 2 });
    let seen = 0;
    for (const [name, call] of Object.entries({ ...callsOfFeed(store), ...everyCall(store) })) {
      await call();
      const operations = await profile.find({ appName: APP_NAME }).skip(seen).toArray();
      seen += operations.length;
      const searches = new Set<string>();
      for (const operation of operations) for (const index of indexesOf(operation)) searches.add(index);
      const sorts = operations.some(({ hasSortStage }) => hasSortStage);
      done.set(name, { searches: [...searches].sort(), sorts });
    }
    await db.command({ profile: 0 });
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  it("are checked for every call", () => {
    // A move to another store reads and writes everything.
    const others = ["connection", "collections", "transfer"];
    const groups = Object.entries(store).filter(([name]) => !others.includes(name));
    const calls = groups.flatMap(([group, parts]) =>
      typeof parts === "function" ? [group] : Object.keys(parts).map((name) => `${group}.${name}`),
    );
    const looked = new Set([...done.keys()].map((name) => name.split(" ")[0]));
    // One waits, two ask no database, and one closes the store.
    const unseen = ["feed.follow", "feed.onWrite", "work.onPosts", "close"];
    expect(calls.filter((name) => !looked.has(name) && !unseen.includes(name))).toEqual([]);
  });

  it("read no whole collection", () => {
    const scanned = [...done].filter(([, { searches }]) => searches.some((one) => one.endsWith("COLLSCAN")));
    // A scan reads everything, in the order of ids. The queue of moderation is counted when the operator asks for it.
    expect(scanned.map(([name]) => name)).toEqual(["reports.queue"]);
  });

  it("sort only what has no order in any index", () => {
    expect([...done].filter(([, { sorts }]) => sorts).map(([name]) => name)).toEqual(SORTED);
  });

  it("leave no index unused", () => {
    const used = new Set([...done.values()].flatMap(({ searches }) => searches));
    const declared = Object.entries(INDEXES).flatMap(([name, list]) =>
      // The server itself needs the others, to delete what is over.
      list.filter((index) => index.expireAfterSeconds === undefined).map((index) => `${name}.${index.name}`),
    );
    expect(declared.filter((index) => !used.has(index))).toEqual([]);
  });
});

/** The indexes that an operation searched, without ids; `collection.COLLSCAN` when it read a whole collection. */
function indexesOf(operation: Document): string[] {
  const collection = String(operation["ns"]).split(".")[1] ?? "";
  const plan = String(operation["planSummary"] ?? "");
  const found = plan.includes("COLLSCAN") ? [`${collection}.COLLSCAN`] : [];
  for (const key of plan.match(/\{[^}]*\}/g) ?? []) {
    if (key !== "{ _id: 1 }") found.push(`${collection}.${nameOf(collection, key)}`);
  }
  return found;
}

/** Name of an index by its key as a plan writes it: `{ state: 1, created_at: -1 }`. */
function nameOf(collection: string, key: string): string {
  const known = Object.entries(INDEXES).find(([name]) => name === collection)?.[1] ?? [];
  const text = (index: { key: object }) =>
    `{ ${Object.entries(index.key)
      .map(([field, direction]) => `${field}: ${direction}`)
      .join(", ")} }`;
  return known.find((index) => text(index) === key)?.name ?? key;
}

const callsOfFeed = ({ feed }: MongodbStore): Record<string, () => Promise<unknown>> => ({
  "feed.scan": async () => {
    for await (const _ of feed.scan());
  },
  "feed.read": () => feed.read({ posts: ["p2", "p3"], publishers: ["pub_2"] }),
});
