import { Binary } from "mongodb";
import { sourceOf, windowOf } from "../../../ports/index-entry.ts";
import { numberByTime, type StoredPost, type StoredPublisher } from "../../../ports/store/index.ts";
import { documentOf, rowOf } from "./rows.ts";
import type { PostDocument, PublisherDocument } from "./schema/documents.ts";

/** A post without a vector, not removed and never reported. The driver leaves out what is undefined. */
export function documentOfPost(post: StoredPost, publisher: PublisherStatus): PostDocument {
  const { location, metadata, ...fields } = post;
  const { windowStart, windowEnd } = windowOf(post);
  return {
    ...documentOf(fields),
    root: post.parentId ?? post.id,
    is_reply: post.parentId !== null,
    win_start: new Date(windowStart),
    win_end: new Date(windowEnd),
    pub_verified: publisher.pub_verified,
    pub_suspended: publisher.pub_suspended,
    place: location ?? undefined,
    geo: pointOf(location),
    source: sourceOf(post) ?? undefined,
    metadata: Object.keys(metadata).length === 0 ? undefined : JSON.stringify(metadata),
  };
}

/** What a removed post has in place of what its publisher wrote. */
export const UNWRITTEN = { title: "", body: "", link: null, tags: [], timezone: null, source_url: null };
const NOT_OF_ROWS = [
  ...["root", "is_reply", "win_start", "win_end", "pub_verified", "pub_suspended", "geo", "source"],
  ...["vec", "vec_model", "vec_maker", "match", "embed", "removed_at", "reports"],
  // Of builds before 1.0, whose removed posts also lack what is unwritten.
  "replies_inserted",
];

export function postOfDocument({ place = null, metadata = "{}", ...document }: PostDocument): StoredPost {
  const written_no = document.written_no ?? numberByTime(document.created_at.getTime());
  const fields = rowOf<Omit<StoredPost, "location" | "metadata">>(
    { ...UNWRITTEN, ...document, written_no },
    NOT_OF_ROWS,
  );
  return { ...fields, location: place, metadata: JSON.parse(metadata) };
}

/** For a stage after one that changes the expiry: there the window of a post without dates ends. */
export const WINDOW_END = {
  win_end: {
    $cond: [{ $eq: [{ $ifNull: ["$ends_at", "$starts_at", null] }, null] }, "$expires_at", "$win_end"],
  },
} as const;

/** A vector as a BSON vector of int8, which the database's search indexes can read. */
export const binaryOf = (vector: Int8Array): Binary => Binary.fromInt8Array(vector);
export const vectorOfBinary = (binary: Binary): Int8Array => binary.toInt8Array();

function pointOf(place: StoredPost["location"]): PostDocument["geo"] {
  if (place?.lat == null || place.lng === null) return undefined;
  return { type: "Point", coordinates: [place.lng, place.lat] };
}

type PublisherStatus = Pick<PostDocument, "pub_verified" | "pub_suspended">;

/** What filters need to know about a publisher, as its posts have it. */
export const statusFields = ({
  verified_at,
  suspended_at,
}: Pick<PublisherDocument, "verified_at" | "suspended_at">): PublisherStatus => ({
  pub_verified: verified_at !== null,
  pub_suspended: suspended_at !== null,
});

/** Fields of the store's own. */
export const NOT_OF_PUBLISHERS = ["erasing", "spreading"];

export const publisherOfDocument = (document: PublisherDocument): StoredPublisher =>
  // Documents of builds before 0.2 have no recovery.
  rowOf<StoredPublisher>({ ...document, recovery: document.recovery ?? null }, [
    "inbox_no",
    ...NOT_OF_PUBLISHERS,
  ]);

export function newPublisher(publisher: StoredPublisher & { inboxNo?: number }): PublisherDocument {
  return { ...documentOf({ inboxNo: 0, ...publisher }), erasing: false, spreading: false };
}
