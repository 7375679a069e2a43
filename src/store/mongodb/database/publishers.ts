import type { StoredPublisher } from "../../../ports/store/index.ts";
import { dateOf, type PublisherDocument, timeOf } from "./schema/documents.ts";

export function publisherOfDocument(document: PublisherDocument): StoredPublisher {
  return {
    id: document._id,
    name: document.name,
    description: document.description,
    url: document.url,
    domain: document.domain,
    verifyToken: document.verify_token,
    verifiedAt: timeOf(document.verified_at),
    verifiedVia: document.verified_via,
    checkedAt: timeOf(document.checked_at),
    suspendedAt: timeOf(document.suspended_at),
    keyHash: document.key_hash,
    postCount: document.post_count,
    createdAt: document.created_at.getTime(),
  };
}

export function newPublisher(publisher: StoredPublisher): PublisherDocument {
  const { id, postCount, createdAt } = publisher;
  const own = { _id: id, post_count: postCount, created_at: new Date(createdAt) };
  return { ...own, ...changeablePublisherFields(publisher), inbox_no: 0, erasing: false, spreading: false };
}

/** The fields that may change. */
export function changeablePublisherFields(
  publisher: StoredPublisher,
): Omit<PublisherDocument, "_id" | "post_count" | "created_at" | "inbox_no" | "erasing" | "spreading"> {
  return {
    name: publisher.name,
    description: publisher.description,
    url: publisher.url,
    domain: publisher.domain,
    verify_token: publisher.verifyToken,
    verified_at: dateOf(publisher.verifiedAt),
    verified_via: publisher.verifiedVia,
    checked_at: dateOf(publisher.checkedAt),
    suspended_at: dateOf(publisher.suspendedAt),
    key_hash: publisher.keyHash,
  };
}
