import type { IndexEntry } from "../ports/search-index.ts";
import type { Kind } from "../schema/post.ts";
import { indexable, otherSpellings } from "../search/tokens.ts";
import type { DatabaseSyncInstance } from "../sqlite.ts";
import { type IndexedPost, type IndexedText, STATUS } from "./indexed-post.ts";

/** Changes kept for other processes; one that lags further behind loads everything again. */
const CHANGES_KEPT = 65_536;
/** Old changes are dropped each time this many were added. */
const PRUNE_EVERY = 1024;

/** The number of the last change, the erasures up to it, and the posts (ascending) and publishers that changed. */
interface Changes {
  no: number;
  erasures: number;
  seqs: number[];
  publishers: string[];
}

type ChangeRow = [no: number, seq: number | null, publisherId: string | null, erasures: number];

/** The statements of the index on one connection. Writes run inside the caller's transaction. */
export class Tables {
  readonly #database: DatabaseSyncInstance;
  readonly #statements;
  /** True when words were removed that the full-text index may not have taken out yet. */
  #hasRemovedWords = false;

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
    const prepare = (sql: string) => database.prepare(sql);
    this.#statements = {
      seqOf: prepare("SELECT seq FROM index_doc WHERE id = ?"),
      textOf: prepare("SELECT seq, title, body, more FROM index_doc WHERE id = ?"),
      addDoc: prepare(
        `INSERT INTO index_doc (kind, tags, lat, lng, window_start, window_end, expires_at, created_at, publisher_id,
           parent_id, syndicated, source, series, title, body, more, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      changeDoc: prepare(
        `UPDATE index_doc SET kind = ?, tags = ?, lat = ?, lng = ?, window_start = ?, window_end = ?, expires_at = ?,
           created_at = ?, publisher_id = ?, parent_id = ?, syndicated = ?, source = ?, series = ?, title = ?,
           body = ?, more = ?
         WHERE seq = ?`,
      ),
      removeDoc: prepare("DELETE FROM index_doc WHERE seq = ?"),
      addWords: prepare("INSERT INTO index_words (title, body, more, rowid) VALUES (?, ?, ?, ?)"),
      // Of a text exactly as it was added.
      removeWords: prepare(
        "INSERT INTO index_words (index_words, title, body, more, rowid) VALUES ('delete', ?, ?, ?, ?)",
      ),
      flushWords: prepare("INSERT INTO index_words (index_words) VALUES ('flush')"),
      // No upsert: before a statement that may be undone half-way, the full-text index writes out what it gathered.
      addVector: prepare("INSERT OR IGNORE INTO index_vector (model, i8, seq) VALUES (?, ?, ?)"),
      changeVector: prepare("UPDATE index_vector SET model = ?, i8 = ? WHERE seq = ?"),
      removeVector: prepare("DELETE FROM index_vector WHERE seq = ?"),
      putPublisher: prepare(
        "INSERT INTO index_publisher (id, verified, suspended) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET verified = excluded.verified, suspended = excluded.suspended",
      ),
      removePublisher: prepare("DELETE FROM index_publisher WHERE id = ?"),
      hasPublisherOf: prepare(
        "SELECT 1 FROM index_publisher WHERE id = (SELECT publisher_id FROM index_doc WHERE seq = ?)",
      ),
      addChange: prepare("INSERT INTO index_change (seq, publisher_id) VALUES (?, ?)"),
      pruneChanges: prepare("DELETE FROM index_change WHERE no <= ?"),
      forgetPublisher: prepare("UPDATE index_change SET publisher_id = NULL WHERE publisher_id = ?"),
      newest: prepare("SELECT max(no) AS newest FROM index_change"),
      changes: prepare(
        "SELECT no, seq, publisher_id, erasures FROM index_change CROSS JOIN index_snapshot WHERE no > ? ORDER BY no",
      ),
      many: prepare("SELECT count(*) AS n FROM (SELECT 1 FROM index_doc LIMIT ?)"),
      posts: prepare(`${POSTS} WHERE d.seq > ? ORDER BY d.seq LIMIT ?`),
      post: prepare(`${POSTS} WHERE d.seq = ?`),
      publishers: prepare("SELECT id, verified, suspended FROM index_publisher"),
      publishersOf: prepare(
        "SELECT id, verified, suspended FROM index_publisher WHERE id IN (SELECT value FROM json_each(?))",
      ),
      snapshot: prepare("SELECT mark, erasures FROM index_snapshot"),
      markSnapshot: prepare("UPDATE index_snapshot SET mark = ? WHERE erasures = ?"),
      eraseSnapshot: prepare("UPDATE index_snapshot SET mark = NULL, erasures = erasures + 1"),
      version: prepare("PRAGMA data_version"),
    };
    for (const name of ["posts", "post", "changes"] as const) this.#statements[name].setReturnArrays(true);
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
    const { addDoc, changeDoc, textOf, addWords, flushWords } = this.#statements;
    const known = textOf.get(entry.id) as KeptText | undefined;
    const text = {
      title: spelled(entry.title),
      body: spelled(entry.body),
      more: spelled([...entry.tags, entry.placeName ?? ""].join(" ")),
    };
    const fields = [
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
      entry.series,
      text.title,
      text.body,
      text.more,
    ];
    const seq = known?.seq ?? Number(addDoc.run(...fields, entry.id).lastInsertRowid);
    if (known !== undefined) changeDoc.run(...fields, seq);
    const { title, body, more } = text;
    // A reply moves its parent's expiry only.
    if (known?.title !== title || known.body !== body || known.more !== more) {
      if (known !== undefined) this.#removeWords(known);
      // Removed and added under one number in one transaction, long lists of places stay behind (FTS5 of SQLite 3.53).
      if (this.#hasRemovedWords) flushWords.run();
      this.#hasRemovedWords = false;
      addWords.run(title, body, more, seq);
    }
    this.#changed(seq, null);
  }

  /** @returns true when its publisher went before it, so that a snapshot since then holds an erased post */
  remove(id: string): boolean {
    const known = this.#statements.textOf.get(id) as KeptText | undefined;
    if (known === undefined) return false;
    const { seq } = known;
    const isErased = this.#statements.hasPublisherOf.get(seq) === undefined;
    if (isErased) this.#statements.eraseSnapshot.run();
    this.#removeWords(known);
    this.#statements.removeDoc.run(seq);
    this.#statements.removeVector.run(seq);
    this.#changed(seq, null);
    return isErased;
  }

  putVector(id: string, model: string, vector: Int8Array): void {
    const seq = this.#seqOf(id);
    if (seq === undefined) return;
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    const { addVector, changeVector } = this.#statements;
    if (addVector.run(model, bytes, seq).changes === 0) changeVector.run(model, bytes, seq);
    this.#changed(seq, null);
  }

  removeVector(id: string): void {
    const seq = this.#seqOf(id);
    if (seq === undefined) return;
    this.#statements.removeVector.run(seq);
    this.#changed(seq, null);
  }

  putPublisher(id: string, publisher: { verified: boolean; suspended: boolean }): void {
    this.#statements.putPublisher.run(id, publisher.verified ? 1 : 0, publisher.suspended ? 1 : 0);
    this.#changed(null, id);
  }

  /** Its posts are gone or going, so no memory needs to hear of it, and its id leaves the table of changes. */
  removePublisher(id: string): void {
    this.#statements.removePublisher.run(id);
    this.#statements.eraseSnapshot.run();
    this.#statements.forgetPublisher.run(id);
  }

  /** True when there are at least as many posts. */
  hasPosts(count: number): boolean {
    return (this.#statements.many.get(count) as { n: number }).n >= count;
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
    return (this.#statements.newest.get() as { newest: number | null }).newest ?? 0;
  }

  /** @returns null when changes in between were dropped */
  changesAfter(no: number): Changes | null {
    const rows = this.#statements.changes.all(no) as ChangeRow[];
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) {
      return { no, erasures: this.snapshotState().erasures, seqs: [], publishers: [] };
    }
    // Numbers have no gaps: each is the last one and one more.
    if (first[0] > no + 1) return null;
    const seqs = new Set<number>();
    const publishers = new Set<string>();
    for (const [, seq, id] of rows) {
      if (seq !== null) seqs.add(seq);
      else if (id !== null) publishers.add(id);
    }
    return {
      no: last[0],
      erasures: last[3],
      seqs: [...seqs].sort((a, b) => a - b),
      publishers: [...publishers],
    };
  }

  /** At most `limit` posts with a larger `seq` than `after`, in order, with their vectors of `model`. */
  posts(model: string | null, after: number, limit: number): IndexedPost[] {
    return (this.#statements.posts.all(model, after, limit) as PostRow[]).map(postOf);
  }

  /** Those of the posts that exist, in the order of `seqs`. */
  postsOf(model: string | null, seqs: readonly number[]): IndexedPost[] {
    return seqs.flatMap((seq) => {
      const row = this.#statements.post.get(model, seq) as PostRow | undefined;
      return row === undefined ? [] : [postOf(row)];
    });
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

  #removeWords({ title, body, more, seq }: KeptText): void {
    this.#statements.removeWords.run(title, body, more, seq);
    this.#hasRemovedWords = true;
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

/** Text as the index keeps it: its words, and behind them their other spellings. */
const spelled = (text: string) => [indexable(text), ...otherSpellings(text)].join(" ");

const POSTS = `SELECT d.seq, d.id, d.kind, d.tags, d.lat, d.lng, d.window_start, d.window_end, d.expires_at,
  d.created_at, d.publisher_id, d.parent_id, d.syndicated, d.source, d.series, v.i8, d.title, d.body, d.more
  FROM index_doc AS d LEFT JOIN index_vector AS v ON v.seq = d.seq AND v.model = ?`;

type KeptText = IndexedText & { seq: number };

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
  series: string | null,
  vector: Uint8Array | null,
  title: string,
  body: string,
  more: string,
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
    series: row[14],
    vector: row[15],
    text: { title: row[16], body: row[17], more: row[18] },
  };
}
