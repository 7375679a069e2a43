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
import { IdleTransactions } from "./idle-transactions.ts";
import { KeyedQueue } from "./keyed-queue.ts";
import { PrimaryWatch } from "./primary-watch.ts";
import { APART, behindBulk, CONTENDED, unavailable } from "./unavailable.ts";

/** One database on a replica set, or on a sharded cluster through mongos. */
export interface MongodbConnection {
  readonly client: MongoClient;
  readonly db: Db;
  /** True behind mongos: a lookup by id then names the shard key too. */
  readonly sharded: boolean;
  /** Version of the server's protocol: 21 is MongoDB 7.0, 25 is 8.0. */
  readonly wireVersion: number;
  /**
   * Runs `ask`; errors of a database out of reach become `StoreUnavailable`. So does a wait for 10 s, and at once any call
   * while no primary has been known for 5 s.
   */
  run<T>(ask: () => Promise<T>): Promise<T>;
  /** The same for work in steps that nobody waits for: it may take longer. */
  runLong<T>(ask: () => Promise<T>): Promise<T>;
  /**
   * Runs `job` in a transaction (snapshot, majority) and resolves once it is committed. It sees everything that any process
   * committed before. After a conflict it is tried again for 10 s, so `job` may run several times and must keep nothing of
   * an earlier run. A process that died in a transaction blocks others for 3 to 4 s.
   *
   * @param alone  names of what `job` will certainly write. Jobs of this process that share a name wait for each other,
   *   which is cheaper than aborting each other; between processes the database decides. The wait counts towards the 10 s:
   *   while the database is away, a long queue fails together and not one after another.
   */
  write<T>(alone: readonly string[], job: (session: ClientSession) => Promise<T>): Promise<T>;
  /** The same as one part of a call that `run` began, which a close waits for. */
  transaction<T>(job: (session: ClientSession) => Promise<T>): Promise<T>;
  /** For how long no server that takes writes has been known, in milliseconds; 0 while there is one. */
  lostForMs(): number;
  /** Aborts when the connection is about to close, and ends change streams. */
  readonly closing: AbortSignal;
  /** Waits for calls under way, then closes. */
  close(): Promise<void>;
}

/**
 * How long a call may take, and how long a transaction waits for its turn and is tried again after conflicts, in
 * milliseconds.
 */
export const PATIENCE_MS = 10_000;
/** How long the answer to one command may take, in milliseconds. */
export const ANSWER_MS = 30_000;
/** How long a call waits for a primary, and after which time without one it does not wait. An election takes longer. */
const SELECTION_MS = 5_000;
/** Between two looks of a monitor. A server that hangs is noticed after this time and `connectTimeoutMS`. */
const HEARTBEAT_MS = 2_500;
const RETRY_MS = 5;
const RETRY_MAX_MS = 250;
/** Living processes finish their transactions by then; after it, those of dead processes are looked for. */
const STUCK_MS = 1_000;

const TRANSACTION: TransactionOptions = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority" },
  readPreference: "primary",
  maxCommitTimeMS: PATIENCE_MS,
};

/**
 * Connects to the database in the path of `url`, or to `agent_board`. Read and write options in `url` are ignored: the
 * store's promises depend on its own.
 *
 * @param options.answerMs  how long the answer to one command may take; 0 for no limit
 * @param options.patienceMs  see `MongodbConnection.write`
 * @throws StoreUnavailable when no primary answers within 5 s
 */
