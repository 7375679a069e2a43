import { randomUUID } from "node:crypto";
import type { ClaimedPush, PushStore } from "../../../ports/store/index.ts";
import { PUSH } from "../../../records/subscription.ts";
import { CLOCKS_APART_MS, dueAtOnce } from "../../rules/claims.ts";
import { keptAttempts, redeliveredPush, settledPush, settledSubscription } from "../../rules/settling.ts";
import type { SqliteConnection, SqliteContext } from "../database/connection.ts";
import { Columns } from "../database/rows.ts";
import { recordChange } from "../subscriptions/changes.ts";
import { claimPushRows, destinationOfRow, duePushes, moveWaitingRows } from "./claims.ts";

/**
 * Each push has one row. While it is claimed, `token` names the claim and `due_at` is the end of the lease; `again_at` is
 * the due time of a redelivery requested meanwhile. `history` holds the attempts as JSON.
 */

/** A waiting push was last dealt with then. */
const PLANNED = "coalesce(json_extract(history, '$[#-1].at'), matched_at)";

export function sqlitePushStore({ connection }: SqliteContext): PushStore {
  const { sql, read, write, writeRelaxed } = connection;
  return {
    async claim(options) {
      const chosen = await duePushes(connection, options);
      if (chosen.length === 0) return [];
      return writeRelaxed(() => claimPushRows(connection, chosen, options, randomUUID()));
    },

    settle: (push, attempt, outcome) => write(() => settlePushRow(connection, push, attempt, outcome)),

    async hasten(now) {
      await write(() =>
        sql(
          `UPDATE push SET due_at = ?1 + due_at - ${PLANNED}
          WHERE state = 'waiting' AND ${PLANNED} > ?2 AND due_at >= ${PLANNED} - ${CLOCKS_APART_MS}`,
        ).run(now, now + CLOCKS_APART_MS),
      );
    },

    backlog: () =>
      read(() =>
        sql(
          `SELECT count(*) AS waiting, min(matched_at) AS oldestAt FROM push
          WHERE state = 'waiting' AND origin IS NOT NULL AND failing IN (0, 1)`,
        ).get(),
      ),

    async giveBack(pushes) {
      if (pushes.length === 0) return;
      await write(() => {
        for (const { subscriptionId, deliveryId, token } of pushes) {
          sql(
            `UPDATE push SET token = NULL, due_at = matched_at - ${CLOCKS_APART_MS}
            WHERE subscription = (SELECT seq FROM subscription WHERE id = ?) AND delivery_id = ? AND token = ?`,
          ).run(subscriptionId, deliveryId, token);
        }
      });
    },

    list: (subscriptionId, { before, limit }) =>
      read(() =>
        sql(
          `SELECT * FROM push WHERE subscription = (SELECT seq FROM subscription WHERE id = ?) AND delivery_id < ?
          ORDER BY delivery_id DESC LIMIT ?`,
        )
          .all(subscriptionId, before ?? Number.MAX_SAFE_INTEGER, limit)
          .map((row) => PUSH_COLUMNS.read({ ...row, subscription_id: subscriptionId })),
      ),

    redeliver: (subscriptionId, deliveryId, now) =>
      write(() => {
        const delivery: { subscription: number; post_id: string; matched_at: number } | undefined = sql(
          `SELECT d.subscription, p.id AS post_id, d.matched_at FROM subscription s
            CROSS JOIN delivery d ON d.subscription = s.seq AND d.matched_at IS NOT NULL
            CROSS JOIN post p ON p.seq = d.post
          WHERE s.id = ? AND d.delivery_id = ? AND p.state <> 'removed'`,
        ).get(subscriptionId, deliveryId);
        if (delivery === undefined) return false;
        const { subscription, post_id, matched_at } = delivery;
        const push = sql(
          "SELECT token, due_at AS dueAt, attempts FROM push WHERE subscription = ? AND delivery_id = ?",
        ).get(subscription, deliveryId);
        const { state, dueAt, attempts, againAt } = redeliveredPush(push ?? null, now);
        sql(
          `INSERT INTO push (subscription, delivery_id, post_id, matched_at, state, due_at, attempts, again_at)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (subscription, delivery_id) DO UPDATE SET
            state = excluded.state, due_at = excluded.due_at, attempts = excluded.attempts, again_at = excluded.again_at`,
        ).run(subscription, deliveryId, post_id, matched_at, state, dueAt, attempts, againAt);
        moveWaitingRows(connection, subscription);
        return true;
      }),
  };
}

/** Adds a push that is due at once, or once the receiver can be pushed to; runs inside a write. */
export function addPush(
  { sql }: SqliteConnection,
  push: { subscription: number; deliveryId: number; postId: string; matchedAt: number },
  receiver: Parameters<typeof destinationOfRow>[0],
): void {
  const { origin, failing } = destinationOfRow(receiver);
  if (receiver.webhook_origin === null) return;
  sql(
    `INSERT INTO push (subscription, delivery_id, post_id, matched_at, state, due_at, attempts, origin, failing)
    VALUES (?, ?, ?, ?, 'waiting', ?, 0, ?, ?)`,
  ).run(
    push.subscription,
    push.deliveryId,
    push.postId,
    push.matchedAt,
    dueAtOnce(push.matchedAt),
    origin,
    failing,
  );
}

/** A row is read together with the id of its subscription. */
const PUSH_COLUMNS = new Columns(PUSH);

type Settling = Parameters<PushStore["settle"]>;

function settlePushRow(
  connection: SqliteConnection,
  { subscriptionId, deliveryId, token, receiver: claimed }: ClaimedPush,
  attempt: Settling[1],
  outcome: Settling[2],
): boolean {
  const { sql } = connection;
  const push: { attempts: number; againAt: number | null; history: string } | undefined = sql(
    `SELECT attempts, again_at AS againAt, history FROM push
    WHERE subscription = (SELECT seq FROM subscription WHERE id = ?) AND delivery_id = ? AND token = ?`,
  ).get(subscriptionId, deliveryId, token);
  if (push === undefined) return false;
  const row = sql(
    `SELECT seq, webhook_url AS webhookUrl, active, inactive_reason AS inactiveReason, failures,
      failing_since AS failingSince FROM subscription WHERE id = ?`,
  ).get(subscriptionId);

  const { state, dueAt, attempts } = settledPush(push, attempt, outcome);
  sql(
    `UPDATE push SET token = NULL, again_at = NULL, state = ?, due_at = ?, attempts = ?, history = ? WHERE subscription = ? AND delivery_id = ?`,
  ).run(
    state,
    dueAt,
    attempts,
    JSON.stringify(keptAttempts(JSON.parse(push.history), attempt)),
    row.seq,
    deliveryId,
  );

  const before = { ...row, active: row.active === 1 };
  const after = settledSubscription(before, claimed, attempt, outcome);
  sql(
    "UPDATE subscription SET failures = ?, failing_since = ?, active = ?, inactive_reason = ? WHERE seq = ?",
  ).run(after.failures, after.failingSince, Number(after.active), after.inactiveReason, row.seq);
  if (after.active !== before.active) recordChange(connection, subscriptionId, false);
  moveWaitingRows(connection, row.seq);
  return true;
}
