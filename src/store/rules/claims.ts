import type { PushStore } from "../../ports/store/index.ts";

/** Clocks of the processes of a board may differ by this much: a minute fast here, a minute slow there. */
export const CLOCKS_APART_MS = 120_000;
/** What is claimed until later than this was claimed by a clock that has gone back since. */
export const latestLease = ({ now, leaseMs }: { now: number; leaseMs: number }): number =>
  now + leaseMs + CLOCKS_APART_MS;
/** A new push is due at once, by every clock. */
export const dueAtOnce = (matchedAt: number): number => matchedAt - CLOCKS_APART_MS;

type Options = Omit<Parameters<PushStore["claim"]>[0], "leaseMs" | "now">;

/** Such a push is due, and goes to its origin. */
interface Due {
  id: string;
  origin: string;
}

/** Looks for due pushes, at most. Each leaves out the origins that are full by then. */
const LOOKS_MAX = 10;
/** This many pushes are looked at for each that may be claimed, since some have the same origin. */
const SEEN_PER_PLACE = 2;

/**
 * Chooses what to claim under the caller's caps, first due first; those of failing receivers come second.
 * @param look  finds due pushes, first due first, of failing receivers or of the others, without those to some origins
 */
export async function chooseDue<Push extends Due>(
  options: Options,
  look: (asked: { failing: boolean; without: string[]; limit: number }) => Promise<Push[]>,
): Promise<Push[]> {
  const chosen: Push[] = [];
  for (const failing of [false, true]) {
    const perOrigin = failing ? (options.failingPerOrigin ?? options.perOrigin) : options.perOrigin;
    const taken = new Map<string, number>();
    const take = (origin: string) => taken.set(origin, (taken.get(origin) ?? 0) + 1);
    for (const push of options.underWay ?? []) if (push.failing === failing) take(push.origin);
    const full = () => [...taken].flatMap(([origin, n]) => (n >= perOrigin ? [origin] : []));
    const end = failing ? Math.min(options.limit, chosen.length + options.failing) : options.limit;
    for (let looks = 0; looks < LOOKS_MAX && chosen.length < end; looks += 1) {
      const limit = SEEN_PER_PLACE * (end - chosen.length);
      const before = chosen.length;
      const already = new Set(chosen.map(({ id }) => id));
      const found = await look({ failing, without: full(), limit });
      for (const push of found) {
        const isFull = (taken.get(push.origin) ?? 0) >= perOrigin;
        if (isFull || chosen.length === end || already.has(push.id)) continue;
        take(push.origin);
        chosen.push(push);
      }
      if (found.length < limit || chosen.length === before) break;
    }
  }
  return chosen;
}

interface Receiver {
  active: boolean;
  /** Holds host and port of the webhook, null without one. */
  webhook_origin: string | null;
  /** The webhook has not consented where this is null. */
  webhook_verified_at: unknown;
}

/** True for an active subscription whose webhook consented. */
export function canBePushedTo({ active, webhook_origin, webhook_verified_at }: Receiver): boolean {
  return active && webhook_origin !== null && webhook_verified_at !== null;
}

/** Gives host and port of a webhook; the port is written out even where the scheme implies it. */
export function webhookOrigin(webhookUrl: string): string {
  const { protocol, hostname, port } = new URL(webhookUrl);
  const schemePort = protocol === "http:" ? "80" : "443";
  return `${hostname.replace(/\.$/, "")}:${port === "" ? schemePort : port}`;
}
