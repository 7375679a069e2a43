import type { StoredPost, StoredPublisher, ToldChange } from "../ports/store/index.ts";
import type { Post } from "../schema/post.ts";
import type { Publisher } from "../schema/publisher.ts";
import type { Change } from "../schema/subscription.ts";
import type { Site } from "./site.ts";

/** Gives epoch milliseconds as callers see them: ISO 8601 in UTC. */
export const isoTime = (ms: number) => new Date(ms).toISOString();
export const isoTimeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));

/** Gives the UTC day of a moment, such as `2026-11-20`. */
export const dayOf = (ms: number) => isoTime(ms).slice(0, 10);

/** Shows a publisher as callers see it. */
export function publisherResource(stored: StoredPublisher, site: Site): Publisher {
  return {
    id: stored.id,
    name: stored.name,
    description: stored.description,
    url: stored.url,
    domain: stored.domain,
    verified: stored.verifiedAt !== null,
    first_seen: isoTime(stored.createdAt),
    post_count: stored.postCount,
    crier_url: site.publisher(stored.id),
  };
}

/** Tells what changed of a post, as those who are told of it see it. */
export function changeResource({ what, before, at }: ToldChange): Change {
  const { startsAt, endsAt, expiresAt, location } = before;
  return {
    what: [...what],
    before: {
      ...(startsAt === undefined ? {} : { starts_at: isoTimeOrNull(startsAt) }),
      ...(endsAt === undefined ? {} : { ends_at: isoTimeOrNull(endsAt) }),
      ...(expiresAt === undefined ? {} : { expires_at: isoTime(expiresAt) }),
      ...(location === undefined ? {} : { location }),
    },
    at: isoTime(at),
  };
}

/** Shows a post as callers see it. */
export function postResource(stored: StoredPost, publisher: StoredPublisher, site: Site): Post {
  const isThread = stored.kind === "thread" || stored.replyCount > 0;
  return {
    id: stored.id,
    url: site.post(stored.id),
    kind: stored.kind,
    title: stored.title,
    body: stored.body,
    link: stored.link,
    tags: [...stored.tags],
    location: stored.location,
    starts_at: isoTimeOrNull(stored.startsAt),
    ends_at: isoTimeOrNull(stored.endsAt),
    timezone: stored.timezone,
    expires_at: isoTime(stored.expiresAt),
    source_url: stored.sourceUrl,
    syndicated: stored.syndicated,
    metadata: stored.metadata,
    retrievals: stored.retrievals,
    parent_id: stored.parentId,
    thread_url:
      stored.parentId !== null ? site.post(stored.parentId) : isThread ? site.post(stored.id) : null,
    reply_count: stored.replyCount,
    last_reply_at: isoTimeOrNull(stored.lastReplyAt),
    flags: [...stored.flags],
    created_at: isoTime(stored.createdAt),
    updated_at: isoTime(stored.updatedAt),
    publisher: publisherResource(publisher, site),
  };
}
