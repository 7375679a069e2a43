import { Binary } from "mongodb";
import { sourceOf, windowOf } from "../../../ports/index-entry.ts";
import type { RemovedPost, StoredPost } from "../../../ports/store/index.ts";
import { dateOf, type PostDocument, type PublisherDocument, timeOf } from "./schema/documents.ts";

/** A post without a vector, not removed and never reported. The driver leaves out what is undefined. */
export function documentOfPost(
  post: StoredPost,
  publisher: { verified: boolean; suspended: boolean },
): PostDocument {
  const { windowStart, windowEnd } = windowOf(post);
  return {
    _id: post.id,
    root: post.parentId ?? post.id,
    publisher_id: post.publisherId,
    parent_id: post.parentId,
    is_reply: post.parentId !== null,
    kind: post.kind,
    starts_at: dateOf(post.startsAt) ?? undefined,
    ends_at: dateOf(post.endsAt) ?? undefined,
    win_start: new Date(windowStart),
    win_end: new Date(windowEnd),
    expires_at: new Date(post.expiresAt),
    expiry_chosen: post.expiryChosen || undefined,
    syndicated: post.syndicated,
    reply_count: post.replyCount,
    last_reply_at: dateOf(post.lastReplyAt) ?? undefined,
    flags: post.flags,
    retrievals: post.retrievals || undefined,
    fingerprint: post.fingerprint,
    input_hash: post.inputHash || undefined,
    idempotency_hash: post.idempotencyHash ?? undefined,
    created_at: new Date(post.createdAt),
    updated_at: new Date(post.updatedAt),
    state: post.state,
    pub_verified: publisher.verified,
    pub_suspended: publisher.suspended,
    title: post.title,
    body: post.body,
    link: post.link ?? undefined,
    tags: [...post.tags],
    place: post.location ?? undefined,
    geo: pointOf(post.location),
    timezone: post.timezone ?? undefined,
    source_url: post.sourceUrl ?? undefined,
    source: sourceOf(post) ?? undefined,
    metadata: Object.keys(post.metadata).length === 0 ? undefined : JSON.stringify(post.metadata),
  };
}

export function postOfDocument(document: PostDocument): StoredPost {
  return {
    id: document._id,
    publisherId: document.publisher_id,
    kind: document.kind,
    title: document.title ?? "",
    body: document.body ?? "",
    link: document.link ?? null,
    tags: document.tags ?? [],
    location: document.place ?? null,
    startsAt: timeOf(document.starts_at),
    endsAt: timeOf(document.ends_at),
    timezone: document.timezone ?? null,
    expiresAt: document.expires_at.getTime(),
    expiryChosen: document.expiry_chosen ?? false,
    sourceUrl: document.source_url ?? null,
    syndicated: document.syndicated,
    metadata: JSON.parse(document.metadata ?? "{}"),
    parentId: document.parent_id,
    replyCount: document.reply_count,
    lastReplyAt: timeOf(document.last_reply_at),
    flags: document.flags,
    fingerprint: document.fingerprint,
    inputHash: document.input_hash ?? "",
    idempotencyHash: document.idempotency_hash ?? null,
    retrievals: document.retrievals ?? 0,
    createdAt: document.created_at.getTime(),
    updatedAt: document.updated_at.getTime(),
    state: document.state,
  };
}

/** @param document  removed, with a start */
export function removedPostOf(document: PostDocument): RemovedPost {
  const { id, publisherId, parentId, kind, syndicated, ...post } = postOfDocument(document);
  const { endsAt, expiresAt, createdAt } = post;
  return {
    ...{ id, publisherId, parentId, kind, syndicated, endsAt, expiresAt, createdAt },
    startsAt: post.startsAt ?? createdAt,
    removedAt: timeOf(document.removed_at) ?? post.updatedAt,
  };
}

/** A stage's change behind one of the expiry, at which the window of a post without dates ends. */
export const WINDOW_END = {
  win_end: {
    $cond: [{ $eq: [{ $ifNull: ["$ends_at", "$starts_at", null] }, null] }, "$expires_at", "$win_end"],
  },
} as const;

/** The fields that a removal unsets: all that the publisher wrote, and what is derived from it. */
export const WRITTEN = {
  title: "",
  body: "",
  link: "",
  tags: "",
  place: "",
  geo: "",
  timezone: "",
  source_url: "",
  source: "",
  metadata: "",
  vec: "",
} as const satisfies Partial<Record<keyof PostDocument, "">>;

/** A vector as a BSON vector of int8, which the database's search indexes can read. */
export const binaryOf = (vector: Int8Array): Binary => Binary.fromInt8Array(vector);
export const vectorOfBinary = (binary: Binary): Int8Array => binary.toInt8Array();

function pointOf(place: StoredPost["location"]): PostDocument["geo"] {
  if (place?.lat == null || place.lng === null) return undefined;
  return { type: "Point", coordinates: [place.lng, place.lat] };
}

/** What filters need to know about a publisher. */
export const publisherDocumentStatus = ({
  verified_at,
  suspended_at,
}: Pick<PublisherDocument, "verified_at" | "suspended_at">) => ({
  verified: verified_at !== null,
  suspended: suspended_at !== null,
});
