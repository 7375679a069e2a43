import type { ModerationEntry, ReportedPost, ReportStore, StoredReport } from "../../../ports/store/index.ts";
import { addressesOf, countVoices } from "../../rules/voices.ts";
import { insertInto, type SqliteContext, updateIn } from "../database/connection.ts";

export function sqliteReportStore({ connection }: SqliteContext): ReportStore {
  const { sql, read, write } = connection;
  return {
    upsert: (report) =>
      write(() => {
        const post: { seq: number } | undefined = sql("SELECT seq FROM post WHERE id = ?").get(report.postId);
        if (post === undefined) throw new Error(`Post ${report.postId} is gone; the report was not kept.`);
        const first: { id: string; addresses: string; created_at: number } | undefined = sql(
          "SELECT id, addresses, created_at FROM report WHERE post = ? AND reporter = ?",
        ).get(post.seq, report.reporter);
        const before: string[] = first === undefined ? [] : JSON.parse(first.addresses);
        const addresses = addressesOf(before, report.addresses);
        const { reason, details } = report;
        const said = { reason, details, addresses: JSON.stringify(addresses) };
        if (first === undefined) {
          const { id, reporter, createdAt } = report;
          insertInto(connection, "report", { id, post: post.seq, reporter, ...said, created_at: createdAt });
        } else updateIn(connection, "report", said, ["id", first.id]);
        const kept: StoredReport = { ...report, addresses };
        return first === undefined ? kept : { ...kept, id: first.id, createdAt: first.created_at };
      }),

    voices: (postId, since) =>
      read(() => {
        const reports: { addresses: string; createdAt: number; silent: number }[] = sql(
          `SELECT r.addresses, r.created_at AS createdAt, p.suspended_at IS NOT NULL AS silent
          FROM report r LEFT JOIN publisher p
            ON p.id = CASE WHEN r.reporter LIKE 'key:%' THEN substr(r.reporter, 5) END
          WHERE r.post = (SELECT seq FROM post WHERE id = ?)`,
        ).all(postId);
        return countVoices(
          reports.map(({ addresses, createdAt, silent }) => ({
            addresses: JSON.parse(addresses),
            createdAt,
            silent: silent === 1,
          })),
          since,
        );
      }),

    of: (postId, limit) =>
      read(() =>
        sql(
          `SELECT id, reporter, addresses, reason, details, created_at AS createdAt FROM report WHERE post =
          (SELECT seq FROM post WHERE id = ?) ORDER BY created_at, id LIMIT ?`,
        )
          .all(postId, limit)
          .map((row) => ({ ...row, postId, addresses: JSON.parse(row.addresses) }) as StoredReport),
      ),

    queue: (limit) =>
      read(() =>
        sql(
          `SELECT p.id AS postId, count(*) AS reporters, max(r.created_at) AS lastAt,
            json_group_array(DISTINCT r.reason) AS reasons
          FROM report r CROSS JOIN post p ON p.seq = r.post WHERE p.state <> 'removed' GROUP BY r.post
          HAVING lastAt > coalesce(
            (SELECT max(m.at) FROM moderation m WHERE m.subject = p.id AND m.actor LIKE 'operator%'), 0)
          ORDER BY reporters DESC, lastAt DESC, r.post DESC LIMIT ?`,
        )
          .all(limit)
          .map((row) => ({ ...row, reasons: JSON.parse(row.reasons) }) as ReportedPost),
      ),

    async log({ at, action, subject, actor, reason }) {
      await write(() => insertInto(connection, "moderation", { at, action, subject, actor, reason }));
    },

    history: (subject, limit) =>
      read(() => {
        const columns = "SELECT at, action, subject, actor, reason FROM moderation";
        const rows: ModerationEntry[] =
          subject === null
            ? sql(`${columns} ORDER BY seq DESC LIMIT ?`).all(limit)
            : sql(`${columns} WHERE subject = ? ORDER BY seq DESC LIMIT ?`).all(subject, limit);
        return rows.map((row) => ({ ...row }));
      }),
  };
}
