import { isDeepStrictEqual } from "node:util";
import { changeOf } from "../domain/posts/changes.ts";
import type { Writing } from "../domain/posts/writing.ts";
import { sha256 } from "../domain/secrets.ts";
import { BoardError } from "../failures.ts";
import type { SearchIndex } from "../ports/search-index.ts";
import type { PostStore, Store, StoredPost, StoredPublisher } from "../ports/store/index.ts";
import type { PostInput, PostPatch } from "../schema/post.ts";
import { parseQueryText } from "../search/query-text.ts";
import type { Feed } from "./feed.ts";
import { FeedError, type FeedItem } from "./item.ts";
import { FEED_FORMATS } from "./kinds/index.ts";
import { NEWS_MS } from "./kinds/news.ts";
import { postOfItem, samenessOf, sourceIdOf } from "./post-of-item.ts";

/** Entries of a feed that are shown at a time: those that begin soonest, or came first in the feed. */
const ITEMS_MAX = 1_000;
/** Posts of a relay publisher that are looked through for those of a feed. */
const POSTS_MAX = 5_000;
/** Posts of others with alike titles that are compared with a new one. */
const ALIKE_MAX = 10;
const REFUSALS_MAX = 20;
/** What names no end is shown on while it is in the feed. */
const RENEWAL_MS = NEWS_MS / 2;

/** What became of the entries of a feed. */
export interface Applied {
  added: number;
  changed: number;
  /** Ended, since the source withdrew or dropped them. */
  retired: number;
  /** The same thing is on the board already, from another source. */
  folded: number;
  /** New ones above the day's ceiling, or above what a feed may have. */
  left: number;
  /** Why entries were not taken, the first of them. */
  refused: string[];
}

/** Brings the posts of a feed in line with its entries. */
export class Relay {
  readonly #posts: PostStore;
  readonly #index: SearchIndex;
  readonly #writing: Writing;
  readonly #created: (input: PostInput, publisher: StoredPublisher) => void;

  constructor(parts: {
    store: Store;
    index: SearchIndex;
    writing: Writing;
    created: (input: PostInput, publisher: StoredPublisher) => void;
  }) {
    this.#posts = parts.store.posts;
    this.#index = parts.index;
    this.#writing = parts.writing;
    this.#created = parts.created;
  }

