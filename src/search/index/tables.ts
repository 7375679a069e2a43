import type { DatabaseSyncInstance } from "../../platform/sqlite.ts";
import type { IndexedText, PostRows } from "./indexed-post.ts";
import { TOKENIZER } from "./words/stems.ts";

/** The index has these tables of its own, append-only: a released step is never edited. */
export const MIGRATIONS: readonly string[] = [
  // Three steps made the tables that the fourth drops; boards of 0.1.0 and 0.2.0 have them, with a second copy of every post.
  "",
  "",
  "",
  `DROP TABLE IF EXISTS index_words;
   DROP TABLE IF EXISTS index_doc;
   DROP TABLE IF EXISTS index_vector;
   DROP TABLE IF EXISTS index_publisher;
   DROP TABLE IF EXISTS index_change;
   DROP TABLE IF EXISTS index_snapshot;
   CREATE VIRTUAL TABLE index_words USING fts5(title, body, more, content = '', tokenize = ${TOKENIZER});
   INSERT INTO index_words (index_words, rank) VALUES ('secure-delete', 1), ('automerge', 8);
   CREATE TABLE index_change (no INTEGER PRIMARY KEY, seq INTEGER, publisher_id TEXT) STRICT;
   CREATE TABLE index_snapshot (mark TEXT, erasures INTEGER NOT NULL) STRICT;
   INSERT INTO index_snapshot VALUES (NULL, 0)`,
];

/** This many changes are kept for other processes; one that lags further behind loads everything again. */
const CHANGES_KEPT = 65_536;
/** Old changes are dropped each time this many were added. */
const PRUNE_EVERY = 1024;

/** Holds the number of the last change, the erasures up to it, and the posts (ascending) and publishers that changed. */
interface Changes {
  no: number;
  erasures: number;
  seqs: number[];
  publishers: string[];
}

type ChangeRow = [no: number, seq: number | null, publisherId: string | null, erasures: number];

/** Runs the statements of the index on one connection. Writes run inside the caller's transaction. */
export class Tables {
  readonly rows: PostRows;
  readonly #database: DatabaseSyncInstance;
  readonly #statements;
  /** True when words were removed that the full-text index may not have taken out yet. */
  #hasRemovedWords = false;

  constructor(database: DatabaseSyncInstance, rows: PostRows) {
    this.rows = rows;
    this.#database = database;
    const prepare = (sql: string) => database.prepare(sql);
    this.#statements = {
      // The full-text index has a row there for each text.
      hasWords: prepare("SELECT 1 FROM index_words_docsize WHERE id = ?"),
      addWords: prepare("INSERT INTO index_words (title, body, more, rowid) VALUES (?, ?, ?, ?)"),
      // FTS5 forgets a text only when it is given exactly as it was added.
      removeWords: prepare(
        "INSERT INTO index_words (index_words, title, body, more, rowid) VALUES ('delete', ?, ?, ?, ?)",
      ),
      flushWords: prepare("INSERT INTO index_words (index_words) VALUES ('flush')"),
      removeAllWords: prepare("INSERT INTO index_words (index_words) VALUES ('delete-all')"),
      addChange: prepare("INSERT INTO index_change (seq, publisher_id) VALUES (?, ?)"),
      pruneChanges: prepare("DELETE FROM index_change WHERE no <= ?"),
      forgetPublisher: prepare("UPDATE index_change SET publisher_id = NULL WHERE publisher_id = ?"),
      newest: prepare("SELECT max(no) AS newest FROM index_change"),
      changes: prepare(
        "SELECT no, seq, publisher_id, erasures FROM index_change CROSS JOIN index_snapshot WHERE no > ? ORDER BY no",
      ),
      snapshot: prepare("SELECT mark, erasures FROM index_snapshot"),
      markSnapshot: prepare("UPDATE index_snapshot SET mark = ? WHERE erasures = ?"),
      eraseSnapshot: prepare("UPDATE index_snapshot SET mark = NULL, erasures = erasures + 1"),
      version: prepare("PRAGMA data_version"),
    };
    this.#statements.changes.setReturnArrays(true);
  }

  /** False once the connection was closed. */
  isOpen(): boolean {
    return this.#database.isOpen;
  }

  /** True while a transaction is open on this connection: what it wrote must not be seen yet. */
  inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** See `EmbeddedIndex.replace`. */
  replace(seq: number, before: IndexedText | null, after: IndexedText | null): void {
    const { hasWords, addWords, removeWords, flushWords } = this.#statements;
    // While the index is filled it may lack the words of a post, or have them already.
    let isThere = hasWords.get(seq) !== undefined;
    if (isThere && before !== null && !isSame(before, after)) {
      removeWords.run(before.title, before.body, before.more, seq);
      this.#hasRemovedWords = true;
      isThere = false;
    }
    if (after !== null && !isThere) {
      // Removed and added under one number in one transaction, long lists of places stay behind (FTS5 of SQLite 3.53).
      if (this.#hasRemovedWords) flushWords.run();
      this.#hasRemovedWords = false;
      addWords.run(after.title, after.body, after.more, seq);
    }
    this.touch(seq);
  }

  removeAllWords(): void {
    this.#statements.removeAllWords.run();
  }

  /** The index calls this when something else of a post changed than its text. */
  touch(seq: number): void {
    this.#changed(seq, null);
  }

  touchPublisher(id: string): void {
    this.#changed(null, id);
  }

  /** Its posts are gone or going, so no memory needs to hear of it, and its id leaves the table of changes. */
  forgetPublisher(id: string): void {
    this.eraseSnapshot();
    this.#statements.forgetPublisher.run(id);
  }

  /** The index calls this when something is erased that a snapshot may hold. */
  eraseSnapshot(): void {
    this.#statements.eraseSnapshot.run();
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

  /** Reads the number of the newest change, 0 before the first. */
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

  #changed(seq: number | null, publisherId: string | null): void {
    const { addChange, pruneChanges } = this.#statements;
    const no = Number(addChange.run(seq, publisherId).lastInsertRowid);
    if (no % PRUNE_EVERY === 0) pruneChanges.run(no - CHANGES_KEPT);
  }
}

/** A reply moves its parent's expiry only, and no words. */
const isSame = (before: IndexedText, after: IndexedText | null) =>
  before.title === after?.title && before.body === after.body && before.more === after.more;
