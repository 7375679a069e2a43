import type { DatabaseSyncInstance } from "../../sqlite.ts";
import type { IndexedText } from "../indexed-post.ts";

/**
 * New posts that the full-text index takes at once. One by one, each would be a segment of its own, and merging these took
 * more time than all else that a post costs.
 */
const BATCH = 64;

/**
 * Posts that the full-text index does not hold yet: those after the last one it has. They follow from its own table of
 * lengths, so the two never disagree.
 */
export const WAITING =
  "SELECT seq, title, body, more FROM index_doc WHERE seq > (SELECT coalesce(max(id), 0) FROM index_words_docsize) ORDER BY seq";

/** Keeps the full-text index in step with the texts of `index_doc`, inside the caller's transaction. */
export class FullText {
  readonly #statements;

  constructor(database: DatabaseSyncInstance) {
    const prepare = (sql: string) => database.prepare(sql);
    this.#statements = {
      last: prepare("SELECT coalesce(max(id), 0) AS last FROM index_words_docsize"),
      waiting: prepare(WAITING),
      add: prepare("INSERT INTO index_words (rowid, title, body, more) VALUES (?, ?, ?, ?)"),
      remove: prepare(
        "INSERT INTO index_words (index_words, rowid, title, body, more) VALUES ('delete', ?, ?, ?, ?)",
      ),
    };
  }

  /** Takes the posts that wait when there are enough, the one just added among them. */
  added(seq: number): void {
    if (seq - this.#last() < BATCH) return;
    for (const post of this.#statements.waiting.all() as (IndexedText & { seq: number })[]) {
      this.#add(post.seq, post);
    }
  }

  /** @param before  exactly as it was indexed */
  changed(seq: number, before: IndexedText, after: IndexedText): void {
    const isSame = before.title === after.title && before.body === after.body && before.more === after.more;
    // A reply moves its parent's expiry only.
    if (isSame || seq > this.#last()) return;
    this.#remove(seq, before);
    this.#add(seq, after);
  }

  removed(seq: number, before: IndexedText): void {
    if (seq <= this.#last()) this.#remove(seq, before);
  }

  #last(): number {
    return (this.#statements.last.get() as { last: number }).last;
  }

  #add(seq: number, { title, body, more }: IndexedText): void {
    this.#statements.add.run(seq, title, body, more);
  }

  #remove(seq: number, { title, body, more }: IndexedText): void {
    this.#statements.remove.run(seq, title, body, more);
  }
}
