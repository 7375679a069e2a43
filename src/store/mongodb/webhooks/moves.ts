import { randomUUID } from "node:crypto";
import { groupedBy } from "../../rules/rows.ts";
import type { PushDocument } from "../schema/documents.ts";
import type { PushReceiver } from "../schema/push-queue.ts";
import { pushId } from "../schema/pushes.ts";
import type { MongodbContext } from "../server/context.ts";
import { ofOneMoment } from "../server/reads.ts";
import type { Write } from "../server/write-all.ts";
import { AHEAD_READ, afterService, aheadOf, claimedRevision, isLast } from "./ahead.ts";
import type { PlannedPush } from "./claim-plan.ts";
import { type DuePlace, LATEST } from "./lanes.ts";
import { type Claim, release } from "./places.ts";
import { firstWaiting } from "./queue.ts";

/** A planned push that was read, if it was found and is due. */
export interface TriedPush extends PlannedPush {
  push: PushDocument | undefined;
  receiver: PushReceiver;
  /** Whether nothing else waits in its place. */
  last: boolean;
}

export interface ServedPush extends TriedPush {
  push: PushDocument;
}

interface FoundPlace {
  _id: string;
  revision?: string | null;
  pushes: PushDocument[];
  receivers: PushReceiver[];
}

/** What becomes of places whose pushes had to be looked for. */
interface Moves {
  served: ServedPush[];
  /** Planned without a push that is due. */
  unused: PlannedPush[];
  writes: Write[];
}

const NO_ATTEMPTS = { history: 0, attempt: 0 };

interface WaitingInPlace {
  pushes: PushDocument[];
  /** Null where the subscription was removed. */
  receiver: PushReceiver | null;
}

/** By the id of the subscription; null where its place in the queue was not read as it was planned. */
type Waiting = Map<string, WaitingInPlace | null>;

const RECEIVER = {
  $lookup: {
    from: "subscriptions",
    localField: "_id",
    foreignField: "_id",
    pipeline: [{ $project: { publisher_id: 1, webhook_url: 1 } }],
    as: "receivers",
  },
};

/**
 * Reads pushes: those planned, as a majority has them; or the first `AHEAD_READ` and their subscription, with what no
 * majority has yet, where they have to be looked for. On a cluster these are read with their place as of one moment: while
 * collections lie on two shards, the push of a place that is there already may be missing otherwise.
 */
export async function waitingIn(
  { connection, collections: { pushes, push_queue } }: MongodbContext,
  planned: readonly PlannedPush[],
): Promise<Waiting> {
  const waiting: Waiting = new Map();
  const listed: string[] = [];
  const unlisted: string[] = [];
  for (const { place, deliveryId } of planned) {
    if (deliveryId === null) unlisted.push(place._id);
    else {
      listed.push(pushId(place._id, deliveryId));
      waiting.set(place._id, { pushes: [], receiver: place.ahead?.receiver ?? null });
    }
  }
  const [known, found] = await Promise.all([
    listed.length === 0 ? [] : pushes.find({ _id: { $in: listed } }, { projection: NO_ATTEMPTS }).toArray(),
    unlisted.length === 0
      ? []
      : push_queue
          .aggregate<FoundPlace>(
            [
              { $match: { _id: { $in: unlisted } } },
              { $project: { revision: 1 } },
              firstWaiting("pushes", AHEAD_READ, [{ $project: NO_ATTEMPTS }]),
              RECEIVER,
            ],
            connection.sharded ? ofOneMoment(connection) : LATEST,
          )
          .toArray(),
  ]);
  const revisions = new Map(planned.map(({ place }) => [place._id, place.revision ?? null]));
  for (const { _id, revision = null, pushes, receivers } of found) {
    const isAsPlanned = revision === revisions.get(_id);
    waiting.set(_id, isAsPlanned ? { pushes, receiver: receivers[0] ?? null } : null);
  }
  for (const push of known) waiting.get(push.subscription_id)?.pushes.push(push);
  return waiting;
}

/**
 * What is claimed of pushes that their places list.
 * @param waiting  of `waitingIn`
 */
export function listedPushes(listed: readonly PlannedPush[], waiting: Waiting, claim: Claim): TriedPush[] {
  const ofPlaces = groupedBy(listed, (one) => one.place);
  return listed.flatMap((one) => {
    const { pushes, receiver } = waiting.get(one.place._id) ?? { pushes: [], receiver: null };
    if (receiver === null) return [];
    const { ahead } = one.place;
    const isThis = ({ delivery_id }: { delivery_id: number }) => delivery_id === one.deliveryId;
    const found = pushes.find(isThis);
    // A majority may have the claim by now, or something older than what the place lists.
    const isOurs = found?.token === claim.token;
    const isAsListed = found?.due_at?.getTime() === ahead?.pushes.find(isThis)?.due_at.getTime();
    const push = isOurs || (isAsListed && isDue(found, claim.now)) ? found : undefined;
    const last = ofPlaces.get(one.place)?.length === 1 && ahead !== undefined && isLast(ahead);
    return [{ ...one, push, receiver, last }];
  });
}

