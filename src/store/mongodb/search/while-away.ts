import { setTimeout as sleep } from "node:timers/promises";
import { type ShownRows, type Store, StoreUnavailable } from "../../../ports/store/index.ts";
import type { MongodbConnection } from "../server/connection.ts";
import type { Copied } from "./replica/copies.ts";

/** How long a search waits for the database before it shows copies. */
const PATIENCE_MS = 2_000;
/** After the database did not answer, it is asked again after this time. */
const PAUSE_MS = 2_000;

/**
 * What searches show: the rows of the store, or the replica's copies while the database is away. Nothing else may read the
 * copies: what is written must rest on what the database holds.
 */
export class WhileAway implements ShownRows {
  readonly posts: ShownRows["posts"];
  readonly publishers: ShownRows["publishers"];
  readonly #lostForMs: MongodbConnection["lostForMs"];
  readonly #copied: () => Copied | null;
  #awayUntil = 0;

  constructor(parts: {
    store: Pick<Store, "posts" | "publishers">;
    lostForMs: MongodbConnection["lostForMs"];
    copied: () => Copied | null;
  }) {
    const { posts, publishers } = parts.store;
    this.#lostForMs = parts.lostForMs;
    this.#copied = parts.copied;
    this.posts = {
      many: (ids) =>
        this.#read(
          () => posts.many(ids),
          (copied) => copied.posts(ids),
        ),
    };
    this.publishers = {
      many: (ids) =>
        this.#read(
          () => publishers.many(ids),
          (copied) => copied.publishers(ids),
        ),
    };
  }

  away(): boolean {
    return this.#lostForMs() > 0 || performance.now() < this.#awayUntil;
  }

  async #read<Row>(ask: () => Promise<Row[]>, copy: (copied: Copied) => Row[]): Promise<Row[]> {
    const copied = this.#copied();
    if (copied === null) return ask();
    if (this.away()) return copy(copied);
    const asked = ask();
    const answered = new AbortController();
    const late = sleep(PATIENCE_MS, null, { signal: answered.signal }).then(() => {
      throw new StoreUnavailable("the database does not answer a search in time");
    });
    try {
      // Whichever comes later is no unhandled rejection: the race has heard of it.
      return await Promise.race([asked, late]);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.#awayUntil = performance.now() + PAUSE_MS;
      return copy(copied);
    } finally {
      answered.abort();
    }
  }
}
