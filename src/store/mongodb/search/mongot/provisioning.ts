import { setTimeout as sleep } from "node:timers/promises";
import type { Collection, Document } from "mongodb";
import type { SettingStore } from "../../../../ports/store/index.ts";
import type { StoreLog } from "../../../module.ts";
import type { PostDocument } from "../../database/schema/documents.ts";
import { covers, definitionHash, definitions, WORDS_INDEX } from "./definitions.ts";

/**
 * State of the database's search: `absent` where the server has none, `building` while an index cannot be queried, `away`
 * while mongot does not answer. An index that is stale or being rebuilt goes on answering, so it is `ready`.
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
  readonly #settings: Settings;
  readonly #closed = new AbortController();
  /**
   * Indexes that this process made or updated, with the hash of what the server reported before, null for nothing. Each is
   * updated once: another process, of another release, may want it otherwise, and the two would take turns for ever.
   */
  readonly #applied = new Map<string, string | null>();
  /** Indexes that the server has reported in the wanted form since. */
  readonly #confirmed = new Set<string>();
  /** Indexes that answer in their wanted form. */
  readonly #current = new Set<string>();

  /** @param options.settings  remembers over processes how the server spells our definitions */
  constructor(options: {
    posts: Collection<PostDocument>;
    dimension: number;
    log: StoreLog;
    settings: Settings;
  }) {
    this.#posts = options.posts;
    this.#wanted = definitions(options.dimension);
    this.#log = options.log;
    this.#settings = options.settings;
  }

  /** True once the index of words gives the stored fields; while an older form of it answers, some are missing. */
  get storesFacts(): boolean {
    return this.#current.has(WORDS_INDEX);
  }

  /** True while both indexes have their wanted form and follow the collection. */
  get areCurrent(): boolean {
    return this.#wanted.every(({ name }) => this.#current.has(name));
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
      const made = await this.#ensureAll();
      // Again at once after a change: the server now reports how it spells the definition.
      const queryable = made.includes("changed") ? await this.#ensureAll() : made;
      this.state = queryable.every((one) => one === "queryable") ? "ready" : "building";
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

  async #ensureAll(): Promise<Look[]> {
    const there = new Map<string, Document>();
    for (const index of await this.#posts.listSearchIndexes().toArray()) there.set(index.name, index);
    return Promise.all(this.#wanted.map((wanted) => this.#ensure(wanted, there.get(wanted.name))));
  }

  /** Creates an index, or updates it unless it has the wanted form already. */
  async #ensure(wanted: Wanted, there: Document | undefined): Promise<Look> {
    const { name, definition } = wanted;
    if (there === undefined) {
      await this.#posts.createSearchIndex(wanted).then(
        () => this.#applied.set(name, null),
        (error: unknown) => {
          // Another process was first.
          if (codeOf(error) !== ALREADY_THERE) throw error;
        },
      );
      return "changed";
    }
    const reported: unknown = there["latestDefinition"];
    const isWanted = await this.#isWanted(wanted, reported);
    if (!isWanted && !this.#applied.has(name)) {
      this.#applied.set(name, definitionHash(reported));
      await this.#posts.updateSearchIndex(name, definition);
      return "changed";
    }
    const { status, queryable } = there;
    if (status === "FAILED") {
      this.#log.warn({ index: name }, "the database could not build a search index");
    }
    if (status === "READY" && isWanted) this.#current.add(name);
    else this.#current.delete(name);
    // While the new form is built, or fails, the old one answers.
    return queryable === true ? "queryable" : "building";
  }

  /** True for the wanted definition, also as this server is known to spell it. */
  async #isWanted({ name, definition }: Wanted, reported: unknown): Promise<boolean> {
    const setting = `search_index_${name}`;
    const spelling = `${definitionHash(definition)} ${definitionHash(reported)}`;
    const isKnown = covers(reported, definition) || (await this.#settings.get(setting)) === spelling;
    if (!isKnown && !this.#isOurs(name, definitionHash(reported))) return false;
    if (!isKnown) await this.#settings.set(setting, spelling);
    if (this.#applied.has(name)) this.#confirmed.add(name);
    return true;
  }

  /**
   * True when the server spells what this process gave it differently. It may still report what was there before; and once
   * it has reported ours, something else is another's.
   */
  #isOurs(name: string, reported: string): boolean {
    const before = this.#applied.get(name);
    return before !== undefined && before !== reported && !this.#confirmed.has(name);
  }
}

type Wanted = ReturnType<typeof definitions>[number];
type Settings = Pick<SettingStore, "get" | "set">;
/** What a look found of an index: whether it answers, or that it was made or updated now. */
type Look = "queryable" | "building" | "changed";

/** The server's error code, also from inside an error that wraps it. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return "code" in error ? error.code : codeOf(error.cause);
}
