import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { dayOf } from "../domain/resources.ts";
import { parseUrl } from "../platform/parse-url.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../platform/time.ts";
import type { Outbound } from "../ports/outbound.ts";
import { StoreUnavailable } from "../ports/store/index.ts";
import type { Entries } from "./entries.ts";
import type { Feed, FeedState } from "./feeds.ts";
import { Feeds } from "./feeds.ts";
import { type Fetched, fetchFeed, type Validators } from "./fetch.ts";
import { FeedError } from "./item.ts";
import { FeedReader } from "./read.ts";
import { type Applied, Relay, type RelayParts } from "./relay.ts";

/** No pause after failures is longer. */
const BACK_OFF_MAX_MS = DAY_MS;
/** A feed whose text did not change is read again after this time: more occurrences of its events may be within reach. */
const REREAD_MS = DAY_MS;
/** This many hosts are polled at the same time. */
const HOSTS_AT_ONCE = 4;
/** `feeds list` can show this many reasons for refused entries. */
const REFUSALS_KEPT = 10;
/** Two polls of one host lie this far apart. */
const HOST_PAUSE_MS = 1_000;

export type Poll = { unchanged: true } | ({ unchanged: false } & Applied);

interface Parts extends RelayParts {
  outbound: Outbound;
  /** Gives the text of a feed that comes with the program; null for any other URL. */
  builtIn?: (url: string, now: number) => string | null;
  clock: () => number;
  /** Waits between two polls of one host; default: by the system's clock. */
  pause?: (ms: number) => Promise<void>;
}

/** Relays feeds: polls those that are due, and brings their posts in line with the sources. */
export class Syndication {
  readonly feeds: Feeds;
  readonly #parts: Parts;
  readonly #relay: Relay;
  readonly #reader = new FeedReader();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#relay = new Relay(parts);
    this.feeds = new Feeds(parts.store, parts.clock);
  }

  /** Polls every feed that is due. @param held  see `Job` */
  async pollDue(now: number, held: () => Promise<boolean>): Promise<void> {
    const active = (await this.feeds.all()).filter(({ paused }) => !paused);
    const states = await Promise.all(active.map(({ id }) => this.feeds.state(id)));
    const due = active.filter((_, at) => (states[at]?.nextAt ?? 0) <= now);
    const queue = [...byHost(due).values()];
    const worker = async () => {
      for (let feeds = queue.shift(); feeds !== undefined; feeds = queue.shift()) {
        for (const [at, feed] of feeds.entries()) {
          if (at > 0) await (this.#parts.pause ?? sleep)(HOST_PAUSE_MS);
          if (!(await held())) return;
          await this.poll(feed).catch((error: unknown) => {
            if (!(error instanceof FeedError)) throw error;
          });
        }
      }
    };
    await Promise.all(Array.from({ length: HOSTS_AT_ONCE }, worker));
  }

  /**
   * Polls a feed now, and notes when it is due again.
   * @throws FeedError for any failure but an outage of the store; the feed waits twice as long after each one in a row
   */
  async poll(feed: Feed): Promise<Poll> {
    const now = this.#parts.clock();
    const state = await this.feeds.state(feed.id);
    try {
      const { poll, next } = await this.#polled(feed, state, now);
      await this.feeds.keepState(feed.id, {
        ...next,
        polledAt: now,
        succeededAt: now,
        failures: 0,
        lastError: null,
        nextAt: now + feed.everyMs,
      });
      return poll;
    } catch (cause) {
      if (cause instanceof StoreUnavailable) throw cause;
      const error =
        cause instanceof FeedError ? cause : new FeedError(`The poll failed: ${String(cause)}`, { cause });
      const failures = state.failures + 1;
      const pause = Math.min(feed.everyMs * 2 ** Math.min(failures, 10), BACK_OFF_MAX_MS);
      const asked = Math.min(error.retryAfterMs, 7 * DAY_MS);
      await this.feeds.keepState(feed.id, {
        ...state,
        polledAt: now,
        failures,
        lastError: error.message,
        nextAt: now + Math.max(pause, asked),
      });
      if (error.gone)
        await this.feeds.change((all) =>
          all.map((one) => (one.id === feed.id ? { ...one, paused: true } : one)),
        );
      throw error;
    }
  }

  async #polled(feed: Feed, state: FeedState, now: number): Promise<{ poll: Poll; next: FeedState }> {
    const rereads = state.readAt === null || now - state.readAt >= REREAD_MS;
    const fetched = await this.#fetched(feed, rereads ? null : state, now);
    if (fetched === "unchanged") return { poll: { unchanged: true }, next: state };
    const { sent, validators } = fetched;
    const textHash = createHash("sha256").update(sent.bytes).digest("base64url");
    if (textHash === state.textHash && !rereads)
      return { poll: { unchanged: true }, next: { ...state, ...validators } };
    const read = await this.#reader.read({ sent, feed, now });
    const publisher = await this.#parts.store.publishers.get(feed.publisherId);
    if (publisher === null) throw new FeedError("Its publisher is gone: remove the feed and add it again.");
    const day = dayOf(now);
    const addedToday = state.day === day ? state.addedToday : 0;
    const applied = await this.#relay.apply(feed, publisher, read, {
      room: feed.dailyMax - addedToday,
      now,
      isSecond: state.isDoubted,
      relays: new Set((await this.feeds.all()).map(({ publisherId }) => publisherId)),
    });
    // Entries that found no room today are read again at the next poll, and so is a doubted answer.
    const isWhole = applied.left === 0 && applied.doubted === 0;
    return {
      poll: { unchanged: false, ...applied },
      next: {
        ...state,
        ...(isWhole ? validators : { etag: null, lastModified: null }),
        textHash: isWhole ? textHash : null,
        isDoubted: applied.doubted > 0,
        refused: applied.refused.slice(0, REFUSALS_KEPT),
        readAt: now,
        day,
        addedToday: addedToday + applied.added,
        added: state.added + applied.added,
        changed: state.changed + applied.changed,
        retired: state.retired + applied.retired,
      },
    };
  }

  async #fetched({ url }: Feed, known: Validators | null, now: number): Promise<Fetched> {
    const text = this.#parts.builtIn?.(url, now) ?? null;
    if (text === null) return fetchFeed(this.#parts.outbound, url, known, now);
    const sent = { bytes: Buffer.from(text), contentType: "charset=utf-8" };
    return { sent, validators: { etag: null, lastModified: null } };
  }
}

/** Its thread waits a while for the next preview, as those of a board do. */
const PREVIEWS = new FeedReader();

/**
 * Reads what a feed would post now, and posts nothing.
 * @throws FeedError
 */
export async function previewFeed(outbound: Outbound, feed: Feed, now: number): Promise<Entries> {
  if (parseUrl(feed.url) === null) throw new FeedError(`${feed.url} is no URL.`);
  const fetched = await fetchFeed(outbound, feed.url, null, now);
  if (fetched === "unchanged") throw new FeedError("The source answered 304 to a plain request.");
  return PREVIEWS.read({ sent: fetched.sent, feed, now });
}

/** Bounds the time between two polls, and gives its default. */
export const POLL_EVERY = { leastMs: 5 * MINUTE_MS, usualMs: HOUR_MS, mostMs: 7 * DAY_MS } as const;

function byHost(feeds: readonly Feed[]): Map<string, Feed[]> {
  const hosts = new Map<string, Feed[]>();
  for (const feed of feeds) {
    const { host } = new URL(feed.url);
    hosts.set(host, [...(hosts.get(host) ?? []), feed]);
  }
  return hosts;
}
