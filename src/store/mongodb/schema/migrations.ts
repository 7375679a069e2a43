import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Collection } from "mongodb";
import { sourceOf, windowOf } from "../../../ports/index-entry.ts";
import { tryServer } from "../server/check-server.ts";
import { connectMongodb, isDuplicate, type MongodbConnection } from "../server/connection.ts";
import { adoptFormerWork } from "../server/work.ts";
import { collectionsOf } from "./collections.ts";
import type { PostDocument } from "./documents.ts";
import { declareSchema, unless } from "./index.ts";
import { postOfDocument, WINDOW_END } from "./posts.ts";

/** The document `schema` of collection `meta`: the database's version, and which process migrates it. */
interface SchemaDocument {
  _id: "schema";
  version: number;
  owner: string | null;
  /** By the server's clock. */
  owned_until: Date;
}

/** An owner that has not renewed its claim for this long is dead. */
const TAKEOVER_MS = 30_000;
const RENEW_MS = 10_000;
const POLL_MS = 100;
const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;
const UNAUTHORIZED = 13;
/** How long a process waits for another's migration; an index over millions of posts takes minutes to build. */
const WAIT_MS = 15 * 60_000;

/**
 * Steps from version n to n + 1. Append-only. A step may be interrupted and run again, and processes of the previous release
 * still work while it runs: it adds collections, indexes and fields with defaults, and a step of the next release removes
 * what it made superfluous. A release that changes what `index.ts` declares appends `declareSchema` once more.
 */
const STEPS: readonly ((connection: MongodbConnection) => Promise<void>)[] = [
  declareSchema,
  async (connection) => {
    await declareSchema(connection);
    // Unused: `voice` finds the reports of a post.
    await connection.db.collection("reports").dropIndex("since").catch(unless(INDEX_NOT_FOUND, UNAUTHORIZED));
  },
  expireRepliesWithRoots,
  declareSchema,
  // Shards `retrievals`.
  declareSchema,
  declareSchema,
  nameSources,
  coverMidnights,
  async (connection) => {
    await declareSchema(connection);
    await adoptFormerWork({ collections: collectionsOf(connection.db) });
    await dropLeftovers(connection);
  },
  // The server deletes what is over, and counts are kept.
  declareSchema,
  // Tags are counted by the hour.
  declareSchema,
  async ({ db }) => {
    // Unused: places of the push queue stand in the order of their due times.
    await db.collection("push_queue").dropIndex("turn").catch(unless(INDEX_NOT_FOUND, UNAUTHORIZED));
  },
];

/** What no release uses any more, or what an index of fewer documents stands for; it may stay without the right to drop. */
async function dropLeftovers({ db }: MongodbConnection): Promise<void> {
  const tolerant = unless(NAMESPACE_NOT_FOUND, INDEX_NOT_FOUND, UNAUTHORIZED);
  const indexes = { pushes: "claimed", posts: "vector_model", work: "due" };
  for (const [name, index] of Object.entries(indexes))
    await db.collection(name).dropIndex(index).catch(tolerant);
  await db.dropCollection("push_lanes").catch(tolerant);
  await db.collection<{ _id: string }>("sequences").deleteOne({ _id: "push_turn" });
}

/** A post that starts at a midnight, without an end, is on for that day. */
async function coverMidnights({ db }: MongodbConnection): Promise<void> {
  const posts = db.collection<PostDocument>("posts");
  const endless = { starts_at: { $type: "date" }, ends_at: null, state: { $ne: "removed" } } as const;
  for await (const post of posts.find(endless)) {
    const { _id, root } = post;
    const end = new Date(windowOf(postOfDocument(post, 0)).windowEnd);
    if (end > post.win_end) await posts.updateOne({ _id, root }, { $set: { win_end: end } });
  }
}

/** Posts written before have no `source` yet. */
async function nameSources({ db }: MongodbConnection): Promise<void> {
  const posts = db.collection<PostDocument>("posts");
  const nameless = { source_url: { $type: "string" }, source: { $exists: false } } as const;
  for await (const post of posts.find(nameless)) {
    const { _id, root } = post;
    await posts.updateOne({ _id, root }, { $set: { source: sourceOf(postOfDocument(post, 0)) } });
  }
}

/** A reply expires with its root. */
async function expireRepliesWithRoots({ db }: MongodbConnection): Promise<void> {
  const posts = db.collection<PostDocument>("posts");
  const threads = posts.aggregate<{ _id: string }>([
    { $match: { is_reply: true } },
    { $group: { _id: "$parent_id" } },
  ]);
  for await (const { _id } of threads) {
    const root = await posts.findOne({ _id, root: _id }, { projection: { expires_at: 1 } });
    if (root === null) continue;
    const { expires_at } = root;
    await posts.updateMany(
      { parent_id: _id, root: _id, state: { $ne: "removed" }, expires_at: { $ne: expires_at } },
      [{ $set: { expires_at, expiry_chosen: false } }, { $set: WINDOW_END }],
    );
  }
}

