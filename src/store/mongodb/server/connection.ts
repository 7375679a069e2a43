import { setTimeout as sleep } from "node:timers/promises";
import {
  type ClientSession,
  type Db,
  MongoClient,
  type MongoClientOptions,
  MongoError,
  MongoServerError,
  type TransactionOptions,
} from "mongodb";
import { StoreUnavailable } from "../../../ports/store/index.ts";
import { Abandoned } from "./idle-transactions.ts";
import { KeyedQueue } from "./keyed-queue.ts";
import { behindBulk, unavailable } from "./unavailable.ts";

/** One database on a replica set, or on a sharded cluster through mongos. */
export interface Connection {
  readonly client: MongoClient;
  readonly db: Db;
  /** True behind mongos: a lookup by id then names the shard key too. */
  readonly sharded: boolean;
  /** Runs `ask`; what says that the database is out of reach becomes `StoreUnavailable`. */
  run<T>(ask: () => Promise<T>): Promise<T>;
  /**
   * Runs `job` in a transaction (snapshot, majority) and resolves once it is committed. It sees whatever any process
   * committed before. Conflicts with others are tried again for 10 s, so `job` may run several times and must keep nothing
   * of an earlier run. Others that died in the middle of a transaction are in the way for 3 to 4 s.
   *
   * @param alone  names of what `job` will certainly write. Jobs of this process with a name in common wait for each
   *   other, which is cheaper than aborting each other; between processes the database decides. The wait is part of the
   *   10 s, so that while the database is away a long queue fails together and not one after another.
   */
  write<T>(alone: readonly string[], job: (session: ClientSession) => Promise<T>): Promise<T>;
  /** Aborts when the connection is about to close: ends what waits for changes. */
  readonly closing: AbortSignal;
  /** Waits for what is under way, then closes. */
  close(): Promise<void>;
}

/** How long a transaction waits for its turn and, where others interrupt it, is tried again, in milliseconds. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 5;
const RETRY_MAX_MS = 250;
/** Those who live are out of the way by then, and the dead are looked for. */
const STUCK_MS = 1_000;

const TRANSACTION: TransactionOptions = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority" },
  readPreference: "primary",
  maxCommitTimeMS: PATIENCE_MS,
};

/**
 * Connects to the database that `url` names in its path, `agent_board` when it names none. What `url` says of how reads and
 * writes are done is passed over: the store's promises rest on it.
 *
 * @param options.answerMs  how long the answer to one command may take; 0 is for ever
 * @param options.patienceMs  see `Connection.write`
 * @throws StoreUnavailable when no primary answers within 5 s
 */
