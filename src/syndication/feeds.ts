import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Store } from "../ports/store/index.ts";
import { Kind } from "../schema/post.ts";
import { FEED_KINDS } from "./kinds/index.ts";

/** Describes a feed as the operator added it. */
export const Feed = z.object({
  id: z.string(),
  url: z.string(),
  kind: z.enum(FEED_KINDS),
  /** Posts of the feed show this name as their source. */
  name: z.string(),
  /** The source allows its content to be passed on under it. */
  license: z.string(),
  /** This publisher relays it. */
  publisherId: z.string(),
  /** Every post gets these tags. */
  tags: z.array(z.string()),
  /** Its posts are of this kind, whatever the source says; null leaves it to the source. */
  postKind: Kind.nullable(),
  /** Times that name no zone are in this one. */
  timezone: z.string(),
  /** Entries that name no place get this one. */
  place: z
    .object({ name: z.string().nullable(), lat: z.number().nullable(), lng: z.number().nullable() })
    .nullable(),
  everyMs: z.number(),
  /** At most this many posts are new in a day. */
  dailyMax: z.number(),
  paused: z.boolean(),
});
export type Feed = z.infer<typeof Feed>;

/** Tells how the polls of a feed went. A feed that was never polled has the defaults. Times are epoch milliseconds. */
export const FeedState = z.object({
  etag: z.string().nullable().default(null),
  lastModified: z.string().nullable().default(null),
  /** The SHA-256 of the last text keeps a source without validators from being read again while its text stays. */
  textHash: z.string().nullable().default(null),
  /** Its entries were last read then. */
  readAt: z.number().nullable().default(null),
  nextAt: z.number().default(0),
  polledAt: z.number().nullable().default(null),
  /** A poll last succeeded then. */
  succeededAt: z.number().nullable().default(null),
  /** Counts failed polls in a row. */
  failures: z.number().default(0),
  lastError: z.string().nullable().default(null),
  /** These are reasons for refused entries when it was last read. */
  refused: z.array(z.string()).default([]),
  /** True when the last answer lacked most posts, so nothing was done. */
  isDoubted: z.boolean().default(false),
  /** `addedToday` counts this day. */
  day: z.string().default(""),
  addedToday: z.number().default(0),
  added: z.number().default(0),
  changed: z.number().default(0),
  retired: z.number().default(0),
});
export type FeedState = z.infer<typeof FeedState>;

const LIST = "feeds";
const stateName = (id: string) => `feed:${id}`;
const LEASE = "feeds";
const LEASE_MS = 10_000;
const RETRY_MS = 50;

/** Keeps the feeds that a board relays. They are few and small, so they are kept among its settings. */
export class Feeds {
  readonly #store: Pick<Store, "settings" | "leases">;
  readonly #clock: () => number;

  constructor(store: Pick<Store, "settings" | "leases">, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  async all(): Promise<Feed[]> {
    const text = await this.#store.settings.get(LIST);
    return text === null ? [] : z.array(Feed).parse(JSON.parse(text));
  }

  async state(id: string): Promise<FeedState> {
    const text = await this.#store.settings.get(stateName(id));
    return FeedState.parse(JSON.parse(text ?? "{}"));
  }

  async keepState(id: string, state: FeedState): Promise<void> {
    await this.#store.settings.set(stateName(id), JSON.stringify(state));
  }

  /** Changes the list under a lease, so that processes do so one after the other. */
  async change(make: (feeds: Feed[]) => Feed[]): Promise<void> {
    const owner = randomUUID();
    while ((await this.#store.leases.acquire(LEASE, owner, LEASE_MS, this.#clock())) === null)
      await sleep(RETRY_MS);
    try {
      await this.#store.settings.set(LIST, JSON.stringify(make(await this.all())));
    } finally {
      await this.#store.leases.release(LEASE, owner);
    }
  }
}
