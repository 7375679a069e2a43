import ipaddr from "ipaddr.js";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Secrets } from "../../domain/secrets.ts";
import { BoardError } from "../../failures.ts";
import type { LimitName } from "../../operation.ts";
import type { LimitStore, StoredPublisher } from "../../ports/store/index.ts";

interface Policy {
  /** Name in `RateLimit-Policy`, and in RATE_LIMITS to override it. */
  name: string;
  count: number;
  seconds: number;
  /** Factor on `count` for a caller with a key. */
  withKey?: number;
  /** Further factor for a verified publisher. */
  verified?: number;
  /** Counts by address even with a key, since anyone can register for another key. */
  byAddress?: true;
  /** Counts IPv6 addresses by /48 instead of /64, and IPv4 addresses not at all. */
  wide?: true;
}

/**
 * How often a caller may call. Limits of reads and searches only protect the process, so the process counts them. The
 * store counts the others, exactly over all processes of a board.
 */
const POLICIES: Record<LimitName, { shared: boolean; policies: readonly Policy[] }> = {
  read: { shared: false, policies: [{ name: "read", count: 300, seconds: 60, withKey: 4 }] },
  search: { shared: false, policies: [{ name: "search", count: 120, seconds: 60, withKey: 5 }] },
  write: {
    shared: true,
    policies: [
      { name: "write", count: 60, seconds: 60, verified: 10 },
      { name: "write_day", count: 1000, seconds: 86_400, verified: 10 },
    ],
  },
  register: {
    shared: true,
    policies: [
      { name: "register", count: 30, seconds: 3600, byAddress: true },
      { name: "register_day", count: 100, seconds: 86_400, byAddress: true },
      { name: "register_net", count: 300, seconds: 86_400, byAddress: true, wide: true },
    ],
  },
  report: { shared: true, policies: [{ name: "report", count: 30, seconds: 3600 }] },
  subscribe: { shared: true, policies: [{ name: "subscribe", count: 60, seconds: 3600 }] },
  verify: { shared: true, policies: [{ name: "verify", count: 20, seconds: 3600 }] },
};
const FAILED_KEYS: Policy = { name: "failed_keys", count: 30, seconds: 60 };

/** Every policy name. */
const POLICY_NAMES: readonly string[] = [
  ...Object.values(POLICIES).flatMap(({ policies }) => policies.map((policy) => policy.name)),
  FAILED_KEYS.name,
];

/** The mistake in the overrides of RATE_LIMITS, or null. */
export function mistakeIn(rateLimits: Overrides): string | null {
  if (typeof rateLimits !== "object") return null;
  const unknown = Object.keys(rateLimits).filter((name) => !POLICY_NAMES.includes(name));
  return unknown.length === 0
    ? null
    : `${unknown.join(", ")} is no policy; there are ${POLICY_NAMES.join(", ")}`;
}

/** The figures that the manual prints. */
export const LIMIT_TABLE: readonly (Policy & { limit: LimitName })[] = (
  Object.keys(POLICIES) as LimitName[]
).flatMap((limit) => POLICIES[limit].policies.map((policy) => ({ ...policy, limit })));

export interface LimitHeaders {
  /** Value of `RateLimit-Policy` (IETF draft 11). */
  policy: string;
  /** Value of `RateLimit`. */
  state: string;
  /** A sentence for `meta.note` when at most a tenth of the calls is left, else null. */
  nearly: string | null;
}

type Overrides = "on" | "off" | Record<string, { count: number; seconds: number }>;

export class Limits {
  readonly #store: LimitStore;
  readonly #secrets: Secrets;
  readonly #overrides: Overrides;
  readonly #memory = new Map<string, RateLimiterMemory>();

  constructor(parts: { store: LimitStore; secrets: Secrets; overrides: Overrides }) {
    this.#store = parts.store;
    this.#secrets = parts.secrets;
    this.#overrides = parts.overrides;
  }

