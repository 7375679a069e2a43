import { type MongoClient, ReadConcern } from "mongodb";

/**
 * A transaction without a statement for this long is taken for abandoned. Far longer than a process of the board ever
 * pauses; one that did is told so at its next statement, and tries its transaction again.
 */
const IDLE_MS = 3_000;
/** The server is asked at most this often. */
const PAUSE_MS = 1_000;

/**
 * Ends transactions that died with their process. The server notices no loss of a client: it keeps what such a transaction
 * wrote from everybody for `transactionLifetimeLimitSeconds`, a minute, and on a busy board that is what every post or claim
 * writes too. Any user of the database may see and end its own sessions.
 */
export class Abandoned {
  readonly #client: MongoClient;
  #asked = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> = Promise.resolve();

  constructor(client: MongoClient) {
    this.#client = client;
  }

  /** Resolves when what was abandoned has ended, or the server told nothing of it. Never fails: it only helps. */
  end(): Promise<void> {
    if (performance.now() - this.#asked >= PAUSE_MS) {
      this.#asked = performance.now();
      this.#asking = this.#end().catch(() => {});
    }
    return this.#asking;
  }

  async #end(): Promise<void> {
    const { appName } = this.#client.options;
    // What runs is no stored data: the server refuses to read it as a majority holds it.
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
    // Behind mongos, each shard that takes part tells of it.
    if (idle.length > 0) await admin.command({ killSessions: idle.map(({ lsid }) => ({ id: lsid.id })) });
  }
}
