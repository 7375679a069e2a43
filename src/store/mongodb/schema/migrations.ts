import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Collection } from "mongodb";
import { tryServer } from "../server/check-server.ts";
import { type Connection, connect, isDuplicate } from "../server/connection.ts";
import { declareSchema } from "./index.ts";

/** The document `schema` of collection `meta`: which steps this database has seen, and who takes the next one. */
interface SchemaDocument {
  _id: "schema";
  version: number;
  owner: string | null;
  /** By the server's clock. */
  owned_until: Date;
}

/** An owner that says nothing for so long has died. */
const TAKEOVER_MS = 30_000;
const RENEW_MS = 10_000;
const POLL_MS = 100;
/** How long a process waits for another one's migration; building an index over millions of posts takes minutes. */
const WAIT_MS = 15 * 60_000;

/**
 * What brings a database from version n to n + 1. Append-only. Each step may be cut off and run again, and while it runs
 * processes of the release before are still at work: a step adds collections, fields with defaults and indexes, and what it
 * makes superfluous is removed by a step of the release after. A release that changes what `schema.ts` declares
 * appends `declareSchema` once more.
 */
const STEPS: readonly ((connection: Connection) => Promise<void>)[] = [declareSchema];

export const SCHEMA_VERSION = STEPS.length;

/**
 * Brings the database to the newest version: one process does, others wait. One that is up to date costs a single read.
 * @throws Error with one line for the operator: written by a newer program, or somebody else's
 */
export async function migrate(connection: Connection, url: string): Promise<void> {
  if ((await schemaVersion(connection)) === SCHEMA_VERSION) return;
  await connection.run(() => refuseForeign(connection));
  // An index over millions of posts takes longer than any other answer.
  const patient = await connect(url, { answerMs: 0 });
  try {
    await takeTurns(patient);
  } finally {
    await patient.close();
  }
}

async function takeTurns(connection: Connection): Promise<void> {
  const { run } = connection;
  const owner = randomUUID();
  const deadline = performance.now() + WAIT_MS;
  while (performance.now() < deadline) {
    const version = await run(() => take(connection, owner));
    if (version === "up to date") return;
    if (version !== "taken") return takeSteps(connection, owner, version);
    await sleep(POLL_MS);
  }
  throw new Error("Another process has been bringing the database up to date for long; start again later.");
}

/**
 * The version a database is at, 0 when it is no board yet.
 * @throws Error when it was written by a newer program
 */
export async function schemaVersion(connection: Connection): Promise<number> {
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

const schemaOf = ({ db }: Connection): Collection<SchemaDocument> => db.collection("meta");

/** A database with collections and no version is not ours to fill. */
async function refuseForeign(connection: Connection): Promise<void> {
  const collections = await connection.db.listCollections({}, { nameOnly: true }).toArray();
  if (collections.every(({ name }) => name === "meta" || name.startsWith("system."))) return;
  // Read after the list: of processes that start together, the first has made its document before any collection.
  if ((await schemaOf(connection).findOne({ _id: "schema" })) !== null) return;
  throw new Error("The database is not empty and holds no board. Name another one in the path of STORE_URL.");
}

/** Takes the right to migrate: the version to go on from, or why there is nothing to take. */
async function take(connection: Connection, owner: string): Promise<number | "taken" | "up to date"> {
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

async function takeSteps(connection: Connection, owner: string, from: number): Promise<void> {
  const { run } = connection;
  const mine = { _id: "schema", owner } as const;
  const renewal = setInterval(() => {
    const until = [{ $set: { owned_until: { $add: ["$$NOW", TAKEOVER_MS] } } }];
    // One that fails is followed by the next; a lease that ends lets another process repeat the step.
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