export async function connect(
  url: string,
  { answerMs = 30_000, patienceMs = PATIENCE_MS } = {},
): Promise<Connection> {
  const client = clientOf(url, {
    appName: "agent-board",
    maxPoolSize: 50,
    minPoolSize: 2,
    maxConnecting: 4,
    maxIdleTimeMS: 60_000,
    // The driver's own defaults wait for ever, and for 30 s.
    waitQueueTimeoutMS: 5_000,
    serverSelectionTimeoutMS: 5_000,
    connectTimeoutMS: 5_000,
    socketTimeoutMS: answerMs,
    // Reads see what a majority holds: nothing that a change of the primary could take back. Each by the name that a URL
    // has for it, which would win over `readConcern` and `writeConcern`.
    readPreference: "primary",
    readConcernLevel: "majority",
    w: "majority",
    journal: true,
    wtimeoutMS: PATIENCE_MS,
    retryReads: true,
    retryWrites: true,
    ignoreUndefined: true,
  });
  const { sharded, db } = await unavailable(async () => {
    await client.connect();
    const named = /^[^/]+\/\/[^/]+\/([^?]*)/.exec(url)?.[1] ?? "";
    const hello = await client.db("admin").command({ hello: 1 });
    return {
      sharded: hello["msg"] === "isdbgrid",
      db: client.db(named === "" ? "agent_board" : decodeURIComponent(named)),
    };
  }).catch(async (error: unknown) => {
    await client.close();
    throw error;
  });

  const underWay = new Set<Promise<unknown>>();
  const queue = new KeyedQueue();
  const abandoned = new Abandoned(client);
  const closing = new AbortController();
  const run = <T>(ask: () => Promise<T>): Promise<T> => {
    if (closing.signal.aborted) return Promise.reject(new StoreUnavailable("the store is closed"));
    const asked = unavailable(ask);
    underWay.add(asked);
    const done = () => void underWay.delete(asked);
    asked.then(done, done);
    return asked;
  };
  // The snapshot of a transaction is of the latest time that mongos has heard of, and another mongos may be ahead of it. Every
  // transaction of the store takes the shard of the unsharded collections along; whoever asks that hears of all.
  const before = async () => {
    if (sharded) await db.collection<{ _id: string }>("publishers").findOne({ _id: "" });
  };
  return {
    client,
    db,
    sharded,
    run,
    closing: closing.signal,
    write(alone, job) {
      const deadline = performance.now() + patienceMs;
      return run(() =>
        queue.run(alone, () => transact(client, job, { deadline, before, stuck: () => abandoned.end() })),
      );
    },
    async close() {
      closing.abort();
      await Promise.allSettled(underWay);
      await client.close();
    },
  };
}

/** @throws Error with one line for the operator, which does not repeat the URL: it may hold a password */
function clientOf(url: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch (error) {
    // By its name: the driver has one class of it, and its parser of connection strings another.
    if (!(error instanceof Error) || error.name !== "MongoParseError") throw error;
    throw new Error("STORE_URL is no connection string of MongoDB.", { cause: error });
  }
}

/**
 * Tries a transaction until it commits, fails for a reason of its own, or patience ends.
 *
 * @param options.deadline  in milliseconds of `performance.now()`
 * @param options.before  runs before each try
 * @param options.stuck  runs before a further try when others have been in the way for long
 */
async function transact<T>(
  client: MongoClient,
  job: (session: ClientSession) => Promise<T>,
  { deadline, before, stuck }: { deadline: number; before: () => Promise<void>; stuck: () => Promise<void> },
): Promise<T> {
  const began = performance.now();
  if (began > deadline) throw new StoreUnavailable("others were writing the same for too long");
  for (let tries = 0; ; tries += 1) {
    await before();
    const session = client.startSession({ causalConsistency: false });
    try {
      session.startTransaction(TRANSACTION);
      const result = await job(session);
      await commit(session, deadline);
      return result;
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction().catch(() => {});
      if (!hasLabel(error, "TransientTransactionError") || performance.now() > deadline) throw error;
      if (isConflict(error) && performance.now() - began > STUCK_MS) await stuck();
    } finally {
      await session.endSession();
    }
    // Full jitter: of those that met, one should be through before the next comes.
    await sleep(Math.random() * Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** Math.min(tries, 10)));
  }
}

/** A commit whose answer was lost is asked again: the server keeps its outcome. */
async function commit(session: ClientSession, deadline: number): Promise<void> {
  while (true) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      if (!hasLabel(error, "UnknownTransactionCommitResult") || performance.now() > deadline) throw error;
      await sleep(RETRY_MS);
    }
  }
}

function hasLabel(error: unknown, label: string): boolean {
  const behind = behindBulk(error);
  return behind instanceof MongoError && behind.hasErrorLabel(label);
}

/** True for a document that another transaction wrote and has not committed. */
function isConflict(error: unknown): boolean {
  const behind = behindBulk(error);
  return behind instanceof MongoServerError && behind.code === 112;
}

/** True for an insert under an id, or a unique value, that is there already. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11000;
}

/** Asks once more when two upserts of one document met: the second finds what the first inserted. */
export async function orAgain<T>(upsert: () => Promise<T>): Promise<T> {
  try {
    return await upsert();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return upsert();
  }
}