  /** @param options.room  how many posts may be added */
  async apply(
    feed: Feed,
    publisher: StoredPublisher,
    items: readonly FeedItem[],
    { room, now }: { room: number; now: number },
  ): Promise<Applied> {
    const applied: Applied = { added: 0, changed: 0, retired: 0, folded: 0, left: 0, refused: [] };
    const current = currentOf(items, now);
    applied.left = Math.max(0, current.length - ITEMS_MAX);
    const known = new KnownPosts(feed, await this.#posts.byPublisher(publisher.id, POSTS_MAX), items);
    const met = new Set<string>();
    const seen = new Set<string>();
    for (const item of current.slice(0, ITEMS_MAX)) {
      if (seen.has(item.id)) continue;
      seen.add(item.id);
      try {
        const input = { ...postOfItem(item, feed, now), idempotency_key: keyOf(feed, item) };
        const post = known.of(item, input);
        if (post !== null) {
          met.add(post.id);
          const renewal = item.expiresAt === null ? RENEWAL_MS : 0;
          if (await this.#update(post, input, publisher, now, renewal)) applied.changed += 1;
        } else if (applied.added >= room) applied.left += 1;
        else if (await this.#isTold(input, publisher, now)) applied.folded += 1;
        else {
          const { data } = await this.#writing.create(input, publisher, now, { relayed: true });
          this.#created(input, publisher);
          met.add(data.id);
          applied.added += 1;
        }
      } catch (error) {
        refuse(applied, item, error);
      }
    }
    // An empty feed is more often a broken one than the end of everything.
    if (items.length > 0) applied.retired = await this.#retire(feed, known, items, met, publisher, now);
    return applied;
  }

  /**
   * @param renewal  a later expiry alone is worth a change from this many milliseconds on
   * @returns whether there was something to change
   */
  async #update(
    post: StoredPost,
    input: PostInput,
    publisher: StoredPublisher,
    now: number,
    renewal: number,
  ): Promise<boolean> {
    const { idempotency_key: _key, parent_id: _parent, ...fields } = input;
    const patch: PostPatch = { ...fields, syndicated: true };
    // It came back, or what was past is to come again.
    if (post.expiresAt <= now && patch.expires_at == null) patch.expires_at = null;
    const change = changeOf(post, patch, now);
    const differs = Object.entries(change).some(
      ([name, value]) => name !== "expiresAt" && !isDeepStrictEqual(value, post[name as keyof StoredPost]),
    );
    const longer = (change.expiresAt ?? post.expiresAt) - post.expiresAt;
    if (!differs && (longer <= 0 || longer < renewal)) return false;
    await this.#writing.edit(post.id, patch, publisher, now);
    return true;
  }

  /** Removes what was cancelled, and ends what a whole feed no longer has. */
  async #retire(
    feed: Feed,
    known: KnownPosts,
    items: readonly FeedItem[],
    met: ReadonlySet<string>,
    publisher: StoredPublisher,
    now: number,
  ): Promise<number> {
    let retired = 0;
    const cancelled = new Set(items.filter((item) => item.cancelled).map(sourceIdOf));
    const present = new Set(items.map(sourceIdOf));
    for (const post of known.posts) {
      const id = String(post.metadata["source_id"]);
      if (met.has(post.id) || post.expiresAt <= now) continue;
      const isPast = (post.endsAt ?? post.startsAt ?? now) < now;
      if (cancelled.has(id)) await this.#writing.remove(post.id, publisher, now);
      else if (FEED_FORMATS[feed.kind].isComplete && !present.has(id) && !isPast) {
        await this.#writing.edit(post.id, { expires_at: "now" }, publisher, now);
      } else continue;
      retired += 1;
    }
    return retired;
  }

  /** True when another publisher's active post tells the same. */
  async #isTold(input: PostInput, publisher: StoredPublisher, now: number): Promise<boolean> {
    const startsAt = input.starts_at ?? null;
    const own = samenessOf({ title: input.title, startsAt, sourceUrl: input.source_url ?? null });
    const filter = {
      kinds: null,
      tags: null,
      near: null,
      after: startsAt,
      before: startsAt,
      verifiedOnly: false,
      publisherId: null,
      parentId: null,
      includeReplies: false,
      includeSyndicated: true,
      includeExpired: false,
      now,
      createdUntil: Number.MAX_SAFE_INTEGER,
    };
    const words = { ...parseQueryText(input.title.replace(/["-]/g, " ")), phrases: [], excluded: [] };
    const question = { filter, words, vector: null, minCosine: 1 };
    const { matches } = await this.#index.match(question, { limit: ALIKE_MAX, except: new Set() });
    const alike = await this.#posts.many(matches.map(({ id }) => id));
    return alike.some((post) => post.publisherId !== publisher.id && samenessOf(post) === own);
  }
}

/** The posts that a feed has already, found by the id of an entry or, where the source changes its ids, by what it tells. */
class KnownPosts {
  readonly posts: readonly StoredPost[];
  readonly #byId: Map<string, StoredPost>;
  readonly #bySameness: Map<string, StoredPost>;

  constructor(feed: Feed, posts: readonly StoredPost[], items: readonly FeedItem[]) {
    this.posts = posts.filter((post) => post.parentId === null && post.metadata["source"] === feed.id);
    this.#byId = new Map(this.posts.map((post) => [String(post.metadata["source_id"]), post]));
    const present = new Set(items.map(sourceIdOf));
    const orphans = this.posts.filter((post) => !present.has(String(post.metadata["source_id"])));
    this.#bySameness = new Map(orphans.map((post) => [samenessOf(post), post]));
  }

  of(item: FeedItem, input: PostInput): StoredPost | null {
    const named = this.#byId.get(sourceIdOf(item));
    if (named !== undefined) return named;
    const { title, starts_at: startsAt = null, source_url: sourceUrl = null } = input;
    const key = samenessOf({ title, startsAt, sourceUrl });
    const orphan = this.#bySameness.get(key) ?? null;
    this.#bySameness.delete(key);
    return orphan;
  }
}

/** Entries that are not over and not cancelled, what begins soonest first. */
export function currentOf(items: readonly FeedItem[], now: number): FeedItem[] {
  const current = items.filter(
    ({ cancelled, startsAt, endsAt, expiresAt }) =>
      !cancelled && (endsAt ?? startsAt ?? now) >= now && (expiresAt ?? now) >= now,
  );
  return current.sort((a, b) => (a.startsAt ?? 0) - (b.startsAt ?? 0));
}

const keyOf = (feed: Feed, item: FeedItem) => `${feed.id}:${sha256(item.id).slice(0, 32)}`;

function refuse(applied: Applied, item: FeedItem, error: unknown): void {
  // A post that a moderator removed stays removed.
  if (error instanceof BoardError && error.code === "post_not_found") return;
  if (error instanceof BoardError && error.code === "post_hidden") return;
  if (!(error instanceof FeedError || error instanceof BoardError)) throw error;
  if (applied.refused.length < REFUSALS_MAX)
    applied.refused.push(`${item.title.slice(0, 60)}: ${error.message}`);
}
