import { TOKENIZER } from "./words/stems.ts";

const WORDS = `CREATE VIRTUAL TABLE index_words USING fts5(
     title, body, more, tokenize = ${TOKENIZER}
   )`;
/** Deleted text leaves the full-text index at once, not at a later merge. The setting is stored in the table. */
const SECURE_DELETE = "INSERT INTO index_words(index_words, rank) VALUES('secure-delete', 1)";
/** Segments of the full-text index merge by eights and not by fours. The setting is stored in the table. */
const MERGE_BY_EIGHTS = "INSERT INTO index_words(index_words, rank) VALUES('automerge', 8)";

/** The index's own tables. They refer to no others, so an index can live in the store's database or alone. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE index_doc (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
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
     syndicated INTEGER NOT NULL
   ) STRICT`,
  WORDS,
  SECURE_DELETE,
  "CREATE TABLE index_vector (seq INTEGER PRIMARY KEY, model TEXT NOT NULL, i8 BLOB NOT NULL) STRICT",
  "CREATE TABLE index_publisher (id TEXT PRIMARY KEY, verified INTEGER NOT NULL, suspended INTEGER NOT NULL) STRICT, WITHOUT ROWID",
  // Posts and publishers that changed, for the memory of every process.
  "CREATE TABLE index_change (no INTEGER PRIMARY KEY AUTOINCREMENT, seq INTEGER, publisher_id TEXT) STRICT",
  // `indexable` now drops Greek and Cyrillic accents and respells letters such as ß and ł, so the index is filled again.
  // Filling an empty table takes a tenth of the time of replacing each row under secure delete.
  `DROP TABLE index_words; ${WORDS}; ${SECURE_DELETE}`,
  // What ties a snapshot of the memory to this file, and how often something was erased that a snapshot may hold.
  `CREATE TABLE IF NOT EXISTS index_snapshot (mark TEXT, erasures INTEGER NOT NULL) STRICT;
   DELETE FROM index_snapshot; INSERT INTO index_snapshot VALUES (NULL, 0)`,
  MERGE_BY_EIGHTS,
  "ALTER TABLE index_doc ADD COLUMN source TEXT",
  // Texts lie with the other columns, and full text takes many posts at once: a post changes less than four pages and not fourteen.
  // Without AUTOINCREMENT it is one page less. The newest change is never deleted, so its number is not used again; a post's may be.
  `DROP TABLE index_words; DROP TABLE index_doc; DROP TABLE index_change; DELETE FROM index_vector;
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
     title TEXT NOT NULL,
     body TEXT NOT NULL,
     more TEXT NOT NULL
   ) STRICT;
   CREATE VIRTUAL TABLE index_words USING fts5(
     title, body, more, content = 'index_doc', content_rowid = 'seq', tokenize = ${TOKENIZER}
   );
   ${SECURE_DELETE}; ${MERGE_BY_EIGHTS};
   CREATE TABLE index_change (no INTEGER PRIMARY KEY, seq INTEGER, publisher_id TEXT) STRICT;
   UPDATE index_snapshot SET mark = NULL`,
];
