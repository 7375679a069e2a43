import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { IndexEntry, Match, Question, SearchIndex, TransactionalIndex } from "../ports/search-index.ts";
import type { Place } from "../ports/store/index.ts";
import { fuse, UNKNOWN_WORDS_MARGIN } from "../search/fuse.ts";
import { DOT_TO_COSINE } from "../search/vectors.ts";
import { BestRows } from "./best-rows.ts";
import { Columns } from "./columns.ts";
import { rowsPassing } from "./filter.ts";
import { MIGRATIONS, Tables } from "./tables.ts";
import { WordIndex } from "./word-scores.ts";

/** Posts read at once when loading or catching up: bounds memory beside the columns. */
const BATCH = 5000;
/** Dead rows are dropped when there are more than this, and more than a quarter of all. */
const DEAD_ROWS = 1000;

/** The rows that match a question, ascending, with the scores of both arms. NaN means "no cosine". */
interface Found {
  rows: Uint32Array;
  cosines: Float64Array;
  words: Float64Array;
  /** Largest of `words`. */
  bestWords: number;
}

/**
 * The embedded index: full text in SQLite FTS5; what filters and vector scans need is in memory, loaded once and kept up
 * to date from the change table. The file is authoritative, and several processes may use it.
 */
export class EmbeddedIndex implements SearchIndex, TransactionalIndex<DatabaseSyncInstance> {
  readonly migrations = MIGRATIONS;
  readonly #modelId: string | null;
  readonly #dimension: number;
  #attached: { tables: Tables; words: WordIndex } | null = null;
  #columns: Columns;
  /** Number of the last change in memory, and the file's version at that moment. */
  #change = 0;
  #version = -1;
  /** True when this connection committed since the change table was last read. */
  #stale = true;

  /**
   * @param model.modelId  vectors of other models stay in the file and are not searched; with null, none are
   * @param model.dimension  a multiple of 16
   */
  constructor(model: { modelId: string | null; dimension: number }) {
    this.#modelId = model.modelId;
    this.#dimension = model.dimension;
    this.#columns = new Columns(model.dimension);
  }

  attach(database: DatabaseSyncInstance): void {
    // Freed pages keep no bytes of erased posts.
    database.exec("PRAGMA secure_delete = ON");
    this.#attached = { tables: new Tables(database), words: new WordIndex(database) };
    this.#load();
  }

  readonly put = (entry: IndexEntry): void => this.#tables.put(entry);
  readonly remove = (id: string): void => this.#tables.remove(id);
  readonly putVector = (id: string, model: string, vector: Int8Array): void =>
    this.#tables.putVector(id, model, vector);
  readonly removeVector = (id: string): void => this.#tables.removeVector(id);
  readonly putPublisher: Tables["putPublisher"] = (id, status) => this.#tables.putPublisher(id, status);
  readonly removePublisher = (id: string): void => this.#tables.removePublisher(id);

  committed(): void {
    this.#stale = true;
  }

  ready(): boolean {
    return this.#attached !== null;
  }

