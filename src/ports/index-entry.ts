import { createHash } from "node:crypto";
import { plainWords, sourceKey } from "../schema/source-key.ts";
import { endOfStart } from "../schema/time/local-time.ts";
import type { IndexEntry, IndexText } from "./search-index.ts";
import type { StoredPost } from "./store/index.ts";

/** These fields say when a post takes place. */
type Dated = Pick<StoredPost, "startsAt" | "endsAt" | "timezone" | "location" | "createdAt" | "expiresAt">;

/**
 * Gives the window of a post, as filters see it: from its start to its end; without an end, to the end of what its start
 * covers (`endOfStart`); without dates, from its writing to its expiry. Epoch milliseconds.
 */
export function windowOf(post: Dated): { windowStart: number; windowEnd: number } {
  const { startsAt, endsAt, createdAt, expiresAt } = post;
  const end = startsAt === null ? expiresAt : endOfStart(startsAt, post);
  return { windowStart: startsAt ?? createdAt, windowEnd: endsAt ?? end };
}

/**
 * Names what the dates of one series share: publisher, title, page and place. 32 hex digits, which hold no text.
 * @returns null for a post without a start, and for a reply
 */
export function seriesOf(
  post: Pick<
    StoredPost,
    "publisherId" | "title" | "link" | "sourceUrl" | "location" | "startsAt" | "parentId"
  >,
): string | null {
  if (post.startsAt === null || post.parentId !== null) return null;
  const page = post.link ?? post.sourceUrl;
  const { name, lat, lng } = post.location ?? { name: null, lat: null, lng: null };
  const shared = [
    post.publisherId,
    plainWords(post.title),
    page === null ? null : (sourceKey(page) ?? page),
    name === null ? null : plainWords(name),
    lat,
    lng,
  ];
  return createHash("sha256").update(JSON.stringify(shared)).digest("hex").slice(0, 32);
}

export const indexTextOf = ({ title, body, tags, location }: StoredPost): IndexText => ({
  title,
  body,
  tags,
  placeName: location?.name ?? null,
});

export function indexEntryOf(post: StoredPost): IndexEntry {
  return {
    id: post.id,
    kind: post.kind,
    ...indexTextOf(post),
    lat: post.location?.lat ?? null,
    lng: post.location?.lng ?? null,
    ...windowOf(post),
    expiresAt: post.expiresAt,
    createdAt: post.createdAt,
    publisherId: post.publisherId,
    parentId: post.parentId,
    syndicated: post.syndicated,
    source: sourceOf(post),
    series: seriesOf(post),
  };
}

/**
 * Joins what copies of one post share: the page that they name and, since a page may tell of many things, title and start.
 * A relayed entry without a link of its own may name the page of its whole feed, so its `source_id` counts too.
 */
export function sourceOf(
  post: Pick<
    StoredPost,
    "title" | "sourceUrl" | "startsAt" | "parentId" | "link" | "syndicated" | "metadata"
  >,
): string | null {
  const page = post.sourceUrl === null || post.parentId !== null ? null : sourceKey(post.sourceUrl);
  if (page === null) return null;
  const { source_id: entry } = post.metadata;
  const isEntry = post.syndicated && post.link === null && typeof entry === "string";
  return [page, ...(isEntry ? [`#${entry}`] : []), plainWords(post.title), post.startsAt ?? ""].join(" ");
}
