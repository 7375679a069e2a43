import { BoardError } from "../../board/failures.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/time.ts";
import type { Embedder } from "../../ports/embedder.ts";
import type { Outbound } from "../../ports/outbound.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import {
  type EventName,
  INBOX_KEPT_DAYS,
  isMatched,
  type Store,
  type StoredPublisher,
  type StoredSubscription,
  type SubscriptionChange,
} from "../../ports/store/index.ts";
import type { StandingQuery } from "../../schema/subscription.ts";
import type { Cursors } from "../cursors.ts";
import type { Posts } from "../posts/index.ts";
import { isoTimeOrNull } from "../resources.ts";
import { criteriaJson } from "../search/query.ts";
import type { Secrets } from "../secrets.ts";
import { meaningOf } from "../subscriptions/meaning.ts";
import { ACTIVATED, ACTIVE_MAX, BEGUN, keepSubscription } from "../subscriptions/state.ts";
import { refuseUrl } from "../url-refusal.ts";
import type { Consent } from "../webhooks/consent.ts";
import { problemOf } from "../webhooks/request.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { DeliveryProblem } from "./names.ts";
import { type Occurrence, occurrenceOf } from "./occurrence.ts";

/** A subscription lasts this long unless it is renewed: by asking again, or by a refresh of its webhook. */
const LEASE_MS = 7 * DAY_MS;
const WEBHOOK_TTL_MS = { min: 5 * MINUTE_MS, max: DAY_MS } as const;
/** The secret before a refresh signs too for this long. */
const ROTATION_MS = HOUR_MS;
/** Matches are kept so long, so an older cursor may have lost some. */
const REPLAYED_MS = INBOX_KEPT_DAYS * DAY_MS;

export interface Topic {
  event: EventName;
  /** Arguments stay as the client sent them: the id of the subscription depends on them. */
  arguments: Record<string, unknown>;
  /** The query was read from them; for `post.replied` there is only `thread`. */
  query: StandingQuery;
}

export interface EventPage {
  /** Each stands with the cursor behind it. */
  events: { cursor: string; occurrence: Occurrence }[];
  from: string;
  cursor: string;
  /** True when events before this page may have been lost to the caller. */
  truncated: boolean;
  hasMore: boolean;
}

interface Parts {
  store: Store;
  index: SearchIndex;
  embedder: Embedder;
  outbound: Outbound;
  secrets: Secrets;
  cursors: Cursors;
  consent: Consent;
  posts: Pick<Posts, "told">;
  contentNotice: string;
}

/**
 * Keeps what hosts subscribe to by MCP Events: saved queries whose ids follow from what was asked, and which lapse.
 * Matching, deliveries and pushes are those of every saved query.
 */
export class Events {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Finds the subscription behind polls and streams of a topic; the first one makes it, and each keeps it for another week. */
  async lease(topic: Topic, caller: StoredPublisher, now: number): Promise<StoredSubscription> {
    const { subscriptions } = this.#parts.store;
    const id = this.#idOf(topic, null, caller);
    const expiresAt = now + LEASE_MS;
    const row = await subscriptions.get(id);
    // The lease is renewed once half of it is over, so that polls seldom write.
    if (row !== null && (row.expiresAt ?? 0) - now > LEASE_MS / 2) return row;
    const kept = await this.#keep(topic, row, { id, expiresAt }, () => ({ expiresAt }), caller, now);
    return kept.row;
  }

