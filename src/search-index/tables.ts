import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { IndexEntry } from "../ports/search-index.ts";
import type { Kind } from "../schema/post.ts";
import { indexable } from "../search/tokens.ts";
import { type IndexedPost, STATUS } from "./indexed-post.ts";

/**
 * Stands for a publisher beside a post of which only the vector changed: the memory then need not read its text again. An
 * older release, which knows no such mark, reads it all the same.
 */
const OF_VECTOR = "";
/** Changes kept for other processes; one that lags further behind loads everything again. */
const CHANGES_KEPT = 65_536;
/** Old changes are dropped each time this many were added. */
const PRUNE_EVERY = 1024;

/**
 * A change number, the posts (ascending) and publishers changed up to it; `vectors` are posts of which only the vector
 * changed. `null` when changes in between were dropped.
 */
export type Changes = { no: number; seqs: number[]; vectors: number[]; publishers: string[] } | null;

/** The statements of the index on one connection. Writes run inside the caller's transaction. */
export class Tables {
  readonly #database: DatabaseSyncInstance;
  readonly #statements;

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
    const prepare = (sql: string) => database.prepare(sql);
    this.#statements = {
      seqOf: prepare("SELECT seq FROM index_doc WHERE id = ?"),
      // No upserts: before a statement that may be undone half-way, the full-text index writes out what it gathered.
      addDoc: prepare(
        `INSERT INTO index_doc (kind, tags, lat, lng, window_start, window_end, expires_at, created_at,
           publisher_id, parent_id, syndicated, source, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      changeDoc: prepare(
        `UPDATE index_doc SET kind = ?, tags = ?, lat = ?, lng = ?, window_start = ?, window_end = ?, expires_at = ?,
           created_at = ?, publisher_id = ?, parent_id = ?, syndicated = ?, source = ? WHERE seq = ?`,
      ),
      removeDoc: prepare("DELETE FROM index_doc WHERE seq = ?"),
      sameWords: prepare(
        "SELECT title = ? AND body = ? AND more = ? AS same FROM index_words WHERE rowid = ?",
      ),
      addWords: prepare("INSERT INTO index_words (rowid, title, body, more) VALUES (?, ?, ?, ?)"),
      changeWords: prepare("UPDATE index_words SET title = ?, body = ?, more = ? WHERE rowid = ?"),
      removeWords: prepare("DELETE FROM index_words WHERE rowid = ?"),
      addVector: prepare("INSERT INTO index_vector (model, i8, seq) VALUES (?, ?, ?)"),
      changeVector: prepare("UPDATE index_vector SET model = ?, i8 = ? WHERE seq = ?"),
      removeVector: prepare("DELETE FROM index_vector WHERE seq = ?"),
      putPublisher: prepare(
        "INSERT INTO index_publisher (id, verified, suspended) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET verified = excluded.verified, suspended = excluded.suspended",
      ),
      removePublisher: prepare("DELETE FROM index_publisher WHERE id = ?"),
      addChange: prepare("INSERT INTO index_change (seq, publisher_id) VALUES (?, ?)"),
      pruneChanges: prepare("DELETE FROM index_change WHERE no <= ?"),
      forgetPublisher: prepare("DELETE FROM index_change WHERE publisher_id = ?"),
      // One at a time each is a look at an end of the table; asked for together, they read all of it.
      changeRange: prepare(
        "SELECT (SELECT min(no) FROM index_change) AS oldest, (SELECT max(no) FROM index_change) AS newest",
      ),
      changes: prepare("SELECT seq, publisher_id FROM index_change WHERE no > ? AND no <= ?"),
      many: prepare("SELECT count(*) AS n FROM (SELECT 1 FROM index_doc LIMIT ?)"),
      posts: prepare(`${POSTS} WHERE d.seq > ? ORDER BY d.seq LIMIT ?`),
      postsOf: prepare(`${POSTS} WHERE d.seq IN (SELECT value FROM json_each(?)) ORDER BY d.seq`),
      vectorsOf: prepare(
        "SELECT seq, i8 FROM index_vector WHERE model = ? AND seq IN (SELECT value FROM json_each(?))",
      ),
      publishers: prepare("SELECT id, verified, suspended FROM index_publisher"),
      publishersOf: prepare(
        "SELECT id, verified, suspended FROM index_publisher WHERE id IN (SELECT value FROM json_each(?))",
      ),
      postsBetween: prepare(`SELECT id FROM index_doc ${BETWEEN}`),
      publishersBetween: prepare(`SELECT id FROM index_publisher ${BETWEEN}`),
      snapshot: prepare("SELECT mark, erasures FROM index_snapshot"),
      markSnapshot: prepare("UPDATE index_snapshot SET mark = ? WHERE erasures = ?"),
      eraseSnapshot: prepare("UPDATE index_snapshot SET mark = NULL, erasures = erasures + 1"),
      version: prepare("PRAGMA data_version"),
    };
    for (const name of ["posts", "postsOf", "vectorsOf", "changes"] as const)
      this.#statements[name].setReturnArrays(true);
  }

  /** False once the connection was closed. */
  isOpen(): boolean {
    return this.#database.isOpen;
  }

  /** True while a transaction is open on this connection: what it wrote must not be seen yet. */
  inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  put(entry: IndexEntry): void {
    const { addDoc, changeDoc, sameWords, addWords, changeWords } = this.#statements;
    const known = this.#seqOf(entry.id);
    const doc = [
      entry.kind,
      JSON.stringify(entry.tags),
      entry.lat,
      entry.lng,
      entry.windowStart,
      entry.windowEnd,
      entry.expiresAt,
      entry.createdAt,
      entry.publisherId,
      entry.parentId,
      entry.syndicated ? 1 : 0,
      entry.source,
    ];
    const seq = known ?? Number(addDoc.run(...doc, entry.id).lastInsertRowid);
    const more = [...entry.tags, entry.placeName ?? ""].join(" ");
    const words = [entry.title, entry.body, more].map(indexable) as [string, string, string];
    if (known === undefined) addWords.run(seq, ...words);
    else {
      changeDoc.run(...doc, seq);
      // A reply moves its parent's expiry only; writing the same words again would cost ten times as much.
      const there = sameWords.get(...words, seq) as { same: number } | undefined;
      // A new version of the index may have emptied the table.
      if (there === undefined) addWords.run(seq, ...words);
      else if (there.same !== 1) changeWords.run(...words, seq);
    }
    this.#changed(seq, null);
  }

  remove(id: string): void {
    const seq = this.#seqOf(id);
    if (seq === undefined) return;
    this.#statements.removeDoc.run(seq);
    this.#statements.removeWords.run(seq);
    this.#statements.removeVector.run(seq);
    this.#changed(seq, null);
  }

  putVector(id: string, model: string, vector: Int8Array): void {
    const seq = this.#seqOf(id);
    if (seq === undefined) return;
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    const { addVector, changeVector } = this.#statements;
    if (changeVector.run(model, bytes, seq).changes === 0) addVector.run(model, bytes, seq);
    this.#changed(seq, OF_VECTOR);
  }

  removeVector(id: string): void {
    const seq = this.#seqOf(id);
    if (seq === undefined) return;
    this.#statements.removeVector.run(seq);
    this.#changed(seq, OF_VECTOR);
  }

  putPublisher(id: string, publisher: { verified: boolean; suspended: boolean }): void {
    this.#statements.putPublisher.run(id, publisher.verified ? 1 : 0, publisher.suspended ? 1 : 0);
    this.#changed(null, id);
  }

  /** Its posts are gone already, so no memory needs to hear of it, and its id leaves the table of changes. */
  removePublisher(id: string): void {
    this.#statements.removePublisher.run(id);
    this.#statements.eraseSnapshot.run();
    this.#statements.forgetPublisher.run(id);
  }

  /** True when there are at least as many posts. */
  hasPosts(count: number): boolean {
    return (this.#statements.many.get(count) as { n: number }).n >= count;
  }

  /** Ids of posts in `(after, until]`; null means no end. */
  postsBetween(after: string, until: string | null): string[] {
    return (this.#statements.postsBetween.all(after, until) as { id: string }[]).map(({ id }) => id);
  }

  /** Ids of publishers, the same way. */
  publishersBetween(after: string, until: string | null): string[] {
    const rows = this.#statements.publishersBetween.all(after, until) as { id: string }[];
    return rows.map(({ id }) => id);
  }

  /** `mark` is that of the snapshot that belongs to this file, null when there is none. */
  snapshotState(): { mark: string | null; erasures: number } {
    return this.#statements.snapshot.get() as { mark: string | null; erasures: number };
  }

  /**
   * Lets a new snapshot belong to this file.
   * @param erasures  as they were before it was taken
   * @returns false when something was erased meanwhile
   */
  markSnapshot(mark: string, erasures: number): boolean {
    return this.#statements.markSnapshot.run(mark, erasures).changes === 1;
  }

  /** Changes whenever another connection commits to the file. */
  dataVersion(): number {
    return (this.#statements.version.get() as { data_version: number }).data_version;
  }

  /** Number of the newest change, 0 before the first. */
  newestChange(): number {
    return (this.#statements.changeRange.get() as { newest: number | null }).newest ?? 0;
  }

  changesAfter(no: number): Changes {
    const { oldest, newest } = this.#statements.changeRange.get() as {
      oldest: number | null;
      newest: number | null;
    };
    if (newest === null || newest <= no) return { no, seqs: [], vectors: [], publishers: [] };
    if (oldest !== null && oldest > no + 1) return null;
    const seqs = new Set<number>();
    const vectors = new Set<number>();
    const publishers = new Set<string>();
    for (const [seq, id] of this.#statements.changes.all(no, newest) as [number | null, string | null][]) {
      if (seq !== null) (id === OF_VECTOR ? vectors : seqs).add(seq);
      else if (id !== null) publishers.add(id);
    }
    return {
      no: newest,
      seqs: [...seqs].sort((a, b) => a - b),
      vectors: [...vectors].filter((seq) => !seqs.has(seq)),
      publishers: [...publishers],
    };
  }

  /** At most `limit` posts with a larger `seq` than `after`, in order, with their vectors of `model`. */
  posts(model: string | null, after: number, limit: number): IndexedPost[] {
    return (this.#statements.posts.all(model, after, limit) as PostRow[]).map(postOf);
  }

  /** Those of the posts that exist, in the order of `seq`. */
  postsOf(model: string | null, seqs: readonly number[]): IndexedPost[] {
    return (this.#statements.postsOf.all(model, JSON.stringify(seqs)) as PostRow[]).map(postOf);
  }

  /** The vectors of posts, by `seq`; none for those without one of this model. */
  vectorsOf(model: string | null, seqs: readonly number[]): ReadonlyMap<number, Uint8Array> {
    return new Map(this.#statements.vectorsOf.all(model, JSON.stringify(seqs)) as [number, Uint8Array][]);
  }

  /** The status of these publishers; without `ids`, of all. */
  publishers(ids?: readonly string[]): { id: string; status: number }[] {
    const { publishers, publishersOf } = this.#statements;
    const rows = (ids === undefined ? publishers.all() : publishersOf.all(JSON.stringify(ids))) as {
      id: string;
      verified: number;
      suspended: number;
    }[];
    return rows.map(({ id, verified, suspended }) => ({
      id,
      status: (verified === 1 ? STATUS.verified : 0) | (suspended === 1 ? STATUS.suspended : 0),
    }));
  }

  #seqOf(id: string): number | undefined {
    return (this.#statements.seqOf.get(id) as { seq: number } | undefined)?.seq;
  }

  #changed(seq: number | null, publisherId: string | null): void {
    const { addChange, pruneChanges } = this.#statements;
    const no = Number(addChange.run(seq, publisherId).lastInsertRowid);
    if (no % PRUNE_EVERY === 0) pruneChanges.run(no - CHANGES_KEPT);
  }
}

/** SQLite sorts every blob after every text, so `x''` bounds nothing. */
const BETWEEN = "WHERE id > ? AND id <= coalesce(?, x'') ORDER BY id";

const POSTS = `SELECT d.seq, d.id, d.kind, d.tags, d.lat, d.lng, d.window_start, d.window_end, d.expires_at,
  d.created_at, d.publisher_id, d.parent_id, d.syndicated, d.source, v.i8, w.title, w.body, w.more
  FROM index_doc AS d LEFT JOIN index_vector AS v ON v.seq = d.seq AND v.model = ?
  LEFT JOIN index_words AS w ON w.rowid = d.seq`;

type PostRow = [
  seq: number,
  id: string,
  kind: Kind,
  tags: string,
  lat: number | null,
  lng: number | null,
  windowStart: number,
  windowEnd: number,
  expiresAt: number,
  createdAt: number,
  publisherId: string,
  parentId: string | null,
  syndicated: number,
  source: string | null,
  vector: Uint8Array | null,
  title: string | null,
  body: string | null,
  more: string | null,
];

function postOf(row: PostRow): IndexedPost {
  return {
    seq: row[0],
    id: row[1],
    kind: row[2],
    tags: JSON.parse(row[3]) as string[],
    lat: row[4],
    lng: row[5],
    windowStart: row[6],
    windowEnd: row[7],
    expiresAt: row[8],
    createdAt: row[9],
    publisherId: row[10],
    parentId: row[11],
    syndicated: row[12] === 1,
    source: row[13],
    vector: row[14],
    // A new version of the index may have emptied the table of words.
    text: { title: row[15] ?? "", body: row[16] ?? "", more: row[17] ?? "" },
  };
}
