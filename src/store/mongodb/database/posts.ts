import { Binary } from "mongodb";
import { sourceOf, windowOf } from "../../../ports/index-entry.ts";
import type { StoredPost, StoredPublisher } from "../../../ports/store/index.ts";
import { MOVED } from "../../../records/index.ts";
import { POST } from "../../../records/post.ts";
import { PUBLISHER } from "../../../records/publisher.ts";
import { documentOf, rowOf, wipedOf } from "./rows.ts";
import type { PostDocument, PublisherDocument } from "./schema/documents.ts";

/** Makes the document of a post without a vector, not removed and never reported. The driver leaves out what is undefined. */
export function documentOfPost(post: StoredPost, publisher: PublisherStatus): PostDocument {
  const { location, metadata, ...fields } = documentOf(POST, post);
  const { windowStart, windowEnd } = windowOf(post);
  return {
    ...fields,
    root: post.parentId ?? post.id,
    is_reply: post.parentId !== null,
    win_start: new Date(windowStart),
    win_end: new Date(windowEnd),
    pub_verified: publisher.pub_verified,
    pub_suspended: publisher.pub_suspended,
    place: location ?? undefined,
    geo: pointOf(post.location),
    source: sourceOf(post) ?? undefined,
    metadata: metadata === "{}" ? undefined : metadata,
  };
}

const { location, metadata, ...wiped } = wipedOf(POST);
/** A removed post has this in place of what its publisher wrote; the other two fields go. */
export const WIPED = wiped;

export const postOfDocument = (document: PostDocument): StoredPost => ({
  ...rowOf(POST, document),
  location: document.place ?? null,
});

/** A stage after one that changes the expiry takes this: there the window of a post without dates ends. */
export const WINDOW_END = {
  win_end: {
    $cond: [{ $eq: [{ $ifNull: ["$ends_at", "$starts_at", null] }, null] }, "$expires_at", "$win_end"],
  },
} as const;

/** Writes a vector as a BSON vector of int8, which the database's search indexes can read. */
export const binaryOf = (vector: Int8Array): Binary => Binary.fromInt8Array(vector);
export const vectorOfBinary = (binary: Binary): Int8Array => binary.toInt8Array();

function pointOf(place: StoredPost["location"]): PostDocument["geo"] {
  if (place?.lat == null || place.lng === null) return undefined;
  return { type: "Point", coordinates: [place.lng, place.lat] };
}

type PublisherStatus = Pick<PostDocument, "pub_verified" | "pub_suspended">;

/** Filters need this of a publisher, as its posts have it. */
export const statusFields = ({
  verified_at,
  suspended_at,
}: Pick<PublisherDocument, "verified_at" | "suspended_at">): PublisherStatus => ({
  pub_verified: verified_at !== null,
  pub_suspended: suspended_at !== null,
});

export const publisherOfDocument = (document: PublisherDocument): StoredPublisher =>
  rowOf(PUBLISHER, document);

export function newPublisher(publisher: StoredPublisher & { inboxNo?: number }): PublisherDocument {
  return { ...documentOf(MOVED.publisher, { inboxNo: 0, ...publisher }), erasing: false, spreading: false };
}