/** Moves places as if all their listed pushes are claimed. */
export function movesOfListed(listed: readonly PlannedPush[], claim: Claim): Write[] {
  const places = [...groupedBy(listed, (one) => one.place)].map(([place, all]) => ({ place, n: all.length }));
  return [...groupedBy(places, ({ n }) => n)].map(([n, group]) => ({
    to: "push_queue",
    filter: {
      _id: { $in: group.map(({ place }) => place._id) },
      // Each belongs to one place.
      revision: { $in: group.map(({ place }) => place.revision) },
    },
    update: afterService(n, claim),
    many: true,
  }));
}

/** Whether no other push may be due in the places of these. */
export const areAllListed = (planned: readonly PlannedPush[]): boolean =>
  [...groupedBy(planned, (one) => one.place)].every(
    ([{ ahead }, { length }]) => ahead !== undefined && !(ahead.more && ahead.pushes.length === length),
  );

/**
 * Decides what a claim takes of pushes that had to be looked for, one of each place, and where the places go.
 * @param waiting  of `waitingIn`
 */
export function movesOf(planned: readonly PlannedPush[], waiting: Waiting, claim: Claim): Moves {
  const moves: Moves = { served: [], unused: [], writes: [] };
  for (const one of planned) {
    const { place } = one;
    const read = waiting.get(place._id);
    const { pushes, receiver } = read ?? { pushes: [], receiver: null };
    const [push] = pushes;
    if (receiver !== null && isDue(push, claim.now)) {
      moves.served.push({ ...one, push, receiver, last: pushes.length === 1 });
      moves.writes.push(servedAsRead(place, receiver, pushes, claim));
      continue;
    }
    moves.unused.push(one);
    if (read === null) continue;
    moves.writes.push(
      receiver === null ? { to: "push_queue", remove: asRead(place) } : early(place, receiver, pushes),
    );
  }
  return moves;
}

const isDue = (push: PushDocument | undefined, now: Date): push is PushDocument =>
  push !== undefined && push.state === "waiting" && push.due_at !== null && push.due_at <= now;

/** Finds a place unless it has changed since it was read. */
const asRead = ({ _id, revision }: DuePlace) => ({ _id, revision: revision ?? null });

const servedAsRead = (
  place: DuePlace,
  receiver: PushReceiver,
  found: readonly PushDocument[],
  claim: Claim,
): Write => ({
  to: "push_queue",
  filter: asRead(place),
  update: [
    { $set: { ahead: { $literal: aheadOf(receiver, found, claim.token) } } },
    ...afterService(1, claim),
  ],
});

/** A place that is in the queue too early, since what was due in it has been delivered or put off. */
function early(place: DuePlace, receiver: PushReceiver, found: readonly PushDocument[]): Write {
  const due_at = found[0]?.due_at;
  if (due_at == null) return { to: "push_queue", remove: asRead(place) };
  const revision = randomUUID();
  const ahead = aheadOf(receiver, found, revision);
  return { to: "push_queue", filter: asRead(place), update: { $set: { due_at, revision, ahead } } };
}

/** Gives up what was planned: the pushes as far as they are claimed, the places at origins, and those in the queue. */
export function undone(planned: readonly PlannedPush[], claim: Claim): Write[] {
  if (planned.length === 0) return [];
  const ids = planned.flatMap(({ place, deliveryId }) =>
    deliveryId === null ? [] : pushId(place._id, deliveryId),
  );
  return [
    {
      to: "pushes",
      filter: { _id: { $in: ids }, token: claim.token },
      update: { $set: { token: null, due_at: claim.now } },
      many: true,
    },
    ...planned.flatMap((one) => [
      release(one, claim),
      lookAgain({ _id: one.place._id, revision: claimedRevision(claim.token, one.place._id) }, claim.now),
    ]),
  ];
}

/** Has the next claim look for the pushes of a place. */
const lookAgain = (place: { _id: string; revision: string | null }, now: Date): Write => ({
  to: "push_queue",
  filter: place,
  update: { $set: { due_at: now, revision: randomUUID() }, $unset: { ahead: "" } },
});
