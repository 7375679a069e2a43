import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { StoredPost, StoredPublisher } from "../../../../ports/store/index.ts";

/** The tables of a new file. */
export const COPY_TABLES = `
  CREATE TABLE copied_post (id TEXT PRIMARY KEY, row TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE copied_publisher (id TEXT PRIMARY KEY, row TEXT NOT NULL) STRICT, WITHOUT ROWID`;

/** What is read of posts and publishers by id, for the time when the database is away. */
export interface Copied {
  /** Those that anyone may see, as of the last change that arrived, in the order of `ids`. */
  posts(ids: readonly string[]): StoredPost[];
  publishers(ids: readonly string[]): StoredPublisher[];
}

/** Copies of active posts and of publishers, as JSON, beside the index and in its transactions. */
export class Copies implements Copied {
  readonly #posts;
  readonly #publishers;

  constructor(database: DatabaseSyncInstance) {
    this.#posts = table<StoredPost>(database, "copied_post");
    this.#publishers = table<StoredPublisher>(database, "copied_publisher");
  }

  put(post: StoredPost): void {
    this.#posts.put(post.id, post);
  }

  putPublisher(id: string, publisher: StoredPublisher | null): void {
    if (publisher === null) this.#publishers.remove(id);
    else this.#publishers.put(id, publisher);
  }

  remove(postId: string): void {
    this.#posts.remove(postId);
  }

  removePublisher(id: string): void {
    this.#publishers.remove(id);
  }

  posts(ids: readonly string[]): StoredPost[] {
    return this.#posts.read(ids);
  }

  publishers(ids: readonly string[]): StoredPublisher[] {
    return this.#publishers.read(ids);
  }
}

function table<Row>(database: DatabaseSyncInstance, name: "copied_post" | "copied_publisher") {
  const put = database.prepare(
    `INSERT INTO ${name} VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET row = excluded.row`,
  );
  const remove = database.prepare(`DELETE FROM ${name} WHERE id = ?`);
  const read = database.prepare(`SELECT row FROM ${name} WHERE id = ?`);
  return {
    put: (id: string, row: Row) => void put.run(id, JSON.stringify(row)),
    remove: (id: string) => void remove.run(id),
    read: (ids: readonly string[]): Row[] =>
      ids.flatMap((id) => {
        const found = read.get(id) as { row: string } | undefined;
        return found === undefined ? [] : [JSON.parse(found.row) as Row];
      }),
  };
}
