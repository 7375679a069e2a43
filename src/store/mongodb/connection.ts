import { setTimeout as sleep } from "node:timers/promises";
import {
  type ClientSession,
  type Db,
  MongoBulkWriteError,
  MongoClient,
  type MongoClientOptions,
  MongoError,
  MongoServerError,
  type TransactionOptions,
} from "mongodb";
import { StoreUnavailable } from "../../ports/store.ts";
import { KeyedQueue } from "./keyed-queue.ts";

/** One database on a replica set, or on a sharded cluster through mongos. */
export interface Connection {
  readonly client: MongoClient;
  readonly db: Db;
  /** True behind mongos: a lookup by id then names the shard key too. */
  readonly sharded: boolean;
  /** Runs `ask`; what says that the database is out of reach becomes `StoreUnavailable`. */
  run<T>(ask: () => Promise<T>): Promise<T>;
  /**
   * Runs `job` in a transaction (snapshot, majority) and resolves once it is committed. Conflicts with others are tried
   * again for 10 s, so `job` may run several times and must keep nothing of an earlier run.
   *
   * @param alone  names of what `job` will certainly write. Jobs of this process with a name in common wait for each
   *   other, which is cheaper than aborting each other; between processes the database decides.
   */
  write<T>(alone: readonly string[], job: (session: ClientSession) => Promise<T>): Promise<T>;
  /** Aborts when the connection is about to close: ends what waits for changes. */
  readonly closing: AbortSignal;
  /** Waits for what is under way, then closes. */
  close(): Promise<void>;
}

/** How long a transaction that others interrupt is tried again, in milliseconds. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 5;
const RETRY_MAX_MS = 250;

const TRANSACTION: TransactionOptions = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority" },
  readPreference: "primary",
  maxCommitTimeMS: PATIENCE_MS,
};

/**
 * Connects to the database that `url` names in its path, `agent_board` when it names none.
 *
 * @param options.answerMs  how long the answer to one command may take; 0 is for ever
 * @throws StoreUnavailable when no primary answers within 5 s
 */
export async function connect(url: string, { answerMs = 30_000 } = {}): Promise<Connection> {
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
    // Reads see what a majority holds: nothing that a change of the primary could take back.
    readConcern: { level: "majority" },
    writeConcern: { w: "majority", wtimeoutMS: PATIENCE_MS },
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
  const closing = new AbortController();
  const run = <T>(ask: () => Promise<T>): Promise<T> => {
    if (closing.signal.aborted) return Promise.reject(new StoreUnavailable("the store is closed"));
    const asked = unavailable(ask);
    underWay.add(asked);
    const done = () => void underWay.delete(asked);
    asked.then(done, done);
    return asked;
  };
  return {
    client,
    db,
    sharded,
    run,
    closing: closing.signal,
    write: (alone, job) => run(() => queue.run(alone, () => transact(client, job))),
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

/** Tries a transaction until it commits, fails for a reason of its own, or patience ends. */
async function transact<T>(client: MongoClient, job: (session: ClientSession) => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let tries = 0; ; tries += 1) {
    const session = client.startSession({ causalConsistency: false });
    try {
      session.startTransaction(TRANSACTION);
      const result = await job(session);
      await commit(session, deadline);
      return result;
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction().catch(() => {});
      if (!hasLabel(error, "TransientTransactionError") || performance.now() > deadline) throw error;
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

/** What ended a bulk write; the error of the bulk has neither its class nor, always, its code. */
function behindBulk(error: unknown): unknown {
  if (!(error instanceof MongoBulkWriteError)) return error;
  return error.errorResponse instanceof MongoError ? error.errorResponse : error;
}

/** Error codes of the server that say something of its state and nothing of the question. */
const UNAVAILABLE: ReadonlySet<number> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  24, // LockTimeout
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout
  89, // NetworkTimeout
  91, // ShutdownInProgress
  112, // WriteConflict, for longer than our patience
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  251, // NoSuchTransaction
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
  9001, // SocketException
  14031, // OutOfDiskSpace
]);

/** Turns what says "not now" into `StoreUnavailable`; an error of ours or of the question stays as it is. */
async function unavailable<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    const error = behindBulk(thrown);
    if (!(error instanceof MongoError)) throw thrown;
    if (error instanceof MongoServerError) {
      const code = Number(error.code);
      if (!UNAVAILABLE.has(code) && !error.hasErrorLabel("TransientTransactionError")) throw thrown;
      throw new StoreUnavailable(`the database cannot do this now (error ${code})`, { cause: error });
    }
    // Network, selection, pool and closed-client errors of the driver: their messages may name hosts.
    if (!CONNECTION_ERROR.test(error.name)) throw thrown;
    throw new StoreUnavailable("the database does not answer", { cause: error });
  }
}

const CONNECTION_ERROR =
  /^Mongo(Network|NetworkTimeout|ServerSelection|PoolCleared|PoolClosed|WaitQueueTimeout|NotConnected|TopologyClosed|ClientClosed|ConnectionPoolCleared|PoolClearedOnNetwork|ExpiredSession|ServerClosed|OperationTimeout)Error$/;

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