export async function connectMongodb(
  url: string,
  { answerMs = ANSWER_MS, patienceMs = PATIENCE_MS } = {},
): Promise<MongodbConnection> {
  const client = clientOf(url, {
    appName: "agent-board",
    maxPoolSize: 50,
    minPoolSize: 2,
    maxConnecting: 4,
    maxIdleTimeMS: 60_000,
    // The driver's defaults: no limit, and 30 s.
    waitQueueTimeoutMS: 5_000,
    serverSelectionTimeoutMS: SELECTION_MS,
    heartbeatFrequencyMS: HEARTBEAT_MS,
    connectTimeoutMS: 5_000,
    socketTimeoutMS: answerMs,
    // Reads see what a majority holds, which no change of the primary takes back. Named as in a URL, since those names win
    // over `readConcern` and `writeConcern`.
    readPreference: "primary",
    readConcernLevel: "majority",
    w: "majority",
    journal: true,
    wtimeoutMS: PATIENCE_MS,
    retryReads: true,
    retryWrites: true,
    ignoreUndefined: true,
  });
  const primary = new PrimaryWatch(client);
  const { sharded, wireVersion, db } = await unavailable(async () => {
    await client.connect();
    const named = /^[^/]+\/\/[^/]+\/([^?]*)/.exec(url)?.[1] ?? "";
    const hello = await client.db("admin").command({ hello: 1 });
    return {
      sharded: hello["msg"] === "isdbgrid",
      wireVersion: Number(hello["maxWireVersion"]),
      db: client.db(named === "" ? "agent_board" : decodeURIComponent(named)),
    };
  }).catch(async (error: unknown) => {
    await client.close();
    throw error;
  });

  const underWay = new Set<Promise<unknown>>();
  const queue = new KeyedQueue();
  const idle = new IdleTransactions(client);
  const closing = new AbortController();
  const within = <T>(limitMs: number, ask: () => Promise<T>): Promise<T> => {
    if (closing.signal.aborted) return Promise.reject(new StoreUnavailable("the store is closed"));
    if (primary.lostForMs() > SELECTION_MS) return Promise.reject(new StoreUnavailable(NO_PRIMARY));
    const asked = unavailable(ask);
    underWay.add(asked);
    const done = () => void underWay.delete(asked);
    asked.then(done, done);
    return answeredWithin(limitMs, asked);
  };
  const callMs = answerMs === 0 ? 0 : Math.max(PATIENCE_MS, patienceMs);
  // A transaction's snapshot has the latest time known to its mongos, and another mongos may be ahead. Every transaction
  // of the store includes the shard of one of these, so asking both first brings the time up to date. They lie together
  // unless an operator moved saved queries to another shard.
  const before = async () => {
    if (!sharded) return;
    const ask = (name: string) => db.collection<{ _id: string }>(name).findOne({ _id: "" });
    await Promise.all([ask("publishers"), ask("subscriptions")]);
  };
  const stuck = () => idle.end();
  return {
    client,
    db,
    sharded,
    wireVersion,
    run: (ask) => within(callMs, ask),
    runLong: (ask) => within(0, ask),
    lostForMs: () => primary.lostForMs(),
    closing: closing.signal,
    write(alone, job) {
      const deadline = performance.now() + patienceMs;
      return within(callMs, () => queue.run(alone, () => transact(client, job, { deadline, before, stuck })));
    },
    transaction(job) {
      const deadline = performance.now() + patienceMs;
      return unavailable(() => transact(client, job, { deadline, before, stuck }));
    },
    async close() {
      closing.abort();
      await Promise.allSettled(underWay);
      await client.close();
    },
  };
}

const NO_PRIMARY =
  "the database of STORE_URL has no primary: bring a majority of its members back, or look at the network between them";

/** @throws StoreUnavailable when `asked` takes longer; it goes on, and a write may still happen. 0 for no limit */
function answeredWithin<T>(limitMs: number, asked: Promise<T>): Promise<T> {
  if (limitMs === 0) return asked;
  return new Promise((resolve, reject) => {
    const late = () =>
      reject(new StoreUnavailable(`the database did not answer within ${limitMs / 1_000} s`));
    const timer = setTimeout(late, limitMs);
    asked.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** @throws Error with one line for the operator, which does not repeat the URL: it may hold a password */
function clientOf(url: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch (error) {
    // By its name: the driver and its parser of connection strings each have a class of this name.
    if (!(error instanceof Error) || error.name !== "MongoParseError") throw error;
    throw new Error("STORE_URL is no connection string of MongoDB.", { cause: error });
  }
}

/**
 * Tries a transaction until it commits, fails for a reason of its own, or the deadline passes.
 *
 * @param options.deadline  in milliseconds of `performance.now()`
 * @param options.before  runs before each try
 * @param options.stuck  runs before another try when conflicts have lasted long
 */
async function transact<T>(
  client: MongoClient,
  job: (session: ClientSession) => Promise<T>,
  { deadline, before, stuck }: { deadline: number; before: () => Promise<void>; stuck: () => Promise<void> },
): Promise<T> {
  const began = performance.now();
  if (began > deadline) throw new StoreUnavailable(CONTENDED);
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
      const isTransient = hasLabel(error, "TransientTransactionError") || hasCode(error, APART);
      if (!isTransient || performance.now() > deadline) throw error;
      if (isConflict(error) && performance.now() - began > STUCK_MS) await stuck();
    } finally {
      await session.endSession();
    }
    // Full jitter: of transactions that met, one should finish before the next begins.
    await sleep(Math.random() * Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** Math.min(tries, 10)));
  }
}

/** Commits, and asks again when the answer is lost: the server remembers the outcome. */
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

/**
 * Thrown inside a transaction, has it begin anew. Its snapshot holds what was written before it in every transaction that a
 * majority acknowledged; what only the primary has acknowledged may be missing for a moment while others commit.
 */
export function notVisibleYet(): Error {
  const error = new MongoError("a write just before this transaction is not in its snapshot");
  error.addErrorLabel("TransientTransactionError");
  return error;
}

/** True when another transaction wrote the document and has not committed. */
const isConflict = (error: unknown): boolean => hasCode(error, 112);

/** True for an insert under an id or a unique value that exists already. */
export const isDuplicate = (error: unknown): boolean => hasCode(error, 11000);

function hasCode(error: unknown, code: number): boolean {
  const behind = behindBulk(error);
  return behind instanceof MongoServerError && behind.code === code;
}

/** Runs an upsert, and again when it met another of the same document: the second run finds what that inserted. */
export async function orAgain<T>(upsert: () => Promise<T>): Promise<T> {
  try {
    return await upsert();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return upsert();
  }
}
