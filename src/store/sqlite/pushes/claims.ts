import type { ClaimedPush, PushStore } from "../../../ports/store/index.ts";
import { canBePushedTo, chooseDue } from "../../rules/claims.ts";
import { attemptsBefore } from "../../rules/settling.ts";
import type { SqliteConnection } from "../database/connection.ts";

type Options = Parameters<PushStore["claim"]>[0];

interface DuePush {
  id: string;
  subscription: number;
  deliveryId: number;
  origin: string;
}

/** The waiting pushes of a subscription go where its row `s` says: nowhere while nothing may be pushed to it. */
export const DESTINATION_COLUMNS = "s.active, s.webhook_origin, s.webhook_verified_at, s.failures";

export function destinationOfRow(row: {
  active: number;
  webhook_origin: string | null;
  webhook_verified_at: number | null;
  failures: number;
}): { origin: string | null; failing: number } {
  const origin = canBePushedTo({ ...row, active: row.active === 1 }) ? row.webhook_origin : null;
  return { origin, failing: Number(row.failures > 0) };
}

/** Takes the waiting pushes of a subscription (by row) along when it has changed; runs inside a write. */
export function moveWaitingRows({ sql }: SqliteConnection, subscription: number): void {
  const row = sql(`SELECT ${DESTINATION_COLUMNS} FROM subscription s WHERE s.seq = ?`).get(subscription);
  const { origin, failing } = row === undefined ? { origin: null, failing: 0 } : destinationOfRow(row);
  sql(
    `UPDATE push SET origin = ?1, failing = ?2 WHERE subscription = ?3 AND state = 'waiting'
      AND (origin IS NOT ?1 OR failing <> ?2)`,
  ).run(origin, failing, subscription);
}

/** Reads what a claim would take now. */
export function duePushes({ sql, read }: SqliteConnection, options: Options): Promise<DuePush[]> {
  return chooseDue(options, ({ failing, without, limit }) =>
    read((): DuePush[] =>
      sql(
        `SELECT subscription, delivery_id AS deliveryId, origin FROM push
        WHERE state = 'waiting' AND origin IS NOT NULL AND failing = ? AND due_at <= ?
          AND origin NOT IN (SELECT value FROM json_each(?))
        ORDER BY due_at, delivery_id, subscription LIMIT ?`,
      )
        .all(Number(failing), options.now, JSON.stringify(without), limit)
        .map((row) => ({ ...row, id: `${row.subscription}:${row.deliveryId}` })),
    ),
  );
}

/** Claims those that are still due; runs inside a write. */
export function claimPushRows(
  { sql }: SqliteConnection,
  chosen: readonly DuePush[],
  { now, leaseMs }: Options,
  token: string,
): ClaimedPush[] {
  return chosen.flatMap(({ subscription, deliveryId, origin }): ClaimedPush[] => {
    const push = sql(
      `SELECT post_id AS postId, matched_at AS matchedAt, attempts, again_at AS againAt, failing FROM push
      WHERE subscription = ? AND delivery_id = ? AND state = 'waiting' AND origin = ? AND due_at <= ?`,
    ).get(subscription, deliveryId, origin, now);
    if (push === undefined) return [];
    const attempts = attemptsBefore(push);
    sql(
      "UPDATE push SET token = ?, due_at = ?, attempts = ?, again_at = NULL WHERE subscription = ? AND delivery_id = ?",
    ).run(token, now + leaseMs, attempts, subscription, deliveryId);
    const { id, ...receiver } = sql(
      "SELECT id, publisher_id AS publisherId, webhook_url AS webhookUrl FROM subscription WHERE seq = ?",
    ).get(subscription);
    const { postId, matchedAt } = push;
    const failing = push.failing === 1;
    const claimed = { subscriptionId: id, deliveryId, postId, matchedAt, token, attempts };
    return [{ ...claimed, receiver: { ...receiver, origin, failing } }];
  });
}
