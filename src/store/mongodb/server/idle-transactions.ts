import { type MongoClient, ReadConcern } from "mongodb";

/**
 * A transaction without a statement for this long counts as abandoned. No process of the board pauses nearly as long; if
 * one did, its next statement fails and it tries the transaction again.
 */
const IDLE_MS = 3_000;
/** Shortest time between two questions to the server. */
const PAUSE_MS = 1_000;

/**
 * Ends transactions whose process died. The server does not notice that a client is lost: it locks what the transaction
 * wrote for `transactionLifetimeLimitSeconds`, a minute. A claim of pushes is no transaction any more, and that of a post has
 * one statement before its commit; deliveries, edits, reports and changes of saved queries have several. After a SIGKILL in
 * the midst of one, the next write of the same document came through after 3.5 s, and without this after 84 s (measured on
 * MongoDB 8.2). Any database user may see and end its own sessions.
 */
export class IdleTransactions {
  readonly #client: MongoClient;
  #asked = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> = Promise.resolve();

  constructor(client: MongoClient) {
    this.#client = client;
  }

  /** Resolves when they have ended or the question failed. Never rejects: it is only a help. */
  end(): Promise<void> {
    if (performance.now() - this.#asked >= PAUSE_MS) {
      this.#asked = performance.now();
      this.#asking = this.#end().catch(() => {});
    }
    return this.#asking;
  }

  async #end(): Promise<void> {
    const { appName } = this.#client.options;
    // Running operations are not stored data; the server refuses to read them with majority.
    const admin = this.#client.db("admin", { readConcern: new ReadConcern("local") });
    const idle = await admin
      .aggregate([
        { $currentOp: { idleSessions: true } },
        {
          $match: {
            type: "idleSession",
            appName,
            "transaction.timeInactiveMicros": { $gte: IDLE_MS * 1000 },
          },
        },
        { $project: { lsid: 1 } },
      ])
      .toArray();
    // Behind mongos, each participating shard reports it.
    if (idle.length > 0) await admin.command({ killSessions: idle.map(({ lsid }) => ({ id: lsid.id })) });
  }
}
