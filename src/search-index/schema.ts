import { TOKENIZER } from "./words/stems.ts";

/**
 * The index's own tables, append-only from 1.0 on. They refer to no others, so an index can live in the store's database or alone.
 *
 * `index_change` names posts and publishers that changed, for the memory of every process; its newest row is never deleted, so a
 * number is not used again, while that of a post may be. `index_snapshot` ties a snapshot of the memory to this file, and counts
 * erasures of what a snapshot may hold. Deleted text leaves the full-text index at once, not at a later merge (secure-delete), and
 * its segments merge by eights and not by fours; both settings are stored in the table.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE index_doc (
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
   INSERT INTO index_words (index_words, rank) VALUES ('secure-delete', 1), ('automerge', 8);
   CREATE TABLE index_vector (seq INTEGER PRIMARY KEY, model TEXT NOT NULL, i8 BLOB NOT NULL) STRICT;
   CREATE TABLE index_publisher (
     id TEXT PRIMARY KEY, verified INTEGER NOT NULL, suspended INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE index_change (no INTEGER PRIMARY KEY, seq INTEGER, publisher_id TEXT) STRICT;
   CREATE TABLE index_snapshot (mark TEXT, erasures INTEGER NOT NULL) STRICT;
   INSERT INTO index_snapshot VALUES (NULL, 0)`,
];