export const SCHEMA_VERSION = STEPS.length;

/**
 * Brings the database to the newest version: one process does it, others wait. Costs one read when it is up to date.
 * @throws Error with one line for the operator when a newer or another program wrote the database
 */
export async function migrateMongodb(connection: MongodbConnection, url: string): Promise<void> {
  if ((await schemaVersion(connection)) === SCHEMA_VERSION) return;
  await connection.run(() => refuseForeign(connection));
  // Building an index over millions of posts takes longer than any other command.
  const patient = await connectMongodb(url, { answerMs: 0 });
  try {
    await takeTurns(patient);
  } finally {
    await patient.close();
  }
}

async function takeTurns(connection: MongodbConnection): Promise<void> {
  const { run } = connection;
  const owner = randomUUID();
  const deadline = performance.now() + WAIT_MS;
  while (performance.now() < deadline) {
    const version = await run(() => take(connection, owner));
    if (version === "up to date") return;
    if (version !== "taken") return takeSteps(connection, owner, version);
    await sleep(POLL_MS);
  }
  throw new Error("Another process is still bringing the database up to date; start again later.");
}

/**
 * The version of a database, 0 before it is a board.
 * @throws Error when a newer program wrote it
 */
export async function schemaVersion(connection: MongodbConnection): Promise<number> {
  const found = await connection.run(() => schemaOf(connection).findOne({ _id: "schema" }));
  const version = found?.version ?? 0;
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `The database was written by a newer Agent Board (version ${version}, this program knows ${SCHEMA_VERSION}). ` +
        "Install that version.",
    );
  }
  return version;
}

const schemaOf = ({ db }: MongodbConnection): Collection<SchemaDocument> => db.collection("meta");

/** Refuses a database that has collections and no version: it is another program's. */
async function refuseForeign(connection: MongodbConnection): Promise<void> {
  const collections = await connection.db.listCollections({}, { nameOnly: true }).toArray();
  if (collections.every(({ name }) => name === "meta" || name.startsWith("system."))) return;
  // Read after the list: of processes that start together, the first writes its document before any collection.
  if ((await schemaOf(connection).findOne({ _id: "schema" })) !== null) return;
  throw new Error("The database is not empty and holds no board. Name another one in the path of STORE_URL.");
}

/** Claims the right to migrate: resolves to the version to start from, or to why there is nothing to claim. */
async function take(connection: MongodbConnection, owner: string): Promise<number | "taken" | "up to date"> {
  const free = { $or: [{ $eq: [{ $ifNull: ["$owner", null] }, null] }, { $lte: ["$owned_until", "$$NOW"] }] };
  const schema = await schemaOf(connection)
    .findOneAndUpdate(
      { _id: "schema" },
      [
        {
          $set: {
            version: { $ifNull: ["$version", 0] },
            owner: { $cond: [free, owner, "$owner"] },
            owned_until: { $cond: [free, { $add: ["$$NOW", TAKEOVER_MS] }, "$owned_until"] },
          },
        },
      ],
      { upsert: true, returnDocument: "after" },
    )
    .catch((error: unknown) => {
      if (isDuplicate(error)) return null;
      throw error;
    });
  if (schema === null) return "taken";
  if (schema.owner !== owner) return schema.version >= SCHEMA_VERSION ? "up to date" : "taken";
  if (schema.version < SCHEMA_VERSION) return schema.version;
  await schemaOf(connection).updateOne({ _id: "schema", owner }, { $set: { owner: null } });
  return "up to date";
}

async function takeSteps(connection: MongodbConnection, owner: string, from: number): Promise<void> {
  const { run } = connection;
  const mine = { _id: "schema", owner } as const;
  const renewal = setInterval(() => {
    const until = [{ $set: { owned_until: { $add: ["$$NOW", TAKEOVER_MS] } } }];
    // After a failure the next renewal follows; when the lease ends, another process repeats the step.
    run(() => schemaOf(connection).updateOne(mine, until)).catch(() => {});
  }, RENEW_MS);
  try {
    if (from === 0) await tryServer(connection);
    for (const [version, step] of STEPS.entries()) {
      if (version < from) continue;
      await run(() => step(connection));
      await run(() => schemaOf(connection).updateOne(mine, { $set: { version: version + 1 } }));
    }
  } finally {
    clearInterval(renewal);
    await run(() => schemaOf(connection).updateOne(mine, { $set: { owner: null } })).catch(() => {});
  }
}
