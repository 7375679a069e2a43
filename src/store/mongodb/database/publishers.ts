import type { StoredPublisher } from "../../../ports/store/index.ts";
import { documentOf, rowOf } from "./rows.ts";
import type { PublisherDocument } from "./schema/documents.ts";

export const publisherOfDocument = (document: PublisherDocument): StoredPublisher =>
  rowOf<StoredPublisher>(document, ["inbox_no", "erasing", "spreading"]);

export function newPublisher(publisher: StoredPublisher & { inboxNo?: number }): PublisherDocument {
  return { ...documentOf({ inboxNo: 0, ...publisher }), erasing: false, spreading: false };
}

/** The fields that may change. */
export function changeablePublisherFields(publisher: StoredPublisher) {
  const { _id, post_count, created_at, ...fields } = documentOf(publisher);
  return fields;
}
