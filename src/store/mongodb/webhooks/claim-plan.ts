import type { ClientSession } from "mongodb";
import type { PushStore } from "../../../ports/store/index.ts";
import { type Lane, openLanes, Places, serveInTurn } from "../../rules/claims.ts";
import type { PushDocument } from "../schema/documents.ts";
import type { MongodbContext } from "../server/context.ts";
import { inSession } from "../server/reads.ts";
import { type DueLane, dueLaneDocuments, waitingPushes } from "./lanes.ts";

type Options = Parameters<PushStore["claim"]>[0];

export interface ClaimPlan {
  /** In the order of service. `nextDueAt`: when the subscription's next waiting push is due, null without one. */
  served: { lane: DueLane; push: PushDocument; nextDueAt: Date | null }[];
  /** Lanes without a turn. */
  newLanes: DueLane[];
}

/** What a claim would serve now. Only reads; exact inside a transaction. */
export async function planClaim(
  context: MongodbContext,
  options: Options,
  session?: ClientSession,
): Promise<ClaimPlan> {
  const now = new Date(options.now);
  const places = await placesFor(context, options, session);
  const due: DueLane[] = [];
  for (const failing of [false, true]) {
    if (places.left(failing) > 0) due.push(...(await dueLaneDocuments(context, failing, now, session)));
  }
  const open = openLanes(due, places);
  const most = Math.max(0, ...open.map((lane) => places.leftFor(lane)));
  const waiting = await waitingPushes(context, open, { now, most }, session);
  const served = serveInTurn(open, places, (lane) => {
    const [push, ...rest] = waiting.get(lane._id)?.shift() ?? [];
    if (push === undefined) return null;
    if (isDue(rest[0], now)) waiting.get(lane._id)?.push(rest);
    return { lane, push, nextDueAt: rest[0]?.due_at ?? null };
  });
  return { served, newLanes: due.filter(({ turn }) => turn === null) };
}

function isDue(push: PushDocument | undefined, now: Date): boolean {
  return push !== undefined && push.due_at !== null && push.due_at <= now;
}

async function placesFor(
  { collections }: MongodbContext,
  options: Options,
  session: ClientSession | undefined,
): Promise<Places> {
  const live = await collections.pushes
    .aggregate<{ _id: Pick<Lane, "origin" | "failing">; n: number }>(
      [
        { $match: { token: CLAIMED, due_at: { $gt: new Date(options.now) } } },
        { $group: { _id: { origin: "$claimed_origin", failing: "$claimed_failing" }, n: { $sum: 1 } } },
      ],
      inSession(session),
    )
    .toArray();
  return new Places(
    options,
    live.map(({ _id, n }) => ({ ..._id, n })),
  );
}

/** `token` of a claimed push, as the partial index of such pushes has it. */
const CLAIMED = { $gt: "" } as const;
