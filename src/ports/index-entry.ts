import { sourceKey } from "../schema/source-key.ts";
import type { IndexEntry } from "./search-index.ts";
import type { StoredPost } from "./store/index.ts";

/** When a post is on, as filters see it. One without dates is on from its writing to its expiry. Epoch milliseconds. */
export function windowOf(post: Pick<StoredPost, "startsAt" | "endsAt" | "createdAt" | "expiresAt">): {
  windowStart: number;
  windowEnd: number;
} {
  return {
    windowStart: post.startsAt ?? post.createdAt,
    windowEnd: post.endsAt ?? post.startsAt ?? post.expiresAt,
  };
}

/** What a search index keeps of a post. */
export function indexEntryOf(post: StoredPost): IndexEntry {
  return {
    id: post.id,
    kind: post.kind,
    title: post.title,
    body: post.body,
    tags: post.tags,
    placeName: post.location?.name ?? null,
    lat: post.location?.lat ?? null,
    lng: post.location?.lng ?? null,
    ...windowOf(post),
    expiresAt: post.expiresAt,
    createdAt: post.createdAt,
    publisherId: post.publisherId,
    parentId: post.parentId,
    syndicated: post.syndicated,
    source: sourceOf(post),
  };
}

/**
 * What posts about one thing share: the page they name, and the start, since a page may announce several days. A relayed
 * entry without a link of its own may name the page of its whole feed, so its `source_id` there belongs to it.
 */
export function sourceOf(
  post: Pick<StoredPost, "sourceUrl" | "startsAt" | "parentId" | "link" | "syndicated" | "metadata">,
): string | null {
  const page = post.sourceUrl === null || post.parentId !== null ? null : sourceKey(post.sourceUrl);
  if (page === null) return null;
  const { source_id: entry } = post.metadata;
  const isEntry = post.syndicated && post.link === null && typeof entry === "string";
  return [page, ...(isEntry ? [`#${entry}`] : []), ...(post.startsAt === null ? [] : [post.startsAt])].join(
    " ",
  );
}
