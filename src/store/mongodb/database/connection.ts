import {
  type ClientSession,
  type Db,
  MongoClient,
  type MongoClientOptions,
  MongoServerError,
  type ServerDescription,
  type TransactionOptions,
} from "mongodb";
import { StoreUnavailable } from "../../../ports/store/index.ts";
import { behindBulk, CONTENDED, unavailable } from "./unavailable.ts";

/** Holds one database on a replica set, or on a sharded cluster through mongos. */
export interface MongodbConnection {
  readonly client: MongoClient;
  readonly db: Db;
  /** True behind mongos: a lookup by id then names the shard key too. */
  readonly sharded: boolean;
  /**
   * Runs `ask`; errors of a database out of reach become `StoreUnavailable`. So does a wait for 10 s, and at once any call
   * while no primary has been known for 5 s.
   */
  run<T>(ask: () => Promise<T>): Promise<T>;
  /** It does the same for work in steps that nobody waits for: it may take longer. */
  runLong<T>(ask: () => Promise<T>): Promise<T>;
  /**
   * Runs `job` in a transaction (snapshot, majority) and resolves once it is committed. It sees everything that any process
   * committed before. After a conflict it is tried again for 10 s, so `job` may run several times and must keep nothing of
   * an earlier run. What a process wrote in a transaction before it died stays locked until the server ends that transaction,
   * after a minute.
   *
   * @param alone  names of what `job` will certainly write. Jobs of this process that share a name wait for each other,
   *   which is cheaper than aborting each other; between processes the database decides. The wait counts towards the 10 s:
   *   while the database is away, a long queue fails together and not one after another.
   */
  write<T>(alone: readonly string[], job: (session: ClientSession) => Promise<T>): Promise<T>;
  /** Aborts when the connection is about to close, and ends change streams. */
  readonly closing: AbortSignal;
  /** Waits for calls under way, then closes. */
  close(): Promise<void>;
}

/** A call may take this long, in milliseconds; a transaction waits this long for its turn, and is tried again after conflicts. */
const PATIENCE_MS = 10_000;
const ANSWER_MS = 30_000;
/** A call waits this long for a primary, and after this time without one it does not wait. An election takes longer. */
const SELECTION_MS = 5_000;
/**
 * The driver's monitor waits this long between two checks. A server that hangs is noticed after this time and
 * `connectTimeoutMS`.
 */
const HEARTBEAT_MS = 2_500;
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
    ...(/[?&]maxPoolSize=/i.test(url) ? {} : { maxPoolSize: 50 }),
    ...(/[?&]minPoolSize=/i.test(url) ? {} : { minPoolSize: 2 }),
    maxConnecting: 4,
    maxIdleTimeMS: 60_000,
    // By itself the driver sets no limit, and 30 s.
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
  const lostForMs = watchPrimary(client);
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
  const within = <T>(limitMs: number, ask: () => Promise<T>): Promise<T> => {
    if (closing.signal.aborted) return Promise.reject(new StoreUnavailable("the store is closed"));
    if (lostForMs() > SELECTION_MS) return Promise.reject(new StoreUnavailable(NO_PRIMARY));
    const asked = unavailable(ask);
    underWay.add(asked);
    const done = () => void underWay.delete(asked);
    asked.then(done, done);
    return answeredWithin(limitMs, asked);
  };
  const callMs = answerMs === 0 ? 0 : Math.max(PATIENCE_MS, patienceMs);
  // On a cluster, a transaction's snapshot has the latest time known to its mongos, and another mongos may be ahead. A read
  // of the shard that every transaction includes brings the time up to date.
  const learnTime = () => db.collection<{ _id: string }>("publishers").findOne({ _id: "" });
  return {
    client,
    db,
    sharded,
    run: (ask) => within(callMs, ask),
    runLong: (ask) => within(0, ask),
    closing: closing.signal,
    write(alone, job) {
      const deadline = performance.now() + patienceMs;
      const attempt = async (session: ClientSession) => {
        if (performance.now() > deadline) throw new StoreUnavailable(CONTENDED);
        if (sharded) await learnTime();
        try {
          return await job(session);
        } catch (error) {
          throw behindBulk(error);
        }
      };
      const transact = () =>
        client.withSession({ causalConsistency: false }, (session) =>
          session.withTransaction(attempt, TRANSACTION),
        );
      return within(callMs, () => queue.run(alone, transact));
    },
    async close() {
      closing.abort();
      await Promise.allSettled(underWay);
      await client.close();
    },
  };
}

/** These kinds of servers take writes. */
const WRITABLE: ReadonlySet<ServerDescription["type"]> = new Set([
  "RSPrimary",
  "Mongos",
  "Standalone",
  "LoadBalancer",
]);

/** Tells for how long no server takes writes, as the driver's monitors see it, in milliseconds; 0 while one does. */
function watchPrimary(client: MongoClient): () => number {
  let lostAt: number | null = null;
  client.on("topologyDescriptionChanged", ({ newDescription }) => {
    const there = [...newDescription.servers.values()].some(({ type }) => WRITABLE.has(type));
    lostAt = there ? null : (lostAt ?? performance.now());
  });
  return () => (lostAt === null ? 0 : performance.now() - lostAt);
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
    // It goes by its name: the driver and its parser of connection strings each have a class of this name.
    if (!(error instanceof Error) || error.name !== "MongoParseError") throw error;
    throw new Error("STORE_URL is no connection string of MongoDB.", { cause: error });
  }
}

/** True for an insert under an id or a unique value that exists already. */
export function isDuplicate(error: unknown): boolean {
  const behind = behindBulk(error);
  return behind instanceof MongoServerError && behind.code === 11000;
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

/** Runs jobs that share a name one after another, and others side by side. */
class KeyedQueue {
  readonly #tails = new Map<string, Promise<void>>();

  /** Takes all names at once, so that no two jobs can wait for each other. */
  run<T>(names: readonly string[], job: () => Promise<T>): Promise<T> {
    const before = names.flatMap((name) => this.#tails.get(name) ?? []);
    const result = before.length === 0 ? job() : Promise.all(before).then(job);
    const leave = () => {
      for (const name of names) if (this.#tails.get(name) === tail) this.#tails.delete(name);
    };
    const tail: Promise<void> = result.then(leave, leave);
    for (const name of names) this.#tails.set(name, tail);
    return result;
  }
}
