import { randomUUID } from "node:crypto";
import type { StoredSubscription } from "../../../ports/store/index.ts";
import { groupedBy } from "../../rules/rows.ts";
import type { PushDocument } from "../schema/documents.ts";
import { pushId } from "../schema/pushes.ts";
import type { MongodbContext } from "../server/context.ts";
import { ofOneMoment } from "../server/reads.ts";
import type { Write } from "../server/write-all.ts";
import { AHEAD_READ, afterService, aheadOf, isLast } from "./ahead.ts";
import type { PlannedPush } from "./claim-plan.ts";
import { type DuePlace, LATEST } from "./lanes.ts";
import { firstWaiting } from "./queue.ts";

/** A claim under way. */
export interface Claim {
  token: string;
  now: Date;
  leaseEnd: Date;
}

export interface ServedPush extends PlannedPush {
  push: PushDocument;
  subscription: StoredSubscription;
  /** Whether nothing else waits in its place. */
  last: boolean;
}

/** What becomes of the places of one claim. */
interface Moves {
  served: ServedPush[];
  /** Planned without a push that is due. */
  unused: PlannedPush[];
  writes: Write[];
  /** False when more may be due in these places. */
  asPlanned: boolean;
}

const NO_ATTEMPTS = { history: 0, attempt: 0 };

/** Pushes by the id of their subscription; null where its place in the queue was not read as it was planned. */
type Waiting = Map<string, PushDocument[] | null>;

/**
 * Reads pushes: those planned, as a majority has them; or the first `AHEAD_READ`, with what no majority has yet, where they
 * have to be looked for. On a cluster these are read with their place as of one moment: while collections lie on two shards,
 * the push of a place that is there already may be missing otherwise.
 */
export async function waitingIn(
  { connection, collections: { pushes, push_queue } }: MongodbContext,
  planned: readonly PlannedPush[],
): Promise<Waiting> {
  const listed: string[] = [];
  const unlisted: string[] = [];
  for (const { place, deliveryId } of planned) {
    if (deliveryId === null) unlisted.push(place._id);
    else listed.push(pushId(place._id, deliveryId));
  }
  const [known, found] = await Promise.all([
    listed.length === 0 ? [] : pushes.find({ _id: { $in: listed } }, { projection: NO_ATTEMPTS }).toArray(),
    unlisted.length === 0
      ? []
      : push_queue
          .aggregate<{ _id: string; revision?: string | null; pushes: PushDocument[] }>(
            [
              { $match: { _id: { $in: unlisted } } },
              { $project: { revision: 1 } },
              firstWaiting("pushes", AHEAD_READ, [{ $project: NO_ATTEMPTS }]),
            ],
            connection.sharded ? ofOneMoment(connection) : LATEST,
          )
          .toArray(),
  ]);
  const revisions = new Map(planned.map(({ place }) => [place._id, place.revision ?? null]));
  const waiting: Waiting = new Map(
    found.map(({ _id, revision = null, pushes }) => [_id, revision === revisions.get(_id) ? pushes : null]),
  );
  for (const push of known)
    waiting.set(push.subscription_id, [...(waiting.get(push.subscription_id) ?? []), push]);
  return waiting;
}

/**
 * Decides what a claim takes of what was planned, and where the places go that it served.
 * @param waiting  of `waitingIn`
 * @param owners  subscriptions by id; one that is missing was removed
 */
export function movesOf(
  planned: readonly PlannedPush[],
  waiting: Waiting,
  owners: ReadonlyMap<string, StoredSubscription>,
  claim: Claim,
): Moves {
  const moves: Moves = { served: [], unused: [], writes: [], asPlanned: true };
  const alike: { n: number; place: DuePlace }[] = [];
  for (const [place, ofPlace] of groupedBy(planned, (one) => one.place)) {
    const read = waiting.get(place._id);
    if (read === null) {
      moves.unused.push(...ofPlace);
      moves.asPlanned = false;
      continue;
    }
    const found = read ?? [];
    const subscription = owners.get(place._id);
    const listed = ofPlace.every(({ deliveryId }) => deliveryId !== null);
    const n = ofPlace.length;
    const last = n === 1 && (listed ? place.ahead !== undefined && isLast(place.ahead) : found.length === 1);
    let served = 0;
    for (const one of ofPlace) {
      const push = listed ? found.find(({ delivery_id }) => delivery_id === one.deliveryId) : found[0];
      if (subscription === undefined || !isDue(push, claim.now)) moves.unused.push(one);
      else {
        moves.served.push({ ...one, push, subscription, last });
        served += 1;
      }
    }
    const more = listed && place.ahead?.more === true && place.ahead.pushes.length === n;
    if (!listed || served < n || more) moves.asPlanned = false;
    if (subscription === undefined) moves.writes.push({ to: "push_queue", remove: asRead(place) });
    else if (!listed)
      moves.writes.push(served === 0 ? early(place, found) : servedAsRead(place, found, claim));
    else if (served < n) moves.writes.push(lookAgain(asRead(place), claim.now));
    else alike.push({ n, place });
  }
  for (const [n, group] of groupedBy(alike, (one) => one.n))
    moves.writes.push(
      servedAlike(
        n,
        group.map(({ place }) => place),
        claim,
      ),
    );
  return moves;
}

const isDue = (push: PushDocument | undefined, now: Date): push is PushDocument =>
  push !== undefined && push.state === "waiting" && push.due_at !== null && push.due_at <= now;

/** Finds a place unless it has changed since it was read. */
const asRead = ({ _id, revision }: DuePlace) => ({ _id, revision: revision ?? null });

const servedAlike = (n: number, places: readonly DuePlace[], claim: Claim): Write => ({
  to: "push_queue",
  filter: {
    _id: { $in: places.map(({ _id }) => _id) },
    // Each belongs to one place.
    revision: { $in: places.map(({ revision }) => revision) },
  },
  update: afterService(n, claim),
  many: true,
});

const servedAsRead = (place: DuePlace, found: readonly PushDocument[], claim: Claim): Write => ({
  to: "push_queue",
  filter: asRead(place),
  update: [{ $set: { ahead: aheadOf(found, claim.token) } }, ...afterService(1, claim)],
});

/** A place that is in the queue too early, since what was due in it has been delivered or put off. */
function early(place: DuePlace, found: readonly PushDocument[]): Write {
  const due_at = found[0]?.due_at;
  if (due_at == null) return { to: "push_queue", remove: asRead(place) };
  const revision = randomUUID();
  const ahead = aheadOf(found, revision);
  return { to: "push_queue", filter: asRead(place), update: { $set: { due_at, revision, ahead } } };
}

/** Has the next claim look for the pushes of a place. */
export const lookAgain = (place: { _id: string; revision: string | null }, now: Date): Write => ({
  to: "push_queue",
  filter: place,
  update: { $set: { due_at: now, revision: randomUUID() }, $unset: { ahead: "" } },
});
