import type { Document } from "mongodb";
import type { PushDocument } from "../schema/documents.ts";
import type { PushesAhead, PushQueueDocument, PushReceiver } from "../schema/push-queue.ts";

/**
 * The pushes that wait in a place of the queue and where they go, kept with it: a claim takes the first of them without
 * looking for them. All holds as of the place's revision, so what adds a push, makes one due earlier, or changes the
 * subscription writes it anew.
 */

/** Pushes in a list. The longer, the more rarely a claim has to look for pushes, and the more each one reads. */
const AHEAD_MOST = 4;
/** So many waiting pushes have to be read for a list. */
export const AHEAD_READ = AHEAD_MOST + 1;

type Ahead = PushesAhead["pushes"][number];
type Waiting = Pick<PushDocument, "delivery_id"> & { due_at: Date | null };

/** @param waiting  first due first, `AHEAD_READ` of them or all */
export function aheadOf(
  { publisher_id, webhook_url }: PushReceiver,
  waiting: readonly Waiting[],
  revision: string,
): PushesAhead {
  const pushes = waiting.flatMap(({ delivery_id, due_at }) =>
    due_at === null ? [] : [{ delivery_id, due_at }],
  );
  return {
    revision,
    receiver: { revision, publisher_id, webhook_url },
    pushes: pushes.slice(0, AHEAD_MOST),
    more: waiting.length > AHEAD_MOST,
    until: null,
  };
}

/** What is due in a place, first due first; null when that has to be looked for. */
export function dueAhead(
  { ahead, revision }: Pick<PushQueueDocument, "ahead" | "revision">,
  now: Date,
): Ahead[] | null {
  if (ahead === undefined || ahead.revision !== revision || ahead.receiver?.revision !== revision)
    return null;
  if (ahead.until !== null && ahead.until <= now) return null;
  const due = ahead.pushes.filter(({ due_at }) => due_at <= now);
  return due.length === 0 ? null : due;
}

/** True when nothing but the first push waits in a place. */
export const isLast = ({ pushes, more, until }: PushesAhead): boolean =>
  pushes.length === 1 && !more && until === null;

/** The revision that a claim gives a place; another for each place, so that a filter may name those of several. */
export const claimedRevision = (token: string, subscriptionId: string): string =>
  `${token}:${subscriptionId}`;

/** The update of places whose first `n` pushes are claimed: to the end of their lane, due with the next push. */
export function afterService(
  n: number,
  { token, now, leaseEnd }: { token: string; now: Date; leaseEnd: Date },
): Document[] {
  const revision = { $concat: [`${token}:`, "$_id"] };
  const until = { $min: ["$ahead.until", leaseEnd] };
  const next = {
    $ifNull: [{ $arrayElemAt: ["$ahead.pushes.due_at", n] }, { $cond: ["$ahead.more", now, until] }],
  };
  return [
    {
      $set: {
        due_at: { $min: [{ $max: [next, now] }, until] },
        served_at: now,
        revision,
        ahead: {
          revision,
          receiver: { revision },
          pushes: { $slice: ["$ahead.pushes", n, AHEAD_MOST] },
          until,
        },
      },
    },
  ];
}
