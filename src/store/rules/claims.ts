import type { PushStore } from "../../ports/store/index.ts";

/** How many pushes may be claimed; see `PushStore.claim`. */
type Caps = Pick<Parameters<PushStore["claim"]>[0], "limit" | "perOrigin" | "failing">;

/** The subscriptions of one origin whose last push failed, or the others, with pushes due. */
export interface Lane {
  /** Host and port of the webhooks. */
  origin: string;
  failing: boolean;
  /** Smallest for the least recently served lane; null for one that was never served. */
  turn: number | null;
}

type LaneKind = Pick<Lane, "origin" | "failing">;

/** What the caps leave of one claim, beside the live claims of all processes at each origin. */
export class Places {
  readonly #perOrigin: number;
  readonly #taken: Map<string, number>;
  #room: number;
  #failing: number;

  /** @param live  live claims of all processes, once for each origin */
  constructor(caps: Caps, live: readonly { origin: string; n: number }[]) {
    this.#perOrigin = caps.perOrigin;
    this.#room = caps.limit;
    this.#failing = caps.failing;
    this.#taken = new Map(live.map(({ origin, n }) => [origin, n]));
  }

  /** Places for lanes of this kind. */
  left(failing: boolean): number {
    return Math.max(0, failing ? Math.min(this.#room, this.#failing) : this.#room);
  }

  /** Places for a lane. */
  leftFor({ origin, failing }: LaneKind): number {
    return Math.max(0, Math.min(this.left(failing), this.#perOrigin - (this.#taken.get(origin) ?? 0)));
  }

  /** Origins that have all they may have. */
  get fullOrigins(): number {
    return [...this.#taken.values()].filter((n) => n >= this.#perOrigin).length;
  }

  take({ origin, failing }: LaneKind): void {
    this.#taken.set(origin, (this.#taken.get(origin) ?? 0) + 1);
    this.#room -= 1;
    if (failing) this.#failing -= 1;
  }
}

/** Lanes with a place, least recently served first, new ones last; of each kind no more than there are places. */
export function openLanes<L extends Lane>(lanes: readonly L[], places: Places): L[] {
  const open = lanes.filter((lane) => places.leftFor(lane) > 0).sort(byTurn);
  return [false, true]
    .flatMap((kind) => open.filter(({ failing }) => failing === kind).slice(0, places.left(kind)))
    .sort(byTurn);
}

/**
 * Serves one push of each lane, round after round, until the places or the lanes are used up.
 * @param next  the lane's next push, null when it has none
 */
export function serveInTurn<L extends Lane, Push>(
  lanes: readonly L[],
  places: Places,
  next: (lane: L) => Push | null,
): Push[] {
  const served: Push[] = [];
  let round = lanes;
  while (round.length > 0) {
    round = round.filter((lane) => {
      if (places.leftFor(lane) === 0) return false;
      const push = next(lane);
      if (push === null) return false;
      served.push(push);
      places.take(lane);
      return true;
    });
  }
  return served;
}

function byTurn(a: Lane, b: Lane): number {
  return (a.turn ?? Number.MAX_SAFE_INTEGER) - (b.turn ?? Number.MAX_SAFE_INTEGER);
}

interface Receiver {
  active: boolean;
  /** Host and port of the webhook, null without one. */
  webhook_origin: string | null;
  /** Null until the webhook consents. */
  webhook_verified_at: unknown;
}

/** True for an active subscription whose webhook consented. */
export function canBePushedTo({ active, webhook_origin, webhook_verified_at }: Receiver): boolean {
  return active && webhook_origin !== null && webhook_verified_at !== null;
}

/**
 * The place of a subscription in the push queue, or null for none.
 * @param dueAt  when its first waiting push is due, null when none waits
 */
export function queuePlace<Time>(
  receiver: Receiver & { failures: number },
  dueAt: Time | null,
): { origin: string; failing: boolean; dueAt: Time } | null {
  const { webhook_origin: origin, failures } = receiver;
  if (dueAt === null || origin === null || !canBePushedTo(receiver)) return null;
  return { origin, failing: failures > 0, dueAt };
}

/** Host and port of a webhook; the port is written out even where the scheme implies it. */
export function webhookOrigin(webhookUrl: string): string {
  const { protocol, hostname, port } = new URL(webhookUrl);
  const schemePort = protocol === "http:" ? "80" : "443";
  return `${hostname.replace(/\.$/, "")}:${port === "" ? schemePort : port}`;
}
