import { setTimeout as sleep } from "node:timers/promises";
import type { Document } from "mongodb";
import type { SettingStore } from "../../../../ports/store/index.ts";
import type { StoreLog } from "../../../module.ts";
import type { MongodbConnection } from "../../database/connection.ts";
import type { Collections } from "../../database/context.ts";
import { definitions, LIST_INDEXES } from "./definitions.ts";

/** These lie between two looks while something is missing, and while all is there. */
const LOOK_SOON_MS = 5_000;
const LOOK_LATER_MS = 60_000;
/** Servers without search answer with these error codes: SearchNotEnabled, InvalidOptions, CommandNotFound, unknown stage. */
const ABSENT: ReadonlySet<unknown> = new Set([31082, 115, 59, 40324]);
/** The user may not list search indexes: as good as none until the operator grants it. */
const UNAUTHORIZED = 13;
const ALREADY_THERE = 68;

export interface SearchedStore {
  connection: MongodbConnection;
  collections: Collections;
  /** Remembers over processes which definitions the database was given. */
  settings: Pick<SettingStore, "get" | "set">;
}

/** Makes the indexes that searching needs, mongot's two and those of lists, and watches whether they answer. */
export class SearchIndexes {
  /**
   * The state is `absent` where the server has no search, `building` while an index cannot be queried, `away` while
   * mongot does not answer.
   */
  state: "absent" | "away" | "building" | "ready" = "away";
  /** True once lists can be asked for. */
  listsReady = false;
  readonly #store: SearchedStore;
  readonly #dimension: number;
  readonly #log: StoreLog;
  readonly #closed = new AbortController();
  /** These indexes have the definition of this release. */
  readonly #defined = new Set<string>();

  constructor(store: SearchedStore, { dimension, log }: { dimension: number; log: StoreLog }) {
    this.#store = store;
    this.#dimension = dimension;
    this.#log = log;
  }

  /** Looks once, then keeps looking in the background, unless the server has no search. */
  async open(): Promise<void> {
    await this.#look();
    if (this.state !== "absent") void this.#watch();
  }

  close(): void {
    this.#closed.abort();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      const waitMs = this.state === "ready" && this.listsReady ? LOOK_LATER_MS : LOOK_SOON_MS;
      await sleep(waitMs, null, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) await this.#look();
    }
  }

  async #look(): Promise<void> {
    const log = this.#log;
    const before = this.state;
    try {
      this.state = (await this.#ensureSearch()) ? "ready" : "building";
    } catch (error) {
      const code = codeOf(error);
      this.state = ABSENT.has(code) || code === UNAUTHORIZED ? "absent" : "away";
      if (code === UNAUTHORIZED) {
        const message =
          "the database's user may not see search indexes; docs/mongodb.md lists the rights it needs";
        log.warn({ err: error }, message);
      } else if (this.state === "away" && before !== "away") {
        log.warn({ err: error }, "the database's search does not answer");
      }
    }
    if (this.state !== before) log.info({ state: this.state }, "the database's search");
    if (this.state !== "absent") await this.#ensureLists();
  }

  /** Resolves to whether both of mongot's indexes answer. */
  async #ensureSearch(): Promise<boolean> {
    const { settings } = this.#store;
    const { posts } = this.#store.collections;
    const there = new Map<string, Document>();
    for (const index of await posts.listSearchIndexes().toArray()) there.set(index.name, index);
    const answering: boolean[] = [];
    for (const wanted of definitions(this.#dimension)) {
      const { name, definition } = wanted;
      const known = there.get(name);
      // The definition is not compared with what the server reports: servers spell definitions their own way.
      const [setting, text] = [`search_index_${name}`, JSON.stringify(definition)];
      if (known === undefined) {
        await posts.createSearchIndex(wanted).catch((error: unknown) => {
          // Another process was first.
          if (codeOf(error) !== ALREADY_THERE) throw error;
        });
        await settings.set(setting, text);
      } else if (!this.#defined.has(name) && (await settings.get(setting)) !== text) {
        await posts.updateSearchIndex(name, definition);
        await settings.set(setting, text);
      }
      this.#defined.add(name);
      // While a new form is built, or fails, the old one answers.
      answering.push(known?.["queryable"] === true);
    }
    return answering.every(Boolean);
  }

  /** Building them takes minutes for millions of posts: the server goes on, and the next look waits again. */
  async #ensureLists(): Promise<void> {
    if (this.listsReady) return;
    try {
      await this.#store.collections.posts.createIndexes([...LIST_INDEXES]);
      this.listsReady = true;
    } catch (error) {
      this.#log.warn({ err: error }, "the indexes of lists are not built yet");
    }
  }
}

/** Finds the server's error code, also inside an error that wraps it. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return "code" in error ? error.code : codeOf(error.cause);
}
