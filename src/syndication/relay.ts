import { isDeepStrictEqual } from "node:util";
import { BoardError } from "../board/failures.ts";
import { changeOf } from "../domain/posts/changes.ts";
import type { Writing } from "../domain/posts/writing.ts";
import { sha256 } from "../domain/secrets.ts";
import { parseUrl } from "../platform/parse-url.ts";
import type { SearchIndex } from "../ports/search-index.ts";
import { type Store, type StoredPost, type StoredPublisher, StoreUnavailable } from "../ports/store/index.ts";
import type { PostInput, PostPatch } from "../schema/post.ts";
import { plainWords, sourceKey } from "../schema/source-key.ts";
import { ANY_POST } from "../search/ranking/rank.ts";
import { parseQueryText } from "../search/text/query-text.ts";
import type { Entries, Entry } from "./entries.ts";
import type { Feed } from "./feeds.ts";
import { FEED_FORMATS, NEWS_MS } from "./kinds/index.ts";

/** This many posts of a publisher are read to find those of a feed. */
const POSTS_MAX = 5_000;
/** A new entry is compared with this many posts of a similar title. */
const SIMILAR_MAX = 10;
/** While an entry without an end is in the feed, the expiry of its post moves on in steps of at least this. */
const RENEWAL_MS = NEWS_MS / 2;

export interface Applied {
  added: number;
  changed: number;
  /** They ended, since the source withdrew or dropped them. */
  retired: number;
  /** These are on the board already, from another source. */
  folded: number;
  /** These new ones are above the day's ceiling, or above what a feed may have. */
  left: number;
  /**
   * These posts are missing from an answer that lacks most of them. Nothing is done unless the next answer lacks most of
   * them too.
   */
  doubted: number;
  /** Gives reasons for the first refused entries. */
  refused: string[];
}

/** A poll knows these beside the feed. */
interface Circumstances {
  now: number;
  /** This many posts may be added. */
  room: number;
  /** True when the last answer lacked most posts. */
  isSecond: boolean;
  /** These publishers relay feeds. */
  relays: ReadonlySet<string>;
}

export interface RelayParts {
  store: Store;
  index: SearchIndex;
  writing: Pick<Writing, "edit" | "remove">;
  /** Writes a new post, and counts it; false for one that was there already. */
  create: (input: PostInput, publisher: StoredPublisher) => Promise<boolean>;
}