  /**
   * Lists events after a cursor, oldest first; without one, from now on. A lost place is no error: the page says
   * `truncated`.
   * @returns null when the subscription is gone
   */
  async page(
    id: string,
    asked: { cursor: string | null; maxAgeMs?: number | undefined; limit: number },
    now: number,
  ): Promise<EventPage | null> {
    const { store, contentNotice: notice } = this.#parts;
    const [row, position] = await Promise.all([
      store.subscriptions.get(id),
      store.subscriptions.position(id),
    ]);
    if (row === null || position === null) return null;
    const at = (number: number) => this.#cursorAt(row, number, now);
    const after = this.#placeOf(row, asked.cursor, position.last, now);
    if (after === null) {
      const cursor = at(position.last);
      return { events: [], from: cursor, cursor, truncated: asked.cursor !== null, hasMore: false };
    }
    const found = await store.subscriptions.pending(id, after, asked.limit + 1);
    const page = found.slice(0, asked.limit);
    const since = asked.maxAgeMs === undefined ? 0 : now - asked.maxAgeMs;
    const young = page.filter(({ matchedAt }) => matchedAt >= since);
    const posts = await this.#parts.posts.told(
      young.map(({ post, change }) => ({ postId: post.id, change })),
      now,
    );
    return {
      events: young.flatMap(({ post: { id: told }, change, matchedAt, deliveryId }, n) => {
        const post = posts[n];
        if (post === undefined) return [];
        const occurrence = occurrenceOf(row, { post, told, change, matchedAt, notice });
        return [{ cursor: at(deliveryId), occurrence }];
      }),
      from: at(after),
      cursor: at(page.at(-1)?.deliveryId ?? after),
      truncated: young.length < page.length,
      hasMore: found.length > page.length,
    };
  }

  /**
   * Subscribes a webhook, or refreshes its subscription: another secret replaces the present one, the lifetime begins anew,
   * and what was given up goes on. What its owner paused stays so. The webhook is asked before anything is kept, unless it
   * consented to another subscription of the caller.
   *
   * @returns why the webhook did not consent, or the subscription
   * @throws BoardError `invalid_url`, `too_many_subscriptions`, `rate_limited`
   */
  async subscribe(
    topic: Topic,
    delivery: { url: string; secret: string },
    asked: { cursor: string | null; ttlMs: number | null },
    caller: StoredPublisher,
    now: number,
  ) {
    const { store, outbound, secrets, consent } = this.#parts;
    const { url, secret } = delivery;
    refuseUrl(outbound, url, "delivery.url");
    const id = this.#idOf(topic, url, caller);
    const own = await store.subscriptions.ofPublisher(caller.id);
    const known = own.find((row) => row.id === id);
    if (known?.active !== true && own.filter(({ active }) => active).length >= ACTIVE_MAX)
      throw new BoardError("too_many_subscriptions");
    if (!own.some((row) => row.webhookUrl === url && row.webhookVerifiedAt !== null)) {
      const by = secrets.subscriptionId(canonicalJson([caller.id, url]));
      const refused = await consent.ofHost({ id, event: topic.event, url, secret, by }, now);
      if (refused !== null) return { refused };
    }
    const { min, max } = WEBHOOK_TTL_MS;
    const expiresAt = now + Math.min(Math.max(asked.ttlMs ?? max, min), max);
    const clientSecret = secrets.seal(secret, id);
    const fields = { id, expiresAt, webhookUrl: url, webhookVerifiedAt: now, clientSecret };
    const refreshed = (current: StoredSubscription) => ({
      expiresAt,
      webhookVerifiedAt: now,
      ...(isMatched(current) && !current.active ? ACTIVATED : {}),
      ...(secrets.unseal(current.clientSecret ?? "", id) === secret
        ? {}
        : {
            clientSecret,
            previousClientSecret: current.clientSecret,
            previousSecretUntil: now + ROTATION_MS,
          }),
    });
    const { row, isNew } = await this.#keep(topic, known ?? null, fields, refreshed, caller, now);
    const position = await store.subscriptions.position(id);
    const last = position?.last ?? 0;
    return {
      id,
      refreshBefore: expiresAt,
      cursor: this.#cursorAt(row, watermarkOf(position), now),
      truncated: asked.cursor !== null && this.#placeOf(row, asked.cursor, last, now) === null,
      ...(isNew ? {} : { deliveryStatus: await this.#statusOf(row) }),
    };
  }

  /** Ends a webhook's subscription; false when there is none. */
  async unsubscribe(topic: Topic, url: string, caller: StoredPublisher): Promise<boolean> {
    return this.#parts.store.subscriptions.remove(this.#idOf(topic, url, caller));
  }

  /**
   * Tells whether a stream may go on: not when its subscription is removed, its publisher suspended or gone, or its key
   * another.
   */
  async standingOf(
    id: string,
    caller: StoredPublisher,
  ): Promise<"admitted" | "removed" | "suspended" | "gone"> {
    const { publishers, subscriptions } = this.#parts.store;
    const [row, owner] = await Promise.all([subscriptions.get(id), publishers.get(caller.id)]);
    if (owner === null || owner.keyHash !== caller.keyHash) return "gone";
    if (owner.suspendedAt !== null) return "suspended";
    return row === null ? "removed" : "admitted";
  }

  /** Gives a push as the webhook gets it. */
  async pushed(
    row: StoredSubscription,
    match: Omit<Parameters<typeof occurrenceOf>[1], "notice">,
    now: number,
  ): Promise<Occurrence> {
    const { store, contentNotice: notice } = this.#parts;
    const watermark = watermarkOf(await store.subscriptions.position(row.id));
    return { ...occurrenceOf(row, { ...match, notice }), cursor: this.#cursorAt(row, watermark, now) };
  }

  async #statusOf(row: StoredSubscription) {
    const [push] = await this.#parts.store.pushes.list(row.id, { before: null, limit: 1 });
    const last = push?.history.at(-1);
    const lastError: DeliveryProblem | null = last === undefined ? null : problemOf(last);
    return {
      active: row.active,
      lastDeliveryAt: isoTimeOrNull(lastError === null ? (last?.at ?? null) : null),
      lastError,
      ...(row.failingSince === null ? {} : { failedSince: isoTimeOrNull(row.failingSince) }),
    };
  }

  /** It follows from publisher, address, name and arguments alone, and from nothing that a caller could choose. */
  #idOf(topic: Topic, url: string | null, caller: StoredPublisher): string {
    const key = [caller.id, url, topic.event, topic.arguments];
    return this.#parts.secrets.subscriptionId(canonicalJson(key));
  }

  /**
   * Changes the subscription that is there, or makes it with these fields.
   * @throws BoardError `too_many_subscriptions`
   */
  async #keep(
    topic: Topic,
    known: StoredSubscription | null,
    fields: Pick<StoredSubscription, "id" | "expiresAt"> & Partial<StoredSubscription>,
    change: (row: StoredSubscription) => SubscriptionChange,
    caller: StoredPublisher,
    now: number,
  ): Promise<{ row: StoredSubscription; isNew: boolean }> {
    const { store } = this.#parts;
    const changed = async () => store.subscriptions.update(fields.id, change, ACTIVE_MAX);
    const there = known === null ? null : await changed();
    if (there !== null) return { row: there, isNew: false };
    const made = { ...BEGUN, ...(await this.#soughtBy(topic, now)), ...fields };
    const row = { ...made, event: topic.event, publisherId: caller.id, createdAt: now };
    if (await keepSubscription(store, row)) return { row, isNew: true };
    // Another call has made it meanwhile, unless there are too many.
    const other = await changed();
    if (other === null) throw new BoardError("too_many_subscriptions");
    return { row: other, isNew: false };
  }

  async #soughtBy({ event, query }: Topic, now: number) {
    const { thread } = query;
    if (event === "post.replied") return { query: thread === undefined ? {} : { thread } };
    return { query: criteriaJson(query), ...(await meaningOf(this.#parts, query, now)) };
  }

  #cursorAt({ id, createdAt }: StoredSubscription, number: number, now: number): string {
    return this.#parts.cursors.write(`events ${id}`, [number, createdAt, now]);
  }

  /** Reads the number behind a cursor; null for none, a foreign one, one of before a lapse, and one too old. */
  #placeOf(
    { id, createdAt }: StoredSubscription,
    cursor: string | null,
    last: number,
    now: number,
  ): number | null {
    if (cursor === null) return null;
    try {
      const [number, made, written] = this.#parts.cursors.read(`events ${id}`, cursor);
      const isOurs = typeof number === "number" && typeof written === "number" && made === createdAt;
      return isOurs && number <= last && written > now - REPLAYED_MS ? number : null;
    } catch (error) {
      if (error instanceof BoardError) return null;
      throw error;
    }
  }
}

/** Every delivery up to this number is acknowledged or given up. */
const watermarkOf = (position: { last: number; oldestWaiting: number | null } | null): number =>
  position === null ? 0 : position.oldestWaiting === null ? position.last : position.oldestWaiting - 1;
