import { preparationIn } from "../../../ports/store/index.ts";
import type { BoardRows, RowKind } from "../../../ports/store/transfer.ts";
import { unclaimedPush } from "../../rules/settling.ts";
import { LOG_MARK } from "../database/erased-log.ts";
import { STALE } from "../database/reindex.ts";
import {
  POST_COLUMNS,
  POST_TABLES,
  type PostRow,
  PUBLISHER_COLUMNS,
  type SqliteRow,
  SUBSCRIPTION_COLUMNS,
  storedPostOfRow,
  vectorOfBlob,
} from "../database/rows.ts";
import { PROGRAM } from "../database/upgrade.ts";
import { PUSH_COLUMNS } from "../pushes/index.ts";

/** Where the rows of a kind are, in the order of an index. */
export interface RowSource<K extends RowKind> {
  columns: string;
  from: string;
  order: string;
  /** Default: a copy, since the columns already have the names of the fields. */
  // biome-ignore lint/suspicious/noExplicitAny: a row as SQLite gives it; each source names its columns
  rowOf?(row: any): BoardRows[K];
}

/** `CROSS JOIN` fixes the order of tables and so of rows. Rows of a removed subscription are left out: they are being deleted. */
export const ROW_SOURCES: { readonly [K in RowKind]: RowSource<K> } = {
  setting: {
    columns: "name, value",
    from: `setting WHERE name NOT IN ('${STALE}', '${LOG_MARK}', '${PROGRAM}')`,
    order: "name",
  },
  publisher: {
    columns: "*",
    from: "publisher",
    order: "seq",
    rowOf: (row) => ({ ...PUBLISHER_COLUMNS.read(row), inboxNo: row.inbox_no }),
  },
  post: {
    columns: `${POST_COLUMNS}, p.removed_at, p.vector_model AS maker, v.model, v.vector`,
    from: `${POST_TABLES} LEFT JOIN post_vector v ON v.post = p.seq`,
    order: "p.seq",
    rowOf: ({ maker, model, vector, ...row }) => ({
      ...storedPostOfRow(row as PostRow),
      removedAt: row["removed_at"],
      embedding:
        model === null ? null : { model, ...preparationIn(maker, model), vector: vectorOfBlob(vector) },
    }),
  },
  subscription: {
    columns: "*",
    from: "subscription s WHERE s.event IS NULL",
    order: "seq",
    rowOf(row) {
      const { event, expiresAt, clientSecret, previousClientSecret, ...kept } =
        SUBSCRIPTION_COLUMNS.read(row);
      return { ...kept, nextDelivery: row.next_delivery };
    },
  },
  delivery: {
    columns: "s.id AS subscriptionId, p.id AS postId, d.delivery_id AS deliveryId, d.matched_at AS matchedAt",
    from: "delivery d CROSS JOIN subscription s ON s.seq = d.subscription CROSS JOIN post p ON p.seq = d.post WHERE s.event IS NULL",
    order: "d.subscription, d.post",
  },
  push: {
    columns: "s.id AS subscription_id, q.*",
    from: "push q CROSS JOIN subscription s ON s.seq = q.subscription WHERE s.event IS NULL",
    order: "q.subscription, q.delivery_id",
    rowOf: unclaimed,
  },
  inbox: {
    columns: `o.id AS publisherId, i.no, i.type, i.at, p.id AS postId, s.id AS subscriptionId, i.delivery_id AS deliveryId`,
    from: `inbox i CROSS JOIN publisher o ON o.seq = i.publisher CROSS JOIN post p ON p.seq = i.post
      LEFT JOIN subscription s ON s.seq = i.subscription WHERE i.subscription IS NULL OR (s.seq IS NOT NULL AND s.event IS NULL)`,
    order: "i.publisher, i.no",
  },
  report: {
    columns: "r.id, p.id AS postId, r.reporter, r.addresses, r.reason, r.details, r.created_at AS createdAt",
    from: "report r CROSS JOIN post p ON p.seq = r.post",
    order: "r.seq",
    rowOf: (row: Omit<BoardRows["report"], "addresses"> & { addresses: string }) => ({
      ...row,
      addresses: JSON.parse(row.addresses),
    }),
  },
  moderation: {
    columns: "at, action, subject, actor, reason",
    from: "moderation",
    order: "seq",
  },
  counter: {
    columns: "day, name, n",
    from: "counter",
    order: "day, name",
  },
  work: {
    columns: "w.kind, p.id AS postId",
    from: "work w CROSS JOIN post p ON p.seq = w.post",
    order: "w.post, w.kind",
  },
};

function unclaimed(row: SqliteRow): BoardRows["push"] {
  const record = PUSH_COLUMNS.read(row);
  return row["token"] === null
    ? record
    : { ...record, ...unclaimedPush({ ...record, againAt: row["again_at"] }) };
}
