import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Collection } from "mongodb";
import { tryServer } from "../check-server.ts";
import { connectMongodb, isDuplicate, type MongodbConnection } from "../connection.ts";
import { declareSchema } from "./declare.ts";

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
/** How long a process waits for another's migration; an index over millions of posts takes minutes to build. */
const WAIT_MS = 15 * 60_000;

/**
 * Steps from version n to n + 1. Append-only from 1.0 on. A step may be interrupted and run again. A release that changes what
 * `declare.ts` declares appends `declareSchema` once more.
 */
const STEPS: readonly ((connection: MongodbConnection) => Promise<void>)[] = [declareSchema, declareSchema];

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
      `The database was written by another Agent Board (version ${version}, this program knows ${SCHEMA_VERSION}). ` +
        "Install that version, or move the board by its `export` and this one's `import`.",
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
