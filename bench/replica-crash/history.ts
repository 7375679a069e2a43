import type { AnyBulkWriteOperation } from "mongodb";
import type { IndexEntry } from "../../src/ports/search-index.ts";
import type { Collections } from "../../src/store/mongodb/schema/collections.ts";
import type { PostDocument, PublisherDocument } from "../../src/store/mongodb/schema/documents.ts";
import { binaryOf, documentOfPost } from "../../src/store/mongodb/schema/posts.ts";
import { newPublisher } from "../../src/store/mongodb/schema/publishers.ts";
import type { Writer } from "../../test/support/search/history.ts";
import { aPost, aPublisher } from "../../test/support/search/rows.ts";

/** Gathers the changes of a history, and writes them into the collections, without the store. */
export class HistoryInMongodb implements Writer {
  readonly #collections: Pick<Collections, "posts" | "publishers">;
  #posts: AnyBulkWriteOperation<PostDocument>[] = [];
  #publishers: AnyBulkWriteOperation<PublisherDocument>[] = [];

  constructor(collections: Pick<Collections, "posts" | "publishers">) {
    this.#collections = collections;
  }

  /** Writes what was gathered, in order, posts before publishers. */
  async write(): Promise<void> {
    const [posts, publishers] = [this.#posts, this.#publishers];
    this.#posts = [];
    this.#publishers = [];
    if (posts.length > 0) await this.#collections.posts.bulkWrite(posts);
    if (publishers.length > 0) await this.#collections.publishers.bulkWrite(publishers);
  }

  put(entry: IndexEntry): void {
    const { _id, ...fields } = documentOf(entry);
    const $set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    this.#posts.push({ updateOne: { filter: { _id }, update: { $set }, upsert: true } });
  }

  remove(id: string): void {
    this.#posts.push({ deleteOne: { filter: { _id: id } } });
  }

  putVector(id: string, model: string, vector: Int8Array): void {
    const update = { $set: { vec_model: model, vec: binaryOf(vector) } };
    this.#posts.push({ updateOne: { filter: { _id: id }, update } });
  }

  removeVector(id: string): void {
    this.#posts.push({ updateOne: { filter: { _id: id }, update: { $unset: { vec: "", vec_model: "" } } } });
  }

  putPublisher(id: string, { verified, suspended }: { verified: boolean; suspended: boolean }): void {
    const at = (is: boolean) => (is ? 0 : null);
    const publisher = aPublisher(id, { verifiedAt: at(verified), suspendedAt: at(suspended) });
    const replacement = newPublisher(publisher);
    this.#publishers.push({ replaceOne: { filter: { _id: id }, replacement, upsert: true } });
  }

  removePublisher(id: string): void {
    this.#publishers.push({ deleteOne: { filter: { _id: id } } });
  }
}

function documentOf({ placeName, lat, lng, windowStart, windowEnd, ...entry }: IndexEntry): PostDocument {
  const startsAt = windowStart === entry.createdAt ? null : windowStart;
  const location = placeName === null && lat === null ? null : { name: placeName, lat, lng };
  const dates = { startsAt, endsAt: startsAt === null ? null : windowEnd };
  const post = aPost(entry.id, { ...entry, tags: [...entry.tags], ...dates, location });
  return documentOfPost(post, { verified: false, suspended: false });
}
