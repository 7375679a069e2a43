import type { DatabaseSyncInstance } from "../../../src/platform/sqlite.ts";
import { TOKENIZER } from "../../../src/search/index/words/stems.ts";

/**
 * Scores by FTS5 itself, over one table of all texts of the index, by id; those of suspended publishers aside.
 * @param match  an expression of FTS5
 */
export function scoresByFts5(database: DatabaseSyncInstance, match: string): Map<string, number> {
  database.exec(`CREATE VIRTUAL TABLE temp.every_text USING fts5(title, body, more, tokenize = ${TOKENIZER});
    INSERT INTO temp.every_text (rowid, title, body, more)
      SELECT seq, post ->> '$.text.title', post ->> '$.text.body', post ->> '$.text.more' FROM index_doc`);
  const rows = database
    .prepare(
      `SELECT d.id, -bm25(every_text, 2.0, 1.0, 1.5) AS score FROM temp.every_text
         JOIN index_doc AS d ON d.seq = every_text.rowid WHERE every_text MATCH ?
         AND d.post ->> '$.publisherId' NOT IN (SELECT id FROM index_publisher WHERE status & 2)`,
    )
    .all(match) as { id: string; score: number }[];
  database.exec("DROP TABLE temp.every_text");
  return new Map(rows.map(({ id, score }) => [id, score]));
}
