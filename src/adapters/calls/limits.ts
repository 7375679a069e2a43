import ipaddr from "ipaddr.js";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { BoardError } from "../../board/failures.ts";
import type { LimitName } from "../../board/operation.ts";
import type { Secrets } from "../../domain/secrets.ts";
import type { LimitStore, StoredPublisher } from "../../ports/store/index.ts";

interface Policy {
  /** `RateLimit-Policy` has this name, and RATE_LIMITS overrides it by it. */
  name: string;
  count: number;
  seconds: number;
  /** Multiplies `count` for a caller with a key. */
  withKey?: number;
  /** Multiplies further for a verified publisher. */
  verified?: number;
  /** Counts by address even with a key, since anyone can register for another key. */
  byAddress?: true;
  /** Counts IPv6 addresses by /48 instead of /64, and IPv4 addresses not at all. */
  wide?: true;
}

/**
 * A caller may call this often. Limits of reads and searches only protect the process, so the process counts them. The store
 * counts the others, exactly over all processes of a board.
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
  // All users of a hosted assistant come from its address, each with a registration of its own.
  clients: { shared: true, policies: [{ name: "clients", count: 100, seconds: 3600, byAddress: true }] },
};
/** Keys are free. So all unverified keys of one address together may do as much as this many. */
const KEYS_PER_ADDRESS = 4;
const KEYS_OF_ADDRESS =
  "The unverified keys of this address have together used what four may. Wait the seconds that the answer gives; a publisher with a verified website counts by itself.";
const FAILED_KEYS: Policy = { name: "failed_keys", count: 30, seconds: 60 };

const POLICY_NAMES: readonly string[] = [
  ...Object.values(POLICIES).flatMap(({ policies }) => policies.map((policy) => policy.name)),
  FAILED_KEYS.name,
];

/** Tells the mistake in the overrides of RATE_LIMITS, or null. */
export function mistakeIn(rateLimits: Overrides): string | null {
  if (typeof rateLimits !== "object") return null;
  const unknown = Object.keys(rateLimits).filter((name) => !POLICY_NAMES.includes(name));
  return unknown.length === 0
    ? null
    : `${unknown.join(", ")} is no policy; there are ${POLICY_NAMES.join(", ")}`;
}

/** The manual prints these figures. */
export const LIMIT_TABLE: readonly (Policy & { limit: LimitName })[] = (
  Object.keys(POLICIES) as LimitName[]
).flatMap((limit) => POLICIES[limit].policies.map((policy) => ({ ...policy, limit })));

export interface LimitHeaders {
  /** `RateLimit-Policy` has this value (IETF draft 11). */
  policy: string;
  /** `RateLimit` has this value. */
  state: string;
  /** Writes a sentence for `meta.note` when at most a tenth of the calls is left, else null. */
  nearly: string | null;
}

type Overrides = "on" | "off" | Record<string, { count: number; seconds: number }>;

export class Limits {
  readonly #parts: { store: LimitStore; secrets: Secrets; overrides: Overrides };
  readonly #memory = new Map<string, RateLimiterMemory>();

  constructor(parts: { store: LimitStore; secrets: Secrets; overrides: Overrides }) {
    this.#parts = parts;
  }