/** Brings the posts of a feed in line with its entries. */
export class Relay {
  readonly #parts: RelayParts;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /**
   * An error costs only the entry where it happens, and is named in `refused`.
   * @throws StoreUnavailable
   */
  async apply(feed: Feed, publisher: StoredPublisher, read: Entries, about: Circumstances): Promise<Applied> {
    const { now, room } = about;
    const { left, refused } = read;
    const applied: Applied = { added: 0, changed: 0, retired: 0, folded: 0, left, doubted: 0, refused };
    const posts = (await this.#parts.store.posts.byPublisher(publisher.id, POSTS_MAX)).filter(
      (post) => post.parentId === null && post.metadata["source"] === feed.id,
    );
    const pairs = withPosts(read, posts);
    const met = new Set(pairs.flatMap(({ post }) => post?.id ?? []));
    const { cancelled, vanished, most } = goneOf(feed, posts, read, met, now);
    if (vanished.length > most && !about.isSecond) return { ...applied, doubted: vanished.length };
    const attempt = async (title: string, act: () => Promise<void>) => {
      try {
        await act();
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error;
        if (!isSettled(error)) refused.push(`${title.slice(0, 60)}: ${(error as Error).message}`);
      }
    };
    for (const { entry, post } of pairs) {
      const input = { ...entry.input, idempotency_key: keyOf(feed, entry) };
      await attempt(input.title, async () => {
        if (post !== null) {
          if (await this.#update(post, input, publisher, now, entry.hasEnd ? 0 : RENEWAL_MS))
            applied.changed += 1;
        } else if (applied.added >= room) applied.left += 1;
        else if (await this.#isPosted(input, publisher, about)) applied.folded += 1;
        // One that a moderator hid is there already.
        else if (await this.#parts.create(input, publisher)) applied.added += 1;
      });
    }
    for (const post of [...cancelled, ...vanished]) {
      await attempt(post.title, async () => {
        if (cancelled.includes(post)) await this.#parts.writing.remove(post.id, publisher, now);
        else await this.#parts.writing.edit(post.id, { expires_at: "now" }, publisher, now);
        applied.retired += 1;
      });
    }
    return applied;
  }

  /**
   * @param renewalMs  where nothing but the expiry changes, it must move by at least this
   * @returns whether there was something to change
   */
  async #update(
    post: StoredPost,
    input: PostInput,
    publisher: StoredPublisher,
    now: number,
    renewalMs: number,
  ): Promise<boolean> {
    const { idempotency_key: _key, parent_id: _parent, ...fields } = input;
    const patch: PostPatch = { ...fields, syndicated: true };
    // The entry came back, or was moved into the future: its old expiry no longer holds.
    if (post.expiresAt <= now && patch.expires_at == null) patch.expires_at = null;
    const change = changeOf(post, patch, now);
    const differs = Object.entries(change).some(
      ([name, value]) => name !== "expiresAt" && !isDeepStrictEqual(value, post[name as keyof StoredPost]),
    );
    const longer = (change.expiresAt ?? post.expiresAt) - post.expiresAt;
    if (!differs && (longer <= 0 || longer < renewalMs)) return false;
    await this.#parts.writing.edit(post.id, patch, publisher, now);
    return true;
  }

  /**
   * True when another relay or a verified publisher has an active post of the same thing. Posts of others do not count:
   * nobody may keep an event off the board by posting it first.
   */
  async #isPosted(
    input: PostInput,
    publisher: StoredPublisher,
    { now, relays }: Circumstances,
  ): Promise<boolean> {
    const own = subjectOf(input);
    const { startsAt } = own;
    // Different things share a title.
    if (startsAt === null && own.link === null) return false;
    const filter = {
      ...ANY_POST,
      after: startsAt,
      before: startsAt,
      includeReplies: false,
      includeExpired: false,
      now,
    };
    const words = { ...parseQueryText(input.title.replace(/["-]/g, " ")), phrases: [], excluded: [] };
    const question = { filter, words, vector: null, minCosine: 1 };
    const found = await this.#parts.index.ask("rank", question, { limit: SIMILAR_MAX });
    const similar = await this.#parts.store.posts.many(found.map(({ id }) => id));
    const same = similar.filter(
      (post) =>
        post.publisherId !== publisher.id && subjectKey(post) === subjectKey(own) && isSamePlace(post, own),
    );
    if (same.some((post) => relays.has(post.publisherId))) return true;
    const others = await this.#parts.store.publishers.many(same.map((post) => post.publisherId));
    return others.some(({ verifiedAt }) => verifiedAt !== null);
  }
}

const subjectOf = ({
  title,
  starts_at: startsAt = null,
  url: link = null,
  location,
}: PostInput): Subject => ({
  title,
  startsAt,
  link,
  location,
});

/**
 * Pairs each entry with its post, or null for a new one. The post has the entry's id. Where the source changes its ids, it
 * is a post of the same thing whose id is gone.
 */
function withPosts(
  { entries, present }: Entries,
  posts: readonly StoredPost[],
): { entry: Entry; post: StoredPost | null }[] {
  const byId = new Map(posts.map((post) => [sourceIdIn(post), post]));
  const orphans = new Map<string, StoredPost[]>();
  const ids = new Set(present);
  for (const post of posts.filter((one) => !ids.has(sourceIdIn(one)))) {
    const same = subjectKey(post);
    orphans.set(same, [...(orphans.get(same) ?? []), post]);
  }
  return entries.map((entry) => {
    const named = byId.get(entry.id);
    if (named !== undefined) return { entry, post: named };
    const own = subjectOf(entry.input);
    const same = orphans.get(subjectKey(own)) ?? [];
    const at = same.findIndex((post) => isSamePlace(post, own));
    return { entry, post: at < 0 ? null : (same.splice(at, 1)[0] ?? null) };
  });
}

const sourceIdIn = ({ metadata }: StoredPost): string => String(metadata["source_id"]);

/** Finds posts that the source cancelled, and posts that a whole feed no longer has. */
function goneOf(
  feed: Feed,
  posts: readonly StoredPost[],
  { present, unread, withdrawn, isWhole }: Entries,
  met: ReadonlySet<string>,
  now: number,
): { cancelled: StoredPost[]; vanished: StoredPost[]; most: number } {
  const [ids, off] = [new Set(present), new Set(withdrawn)];
  const active = posts.filter(({ expiresAt }) => expiresAt > now);
  const cancelled = active.filter((post) => !met.has(post.id) && off.has(sourceIdIn(post)));
  // An empty feed is more often a broken one than the end of everything.
  if (!FEED_FORMATS[feed.kind].isComplete || !isWhole || present.length === 0)
    return { cancelled, vanished: [], most: 0 };
  const toCome = active.filter(({ endsAt, startsAt }) => (endsAt ?? startsAt ?? now) >= now);
  const isThere = (id: string) => ids.has(id) || unread.some((series) => id.startsWith(`${series} `));
  const vanished = toCome.filter((post) => !met.has(post.id) && !isThere(sourceIdIn(post)));
  return { cancelled, vanished, most: toCome.length / 2 };
}

const keyOf = (feed: Feed, { id }: Entry) => `${feed.id}:${sha256(id).slice(0, 32)}`;

/** A post that a moderator removed stays removed. */
const isSettled = (error: unknown) =>
  error instanceof BoardError && (error.code === "post_not_found" || error.code === "post_hidden");

/** These tell a reader that two posts are about different things. */
interface Subject extends Pick<StoredPost, "title" | "startsAt" | "link"> {
  location: StoredPost["location"] | PostInput["location"];
}

/** Coordinates of one place may differ by this many degrees, about a kilometre. */
const NEAR = 0.01;

/** Joins title, start and link in one text: the same for all posts of one thing. */
function subjectKey({ title, startsAt, link }: Subject): string {
  // One page may have several things, each with its fragment.
  const page = link === null ? null : [sourceKey(link) ?? link, parseUrl(link)?.hash];
  return JSON.stringify([plainWords(title), startsAt, page]);
}

/** True for coordinates that were looked up by the name. */
const isGuessed = (place: NonNullable<Subject["location"]>) => "approximate" in place && place.approximate;

/** Tells whether two things of one key are also at one place. */
function isSamePlace({ location: a }: Subject, { location: b }: Subject): boolean {
  const [here, there] = [plainWords(a?.name ?? ""), plainWords(b?.name ?? "")];
  if (here !== there) return false;
  if (a?.lat == null || b?.lat == null || isGuessed(a) || isGuessed(b)) {
    return here !== "" || (a?.lat == null && b?.lat == null);
  }
  return Math.abs(a.lat - b.lat) < NEAR && Math.abs((a.lng ?? 0) - (b.lng ?? 0)) < NEAR;
}
