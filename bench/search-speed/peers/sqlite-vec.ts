import { join } from "node:path";
import { boxAround } from "../../../src/search/distance.ts";
import { DatabaseSync } from "../../../src/sqlite.ts";
import { DIMENSION } from "../questions.ts";
import { requirePeer } from "./package.ts";
import { type Peer, type PeerQuestion, TOP, textOf } from "./peer.ts";

/** The constant of reciprocal-rank fusion. */
const RANK = 60;

export function openSqliteVec(folder: string): Peer {
  const { getLoadablePath } = requirePeer("sqlite-vec") as { getLoadablePath(): string };
  const database = new DatabaseSync(join(folder, "peer.db"), { allowExtension: true });
  database.enableLoadExtension(true);
  database.loadExtension(getLoadablePath());
  database.exec(
    `PRAGMA journal_mode = WAL;
     CREATE TABLE post (seq INTEGER PRIMARY KEY, id TEXT, kind TEXT, lat REAL, lng REAL, starts INTEGER, ends INTEGER, expires INTEGER);
     CREATE VIRTUAL TABLE words USING fts5(text, content = '', tokenize = 'porter unicode61');
     CREATE VIRTUAL TABLE meaning USING vec0(seq INTEGER PRIMARY KEY, vector int8[${DIMENSION}] distance_metric = cosine)`,
  );
  const addPost = database.prepare("INSERT INTO post VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  const addWords = database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)");
  const addVector = database.prepare(
    "INSERT INTO meaning (seq, vector) VALUES (CAST(? AS INTEGER), vec_int8(?))",
  );
  const statements = new Map<string, ReturnType<typeof database.prepare>>();
  const ask = (sql: string, ...values: (string | number | Uint8Array)[]) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return (statement.all(...values) as { seq: number }[]).map(({ seq }) => seq);
  };
  const byWords = (question: PeerQuestion) => {
    const { sql, values } = conditionOf(question);
    const expression = question.words.map((word) => `"${word}"`).join(" OR ");
    return ask(
      `SELECT rowid AS seq FROM words WHERE words MATCH ? AND +rowid IN (${sql}) ORDER BY rank LIMIT ${TOP}`,
      expression,
      ...values,
    );
  };
  const byMeaning = (question: PeerQuestion) => {
    const { sql, values } = conditionOf(question);
    const vector = Uint8Array.from(question.vector, (x) =>
      Math.max(-127, Math.min(127, Math.round(x * 500))),
    );
    return ask(
      `SELECT seq FROM meaning WHERE vector MATCH vec_int8(?) AND k = ${TOP} AND seq IN (${sql})`,
      vector,
      ...values,
    );
  };
  const idOf = database.prepare("SELECT id FROM post WHERE seq = ?");
  const idsOf = (seqs: readonly number[]) => seqs.map((seq) => (idOf.get(seq) as { id: string }).id);
  let rows = 0;
  return {
    asymmetry: "one field of text; int8 vectors, all read; reciprocal ranks; a box for the circle",
    async add(posts) {
      database.exec("BEGIN");
      for (const post of posts) {
        rows += 1;
        const { entry, vector } = post;
        const { id, kind, lat, lng, windowStart, windowEnd, expiresAt } = entry;
        addPost.run(rows, id, kind, lat, lng, windowStart, windowEnd, expiresAt);
        addWords.run(rows, textOf(post));
        if (vector !== null)
          addVector.run(rows, new Uint8Array(vector.buffer, vector.byteOffset, vector.length));
      }
      database.exec("COMMIT");
    },
    async finish() {
      database.exec(
        "CREATE INDEX place ON post (lat, lng); CREATE INDEX expiry ON post (expires); INSERT INTO words(words) VALUES('optimize'); ANALYZE",
      );
    },
    async hybrid(question) {
      const scores = new Map<number, number>();
      for (const ranking of [byWords(question), byMeaning(question)]) {
        for (const [rank, seq] of ranking.entries())
          scores.set(seq, (scores.get(seq) ?? 0) + 1 / (RANK + rank));
      }
      const best = [...scores].sort(([, a], [, b]) => b - a).slice(0, TOP);
      return idsOf(best.map(([seq]) => seq));
    },
    words: async (question) => idsOf(byWords(question)),
  };
}

/** The rows that a question lets through. */
function conditionOf({ now, narrow }: PeerQuestion): { sql: string; values: (string | number)[] } {
  if (narrow === null) return { sql: "SELECT seq FROM post WHERE expires > ?", values: [now] };
  const { south, north, west, east } = boxAround(narrow.near, narrow.near.radiusKm);
  const kinds = narrow.kinds.map(() => "?").join(", ");
  return {
    sql: `SELECT seq FROM post WHERE lat BETWEEN ? AND ? AND lng BETWEEN ? AND ? AND expires > ?
      AND kind IN (${kinds}) AND starts <= ? AND ends >= ?`,
    values: [south, north, west, east, now, ...narrow.kinds, narrow.before, narrow.after],
  };
}
