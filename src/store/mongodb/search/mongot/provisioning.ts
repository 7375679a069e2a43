import { setTimeout as sleep } from "node:timers/promises";
import type { Collection, Document } from "mongodb";
import type { StoreLog } from "../../../module.ts";
import type { PostDocument } from "../../schema/documents.ts";
import { covers, definitions } from "./definitions.ts";

/**
 * State of the database's search: `absent` where the server has none, `building` while an index cannot be queried or has
 * another definition, `away` while mongot does not answer.
 */
export type MongotState = "absent" | "away" | "building" | "ready";

/** How long to wait between looks while mongot is away or building, and while it is ready or absent. */
const LOOK_SOON_MS = 5_000;
const LOOK_LATER_MS = 5 * 60_000;
/** Error codes of servers without search: SearchNotEnabled, InvalidOptions, CommandNotFound, unknown stage. */
const ABSENT: ReadonlySet<unknown> = new Set([31082, 115, 59, 40324]);
/** The user may not list search indexes: as good as none until the operator grants it. */
const UNAUTHORIZED = 13;
const ALREADY_THERE = 68;

/** Creates both indexes as they are defined, and watches whether they answer. */
export class SearchIndexes {
  state: MongotState = "away";
  readonly #posts: Collection<PostDocument>;
  readonly #wanted: ReturnType<typeof definitions>;
  readonly #log: StoreLog;
  readonly #closed = new AbortController();
  /** Indexes that this process updated once. If the server still reports another form, it only spells ours differently. */
  readonly #updated = new Set<string>();

  constructor(options: { posts: Collection<PostDocument>; dimension: number; log: StoreLog }) {
    this.#posts = options.posts;
    this.#wanted = definitions(options.dimension);
    this.#log = options.log;
  }

  /** Looks once, then keeps looking in the background: a server may get its mongot later. */
  async open(): Promise<void> {
    await this.#look();
    void this.#watch();
  }

  close(): void {
    this.#closed.abort();
  }

  async #watch(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      const settled = this.state === "ready" || this.state === "absent";
      const waitMs = settled ? LOOK_LATER_MS : LOOK_SOON_MS;
      await sleep(waitMs, null, { signal: this.#closed.signal, ref: false }).catch(() => {});
      if (!this.#closed.signal.aborted) await this.#look();
    }
  }

  async #look(): Promise<void> {
    const before = this.state;
    try {
      const there = new Map<string, Document>();
      for (const index of await this.#posts.listSearchIndexes().toArray()) there.set(index.name, index);
      const ready = await Promise.all(
        this.#wanted.map((wanted) => this.#ensure(wanted, there.get(wanted.name))),
      );
      this.state = ready.every((one) => one) ? "ready" : "building";
    } catch (error) {
      const code = codeOf(error);
      this.state = ABSENT.has(code) || code === UNAUTHORIZED ? "absent" : "away";
      if (code === UNAUTHORIZED && before !== "absent") {
        this.#log.warn(
          { err: error },
          "the database's user may not see search indexes; docs/mongodb.md lists the rights it needs",
        );
      }
      if (this.state === "away" && before !== "away") {
        this.#log.warn({ err: error }, "the database's search does not answer");
      }
    }
    if (this.state !== before) this.#log.info({ state: this.state }, "the database's search");
  }

  /** Creates or updates an index; resolves to whether it answers, in its wanted form. */
  async #ensure(
    wanted: ReturnType<typeof definitions>[number],
    there: Document | undefined,
  ): Promise<boolean> {
    if (there === undefined) {
      await this.#posts.createSearchIndex(wanted).catch((error: unknown) => {
        // Another process was first.
        if (codeOf(error) !== ALREADY_THERE) throw error;
      });
      return false;
    }
    if (!covers(there["latestDefinition"], wanted.definition) && !this.#updated.has(wanted.name)) {
      this.#updated.add(wanted.name);
      await this.#posts.updateSearchIndex(wanted.name, wanted.definition);
      return false;
    }
    if (there["status"] === "FAILED") {
      this.#log.warn({ index: wanted.name }, "the database could not build a search index");
    }
    return there["queryable"] === true && there["status"] === "READY";
  }
}

/** The server's error code, also from inside an error that wraps it. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return "code" in error ? error.code : codeOf(error.cause);
}