  /**
   * Counts one call.
   * @throws BoardError `rate_limited`, with `retryAfterS` and the headers in `cause`
   */
  async take(limit: LimitName, who: Counted, now: number): Promise<LimitHeaders | null> {
    if (this.#parts.overrides === "off") return null;
    const { shared, policies } = POLICIES[limit];
    const counted = policies.map((policy) => this.#stateOf(this.#overridden(policy), shared, who, now));
    const states = (await Promise.all(counted)).flat();
    const headers = headersOf(states);
    const refused = states.filter((state) => state.over);
    if (refused.length === 0) return headers;
    const retryAfterS = Math.max(...refused.map((state) => state.resetS));
    const why = refused.some((state) => state.ofAddress) ? { hint: KEYS_OF_ADDRESS } : {};
    throw new BoardError("rate_limited", { ...why, retryAfterS, cause: headers });
  }

  /**
   * Counts a wrong key by its address. Right keys from there go on working: one broken agent must not lock out its office.
   * @throws BoardError `rate_limited` when this key was one too many
   */
  async failedKey(address: string): Promise<void> {
    if (this.#parts.overrides === "off") return;
    const policy = this.#overridden(FAILED_KEYS);
    const { points, resetS } = await this.#ownCount(policy, addressBucket(address));
    if (points > policy.count) throw tooManyWrongKeys(resetS);
  }

  #overridden(policy: Policy): Policy {
    const { overrides } = this.#parts;
    return typeof overrides === "object" ? { ...policy, ...overrides[policy.name] } : policy;
  }

  async #stateOf(policy: Policy, shared: boolean, who: Counted, now: number): Promise<PolicyState[]> {
    const caller = policy.byAddress === true ? null : who.caller;
    const address = addressBucket(who.address, policy.wide === true ? 48 : 64);
    if (policy.wide === true && !address.endsWith("/48")) return [];
    const count = async (bucket: string, allowed: number) => {
      const { points, resetS } = await (shared
        ? this.#sharedCount(policy, bucket, now)
        : this.#ownCount(policy, bucket));
      return { policy, remaining: Math.max(0, allowed - points), resetS, over: points > allowed };
    };
    const allowed = allowance(policy, caller);
    const own = await count(caller === null ? address : `key ${caller.id}`, allowed);
    const single = { ...own, allowed, ofAddress: false };
    // A refused call takes nothing from the other keys of its address.
    if (caller === null || caller.verifiedAt !== null || own.over) return [single];
    const together = await count(`keys of ${address}`, allowed * KEYS_PER_ADDRESS);
    return [
      together.remaining < own.remaining || together.over
        ? { ...together, allowed, ofAddress: true }
        : single,
    ];
  }

  async #sharedCount(policy: Policy, bucket: string, now: number): Promise<Count> {
    const key = `${policy.name} ${this.#parts.secrets.addressTag(bucket)}`;
    const { points, endsAt } = await this.#parts.store.add(key, 1, policy.seconds * 1000, now);
    return { points, resetS: secondsLeft(endsAt - now, policy) };
  }

  async #ownCount(policy: Policy, bucket: string): Promise<Count> {
    // The counter only counts: how many calls are allowed depends on the caller.
    const counter =
      this.#memory.get(policy.name) ??
      new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: policy.seconds });
    this.#memory.set(policy.name, counter);
    const { consumedPoints, msBeforeNext } = await counter.consume(bucket);
    return { points: consumedPoints, resetS: secondsLeft(msBeforeNext, policy) };
  }
}

interface Counted {
  caller: StoredPublisher | null;
  address: string;
}

interface Count {
  points: number;
  resetS: number;
}

/** The wait is at most the window: a clock that was set back leaves ends of windows far ahead. */
const secondsLeft = (ms: number, { seconds }: Policy) => Math.min(seconds, Math.max(1, Math.ceil(ms / 1000)));

interface PolicyState {
  policy: Policy;
  allowed: number;
  remaining: number;
  resetS: number;
  over: boolean;
  /** True when all unverified keys of the address together are nearer to their limit than this key. */
  ofAddress: boolean;
}

function allowance(policy: Policy, caller: StoredPublisher | null): number {
  if (caller === null) return policy.count;
  const times = caller.verifiedAt === null ? 1 : (policy.verified ?? 1);
  return policy.count * (policy.withKey ?? 1) * times;
}

function tooManyWrongKeys(retryAfterS: number): BoardError {
  return new BoardError("rate_limited", {
    retryAfterS,
    hint: "Too many wrong API keys from this address. Wait the seconds that the answer gives, then send the right one.",
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

/** An address counts in this bucket: IPv4 whole, IPv6 by its first bits. */
export function addressBucket(sent: string, ipv6Bits: 64 | 48 = 64): string {
  const address = addressOf(sent);
  if (address === null) return "address unknown";
  if (address instanceof ipaddr.IPv4) return `address ${address.toString()}`;
  const parts = address.parts.slice(0, ipv6Bits / 16);
  return `address ${parts.map((part) => part.toString(16)).join(":")}::/${ipv6Bits}`;
}

/** Reads an address as a socket or a proxy names it, without the port that some proxies append. */
export function addressOf(sent: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const address = sent.replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2");
  if (!ipaddr.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  return parsed.range() === "rfc6052" ? new ipaddr.IPv4(parsed.toByteArray().slice(12)) : parsed;
}