  /**
   * Begins to count a call in the store while its key is looked up, for the caller that the key had before; null where the
   * process counts such calls itself. If the key turns out to be another's, that caller has one call less in this window.
   */
  countAhead(limit: LimitName, callerId: string, now: number): CountedAhead | null {
    const { shared, policies } = POLICIES[limit];
    if (this.#overrides === "off" || !shared) return null;
    const counts = new Map<string, Promise<Count>>();
    for (const each of policies) {
      if (each.byAddress === true) continue;
      const count = this.#sharedCount(this.#overridden(each), bucketOf(callerId), now);
      // Whoever takes the limit hears of a failure.
      count.catch(() => {});
      counts.set(each.name, count);
    }
    return { callerId, counts };
  }

  /**
   * Counts one call.
   * @param ahead  what was counted for it already
   * @throws BoardError `rate_limited`, with `retryAfterS` and the headers in `cause`
   */
  async take(
    limit: LimitName,
    who: { caller: StoredPublisher | null; address: string },
    now: number,
    ahead: CountedAhead | null = null,
  ): Promise<LimitHeaders | null> {
    if (this.#overrides === "off") return null;
    const { shared, policies } = POLICIES[limit];
    const counted = policies.map(async (each): Promise<PolicyState[]> => {
      const policy = this.#overridden(each);
      const caller = policy.byAddress === true ? null : who.caller;
      const bucket = caller === null ? addressBucket(who.address, policy.wide === true) : bucketOf(caller.id);
      if (bucket === null) return [];
      const allowed = allowance(policy, caller);
      const isAhead = caller !== null && caller.id === ahead?.callerId;
      const used = await ((isAhead ? ahead.counts.get(each.name) : undefined) ??
        (shared ? this.#sharedCount(policy, bucket, now) : this.#ownCount(policy, bucket, allowed)));
      const resetS = Math.max(1, Math.ceil(used.msLeft / 1000));
      const remaining = Math.max(0, allowed - used.points);
      return [{ policy, allowed, remaining, resetS, over: used.points > allowed }];
    });
    const states = (await Promise.all(counted)).flat();
    const headers = headersOf(states);
    const refused = states.filter((state) => state.over);
    if (refused.length === 0) return headers;
    const retryAfterS = Math.max(...refused.map((state) => state.resetS));
    throw new BoardError("rate_limited", { retryAfterS, cause: headers });
  }

  /**
   * Counts a wrong key by its address. Right keys from there go on working: one broken agent must not lock out its office.
   * @throws BoardError `rate_limited` when this key was one too many
   */
  async failedKey(address: string): Promise<void> {
    if (this.#overrides === "off") return;
    const policy = this.#overridden(FAILED_KEYS);
    const { points, msLeft } = await this.#ownCount(policy, addressBucket(address, false), policy.count);
    if (points > policy.count) throw tooManyWrongKeys(msLeft);
  }

  #overridden(policy: Policy): Policy {
    return typeof this.#overrides === "object" ? { ...policy, ...this.#overrides[policy.name] } : policy;
  }

  async #sharedCount(policy: Policy, bucket: string, now: number): Promise<Count> {
    const key = `${policy.name} ${this.#secrets.addressTag(bucket)}`;
    const { points, endsAt } = await this.#store.add(key, 1, policy.seconds * 1000, now);
    return { points, msLeft: endsAt - now };
  }

  async #ownCount(policy: Policy, bucket: string, allowed: number): Promise<Count> {
    const state = await this.#limiter(policy, allowed)
      .consume(bucket)
      .catch((refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return refusal;
        throw refusal;
      });
    return { points: state.consumedPoints, msLeft: state.msBeforeNext };
  }

  #limiter(policy: Policy, points: number): RateLimiterMemory {
    const key = `${policy.name} ${points}`;
    const limiter =
      this.#memory.get(key) ?? new RateLimiterMemory({ keyPrefix: key, points, duration: policy.seconds });
    this.#memory.set(key, limiter);
    return limiter;
  }
}

interface Count {
  points: number;
  msLeft: number;
}

/** What `countAhead` began, by the names of policies. */
interface CountedAhead {
  callerId: string;
  counts: ReadonlyMap<string, Promise<Count>>;
}

const bucketOf = (callerId: string) => `key ${callerId}`;

interface PolicyState {
  policy: Policy;
  allowed: number;
  remaining: number;
  resetS: number;
  over: boolean;
}

function allowance(policy: Policy, caller: StoredPublisher | null): number {
  if (caller === null) return policy.count;
  const times = caller.verifiedAt === null ? 1 : (policy.verified ?? 1);
  return policy.count * (policy.withKey ?? 1) * times;
}

function tooManyWrongKeys(msLeft: number): BoardError {
  return new BoardError("rate_limited", {
    retryAfterS: Math.max(1, Math.ceil(msLeft / 1000)),
    hint: "Too many wrong API keys from this address. Wait the seconds given in `Retry-After`, then send the right one.",
  });
}

function headersOf(states: readonly PolicyState[]): LimitHeaders {
  const near = states.find(({ allowed, remaining }) => remaining <= allowed / 10);
  return {
    nearly:
      near === undefined
        ? null
        : `Nearly at a limit: ${near.remaining} of ${near.allowed} \`${near.policy.name}\` calls are left for ${near.resetS} s.`,
    policy: states
      .map(({ policy, allowed }) => `"${policy.name}";q=${allowed};w=${policy.seconds}`)
      .join(", "),
    state: states
      .map(({ policy, remaining, resetS }) => `"${policy.name}";r=${remaining};t=${resetS}`)
      .join(", "),
  };
}

/**
 * The bucket an address counts in: IPv4 whole, IPv6 by /64 (`wide`: /48, and null for IPv4). All text that is not an
 * address shares one bucket; otherwise a client that can choose the text could have as many buckets as it likes.
 */
export function addressBucket(address: string, wide: false): string;
export function addressBucket(address: string, wide: boolean): string | null;
export function addressBucket(sent: string, wide: boolean): string | null {
  const address = withoutPort(sent);
  if (!ipaddr.isValid(address)) return wide ? null : "address unknown";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return wide ? null : `address ${parsed.toString()}`;
  const parts = (parsed as ipaddr.IPv6).parts.slice(0, wide ? 3 : 4);
  return `address ${parts.map((part) => part.toString(16)).join(":")}::/${wide ? 48 : 64}`;
}

/** Some proxies append the client's port to its address; the port changes with every connection. */
const withoutPort = (address: string) => address.replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2");
