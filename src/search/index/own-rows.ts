import type { DatabaseSyncInstance } from "../../platform/sqlite.ts";
import type { IndexEntry } from "../../ports/search-index.ts";
import type { Kind } from "../../schema/post.ts";
import {
  type IndexedPost,
  type IndexedText,
  indexedTextOf,
  type PostRows,
  statusOf,
} from "./indexed-post.ts";

/** The tables of an index that has a file of its own. */
export const OWN_ROWS = `
  CREATE TABLE index_doc (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    tags TEXT NOT NULL,
    lat REAL,
    lng REAL,
    window_start INTEGER NOT NULL,
    window_end INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    publisher_id TEXT NOT NULL,
    parent_id TEXT,
    syndicated INTEGER NOT NULL,
    source TEXT,
    series TEXT,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    more TEXT NOT NULL
  ) STRICT;
  CREATE TABLE index_vector (seq INTEGER PRIMARY KEY, model TEXT NOT NULL, i8 BLOB NOT NULL) STRICT;
  CREATE TABLE index_publisher (
    id TEXT PRIMARY KEY, verified INTEGER NOT NULL, suspended INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`;

/** A text and its number. */
type KeptText = IndexedText & { seq: number };

/** The rows of an index that has a file of its own, beside a database that is elsewhere. */
export class OwnRows implements PostRows {
  readonly #statements;

  constructor(database: DatabaseSyncInstance) {
    const prepare = (sql: string) => database.prepare(sql);
    this.#statements = {
      textOf: prepare("SELECT seq, title, body, more FROM index_doc WHERE id = ?"),
      addDoc: prepare(
        `INSERT INTO index_doc (kind, tags, lat, lng, window_start, window_end, expires_at, created_at, publisher_id,
           parent_id, syndicated, source, series, title, body, more, id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      changeDoc: prepare(
        `UPDATE index_doc SET kind = ?, tags = ?, lat = ?, lng = ?, window_start = ?, window_end = ?, expires_at = ?,
           created_at = ?, publisher_id = ?, parent_id = ?, syndicated = ?, source = ?, series = ?, title = ?,
           body = ?, more = ?
         WHERE seq = ?`,
      ),
      removeDoc: prepare("DELETE FROM index_doc WHERE seq = ?"),
      addVector: prepare("INSERT OR REPLACE INTO index_vector (model, i8, seq) VALUES (?, ?, ?)"),
      removeVector: prepare("DELETE FROM index_vector WHERE seq = ?"),
      putPublisher: prepare(
        "INSERT OR REPLACE INTO index_publisher (id, verified, suspended) VALUES (?, ?, ?)",
      ),
      removePublisher: prepare("DELETE FROM index_publisher WHERE id = ?"),
      hasPublisherOf: prepare(
        "SELECT 1 FROM index_publisher WHERE id = (SELECT publisher_id FROM index_doc WHERE seq = ?)",
      ),
      many: prepare("SELECT count(*) AS n FROM (SELECT 1 FROM index_doc LIMIT ?)"),
      posts: prepare(`${POSTS} WHERE d.seq > ? ORDER BY d.seq LIMIT ?`),
      post: prepare(`${POSTS} WHERE d.seq = ?`),
      publishers: prepare("SELECT id, verified, suspended FROM index_publisher"),
      publishersOf: prepare(
        "SELECT id, verified, suspended FROM index_publisher WHERE id IN (SELECT value FROM json_each(?))",
      ),
    };
    for (const name of ["posts", "post"] as const) this.#statements[name].setReturnArrays(true);
  }

  /** @returns the text that it had, and the one that it has now */
  put(entry: IndexEntry): { seq: number; before: IndexedText | null; after: IndexedText } {
    const { addDoc, changeDoc } = this.#statements;
    const before = this.textOf(entry.id);
    const after = indexedTextOf(entry);
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
      after.title,
      after.body,
      after.more,
    ];
    const seq = before?.seq ?? Number(addDoc.run(...fields, entry.id).lastInsertRowid);
    if (before !== null) changeDoc.run(...fields, seq);
    return { seq, before, after };
  }

  /** Null without the post. */
  textOf(id: string): KeptText | null {
    return (this.#statements.textOf.get(id) as KeptText | undefined) ?? null;
  }

  remove(seq: number): void {
    this.#statements.removeDoc.run(seq);
    this.#statements.removeVector.run(seq);
  }

  /** False when the publisher of a post went before it. */
  hasPublisherOf(seq: number): boolean {
    return this.#statements.hasPublisherOf.get(seq) !== undefined;
  }

  putVector(seq: number, model: string, vector: Int8Array): void {
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    this.#statements.addVector.run(model, bytes, seq);
  }

  removeVector(seq: number): void {
    this.#statements.removeVector.run(seq);
  }

  putPublisher(id: string, { verified, suspended }: { verified: boolean; suspended: boolean }): void {
    this.#statements.putPublisher.run(id, verified ? 1 : 0, suspended ? 1 : 0);
  }

  removePublisher(id: string): void {
    this.#statements.removePublisher.run(id);
  }

  hasPosts(count: number): boolean {
    return (this.#statements.many.get(count) as { n: number }).n >= count;
  }

  posts(model: string | null, after: number, limit: number): IndexedPost[] {
    return (this.#statements.posts.all(model, after, limit) as PostRow[]).map(postOf);
  }

  postsOf(model: string | null, seqs: readonly number[]): IndexedPost[] {
    return seqs.flatMap((seq) => {
      const row = this.#statements.post.get(model, seq) as PostRow | undefined;
      return row === undefined ? [] : [postOf(row)];
    });
  }

  publishers(ids?: readonly string[]): { id: string; status: number }[] {
    const { publishers, publishersOf } = this.#statements;
    const rows = (ids === undefined ? publishers.all() : publishersOf.all(JSON.stringify(ids))) as {
      id: string;
      verified: number;
      suspended: number;
    }[];
    return rows.map(({ id, verified, suspended }) => ({
      id,
      status: statusOf({ verified: verified === 1, suspended: suspended === 1 }),
    }));
  }
}

const POSTS = `SELECT d.seq, d.id, d.kind, d.tags, d.lat, d.lng, d.window_start, d.window_end, d.expires_at,
  d.created_at, d.publisher_id, d.parent_id, d.syndicated, d.source, d.series, v.i8, d.title, d.body, d.more
  FROM index_doc AS d LEFT JOIN index_vector AS v ON v.seq = d.seq AND v.model = ?`;

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