  /**
   * Brings the memory up to date with the file. Costs microseconds when nothing changed, else about 6 µs for each changed
   * post. Every question begins with it; long writes call it between their steps, so that no question has to wait.
   */
  follow(): void {
    const tables = this.#tables;
    if (tables.inTransaction()) return;
    const version = tables.dataVersion();
    if (!this.#stale && version === this.#version) return;
    const changes = tables.changesAfter(this.#change);
    if (changes === null) {
      this.#load();
      return;
    }
    for (let at = 0; at < changes.seqs.length; at += BATCH) {
      const seqs = changes.seqs.slice(at, at + BATCH);
      const posts = tables.postsOf(this.#modelId, seqs);
      const alive = new Set(posts.map(({ seq }) => seq));
      for (const seq of seqs) if (!alive.has(seq)) this.#columns.remove(seq);
      for (const post of posts) this.#columns.put(this.#checked(post));
    }
    if (changes.publishers.length > 0) {
      for (const id of changes.publishers) this.#columns.putPublisher(id, 0);
      for (const { id, status } of tables.publishers(changes.publishers)) {
        this.#columns.putPublisher(id, status);
      }
    }
    const { dead, size } = this.#columns;
    if (dead > DEAD_ROWS && dead > size / 4) this.#columns.compact();
    this.#change = changes.no;
    this.#version = version;
    this.#stale = false;
  }

  /** Ids of posts in `(after, until]`; null means no end. */
  readonly postsBetween: Tables["postsBetween"] = (after, until) => this.#tables.postsBetween(after, until);

  /** Ids of publishers, the same way. */
  readonly publishersBetween: Tables["publishersBetween"] = (after, until) =>
    this.#tables.publishersBetween(after, until);

  async match(
    question: Question,
    page: { limit: number; except: ReadonlySet<string> },
  ): Promise<{ matches: Match[]; total: number; bestWords: number }> {
    const { rows, cosines, words, bestWords } = this.#find(question, true);
    const { ids } = this.#columns;
    const idOf = (at: number) => ids[rows[at] ?? 0] ?? "";
    const except = new Set<number>();
    for (const id of page.except) except.add(this.#columns.rowOf(id) ?? -1);
    const best = new BestRows(page.limit, (at, other) => idOf(at) < idOf(other));
    for (let at = 0; at < rows.length; at += 1) {
      if (except.size > 0 && except.has(rows[at] ?? 0)) continue;
      best.offer(at, fuse(cosineAt(cosines, at), words[at] ?? 0, bestWords));
    }
    const matches = best
      .sorted()
      .map((at) => ({ id: idOf(at), cosine: cosineAt(cosines, at), words: words[at] ?? 0 }));
    return { matches, total: rows.length, bestWords };
  }

  async list(
    question: Question,
    page: { order: "newest" | "soonest"; after: Place | null; limit: number },
  ): Promise<Place[]> {
    const { rows } = this.#find(question, false);
    const { ids, createdAt, windowStart } = this.#columns;
    // In both orders, the larger key goes first.
    const newest = page.order === "newest";
    const times = newest ? createdAt : windowStart;
    const sign = newest ? 1 : -1;
    const goesBefore = (id: string, other: string) => (newest ? id > other : id < other);
    const best = new BestRows(page.limit, (row, other) => goesBefore(ids[row] ?? "", ids[other] ?? ""));
    // Rows are roughly in the order of writing: a walk from the newest meets the best first.
    if (newest) rows.reverse();
    for (const row of rows) {
      const key = sign * (times[row] ?? 0);
      if (page.after !== null) {
        const last = sign * page.after.at;
        if (key > last || (key === last && !goesBefore(page.after.id, ids[row] ?? ""))) continue;
      }
      best.offer(row, key);
    }
    return best.sorted().map((row) => ({ at: times[row] ?? 0, id: ids[row] ?? "" }));
  }

  async count(question: Question): Promise<number> {
    return this.#find(question, false).rows.length;
  }

  async vectors(ids: readonly string[]): Promise<(Int8Array | null)[]> {
    this.follow();
    return ids.map((id) => {
      const row = this.#rowWithVector(id);
      return row === null ? null : this.#columns.vectors.get(row);
    });
  }

  async cosines(vector: Int8Array, ids: readonly string[]): Promise<Float64Array> {
    this.follow();
    const out = new Float64Array(ids.length).fill(Number.NaN);
    const rows: number[] = [];
    const places: number[] = [];
    for (const [place, id] of ids.entries()) {
      const row = this.#rowWithVector(id);
      if (row === null) continue;
      rows.push(row);
      places.push(place);
    }
    const dots = this.#columns.vectors.dots(vector, Uint32Array.from(rows));
    for (const [i, place] of places.entries()) out[place] = (dots[i] ?? 0) * DOT_TO_COSINE;
    return out;
  }

  get #tables(): Tables {
    if (this.#attached === null) throw new Error("The index is not attached to a database yet.");
    return this.#attached.tables;
  }

  #rowWithVector(id: string): number | null {
    const row = this.#columns.rowOf(id);
    return row !== undefined && this.#columns.hasVector(row) ? row : null;
  }

  /**
   * Filters, scores the rest by words and by meaning, and keeps what either supports.
   * @param weighed  false when only the rows are wanted; word scores are then 0 or 1
   */
  #find({ filter, words, vector, minCosine }: Question, weighed: boolean): Found {
    this.follow();
    const columns = this.#columns;
    let rows = rowsPassing(columns, filter);
    if (words === null && vector === null && !weighed) return { rows, ...NO_SCORES };
    let scores: Float64Array = new Float64Array(0);
    let required = false;
    let known = true;
    if (words !== null && this.#attached !== null) {
      const seqs = columns.seqsOf(rows);
      ({ scores, required, known } = this.#attached.words.scores(
        words,
        seqs,
        columns.size - columns.dead,
        weighed,
      ));
      const out = this.#attached.words.excluded(words, seqs);
      if (out.size > 0) {
        rows = rows.filter((_, at) => !out.has(at));
        scores = scores.filter((_, at) => !out.has(at));
      }
    }
    // Only excluded words: everything else matches. Words without a letter: nothing does.
    const asksWords = words !== null && !(words.any.length === 0 && !required && words.excluded.length > 0);
    const asksMeaning = vector !== null && this.#modelId !== null;
    const dots = asksMeaning ? columns.vectors.dots(vector, rows) : null;

    const floor = known ? minCosine : minCosine + UNKNOWN_WORDS_MARGIN;
    const found = {
      rows: new Uint32Array(rows.length),
      cosines: new Float64Array(rows.length),
      words: new Float64Array(rows.length),
      bestWords: 0,
    };
    let count = 0;
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? 0;
      const score = scores[at] ?? 0;
      const cosine = dots !== null && columns.hasVector(row) ? (dots[at] ?? 0) * DOT_TO_COSINE : Number.NaN;
      const supported = score > 0 || (!required && cosine >= floor) || (!asksWords && vector === null);
      if (!supported) continue;
      found.rows[count] = row;
      found.cosines[count] = cosine;
      found.words[count] = score;
      if (score > found.bestWords) found.bestWords = score;
      count += 1;
    }
    return { ...found, rows: found.rows.subarray(0, count) };
  }

  #load(): void {
    const tables = this.#tables;
    const version = tables.dataVersion();
    // Read before the posts: a commit in between is read twice, which does no harm.
    const change = tables.newestChange();
    const columns = new Columns(this.#dimension);
    for (let after = 0; ; ) {
      const posts = tables.posts(this.#modelId, after, BATCH);
      for (const post of posts) columns.put(this.#checked(post));
      if (posts.length < BATCH) break;
      after = posts.at(-1)?.seq ?? after;
    }
    for (const { id, status } of tables.publishers()) columns.putPublisher(id, status);
    this.#columns = columns;
    this.#change = change;
    this.#version = version;
    this.#stale = false;
  }

  /** A vector of the wrong length counts as none: its model changed under the same name. */
  #checked<T extends { vector: Uint8Array | null }>(post: T): T {
    return post.vector === null || post.vector.length === this.#dimension ? post : { ...post, vector: null };
  }
}

const NO_SCORES = { cosines: new Float64Array(0), words: new Float64Array(0), bestWords: 0 };

const cosineAt = (cosines: Float64Array, at: number): number | null => {
  const cosine = cosines[at] ?? Number.NaN;
  return Number.isNaN(cosine) ? null : cosine;
};
