import type { DatabaseSyncInstance } from "../../platform/sqlite.ts";
import type { IndexEntry } from "../../ports/search-index.ts";
import { type IndexedPost, type IndexedText, indexedTextOf, type PostRows } from "./indexed-post.ts";

/** An index that has a file of its own has these tables. Posts are read as a whole, so each is kept as one text of JSON. */
export const OWN_ROWS = `
  CREATE TABLE index_doc (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, post TEXT NOT NULL, model TEXT, vector BLOB
  ) STRICT;
  CREATE TABLE index_publisher (id TEXT PRIMARY KEY, status INTEGER NOT NULL) STRICT, WITHOUT ROWID`;

type PostRow = [seq: number, post: string, vector: Uint8Array | null];

/** Keeps the rows of an index that has a file of its own, beside a database that is elsewhere. */
export class OwnRows implements PostRows {
  readonly #statements;

  constructor(database: DatabaseSyncInstance) {
    const prepare = (sql: string) => database.prepare(sql);
    const read = "SELECT seq, post, CASE WHEN model = ? THEN vector END FROM index_doc WHERE";
    this.#statements = {
      posts: prepare(`${read} seq > ? ORDER BY seq LIMIT ?`),
      post: prepare(`${read} seq = ?`),
      postOf: prepare(`${read} id = ?`),
      put: prepare(
        "INSERT INTO index_doc (id, post) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET post = excluded.post RETURNING seq",
      ),
      remove: prepare("DELETE FROM index_doc WHERE seq = ?"),
      setVector: prepare("UPDATE index_doc SET model = ?, vector = ? WHERE id = ? RETURNING seq"),
      many: prepare("SELECT count(*) AS n FROM (SELECT 1 FROM index_doc LIMIT ?)"),
      putPublisher: prepare("INSERT OR REPLACE INTO index_publisher (id, status) VALUES (?, ?)"),
      removePublisher: prepare("DELETE FROM index_publisher WHERE id = ?"),
      publishers: prepare("SELECT id, status FROM index_publisher"),
      publishersOf: prepare(
        "SELECT id, status FROM index_publisher WHERE id IN (SELECT value FROM json_each(?))",
      ),
    };
    for (const name of ["posts", "post", "postOf"] as const) this.#statements[name].setReturnArrays(true);
  }

  /** @returns the text that it had, and the one that it has now */
  put({ title, body, placeName, ...entry }: IndexEntry): {
    seq: number;
    before: IndexedText | null;
    after: IndexedText;
  } {
    const before = this.postOf(entry.id)?.text ?? null;
    const after = indexedTextOf({ title, body, tags: entry.tags, placeName });
    const post = JSON.stringify({ ...entry, text: after });
    const { seq } = this.#statements.put.get(entry.id, post) as { seq: number };
    return { seq, before, after };
  }

  /** Reads a post; null without it. It comes without its vector. */
  postOf(id: string): IndexedPost | null {
    const row = this.#statements.postOf.get(null, id) as PostRow | undefined;
    return row === undefined ? null : indexedPostOf(row);
  }

  remove(seq: number): void {
    this.#statements.remove.run(seq);
  }

  /** @returns the post's number; null without the post */
  setVector(id: string, model: string | null, vector: Int8Array | null): number | null {
    const bytes = vector && new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    return (this.#statements.setVector.get(model, bytes, id) as { seq: number } | undefined)?.seq ?? null;
  }

  putPublisher(id: string, status: number): void {
    this.#statements.putPublisher.run(id, status);
  }

  removePublisher(id: string): void {
    this.#statements.removePublisher.run(id);
  }

  hasPosts(count: number): boolean {
    return (this.#statements.many.get(count) as { n: number }).n >= count;
  }

  posts(model: string | null, after: number, limit: number): IndexedPost[] {
    return (this.#statements.posts.all(model, after, limit) as PostRow[]).map(indexedPostOf);
  }

  postsOf(model: string | null, seqs: readonly number[]): IndexedPost[] {
    const rows = seqs.map((seq) => this.#statements.post.get(model, seq) as PostRow | undefined);
    return rows.flatMap((row) => (row === undefined ? [] : [indexedPostOf(row)]));
  }

  publishers(ids?: readonly string[]): { id: string; status: number }[] {
    const { publishers, publishersOf } = this.#statements;
    return ids === undefined ? publishers.all() : publishersOf.all(JSON.stringify(ids));
  }
}

const indexedPostOf = ([seq, post, vector]: PostRow): IndexedPost => ({ ...JSON.parse(post), seq, vector });
