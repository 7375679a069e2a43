import type { Collection } from "mongodb";
import type { PostFilter } from "../../../../schema/filter.ts";
import type { PostDocument } from "../../database/schema/documents.ts";
import { findConditionsOf } from "../mongot/filters.ts";
import { MAX_TIME_MS } from "../mongot/queries.ts";
import type { Sourced } from "../sources.ts";

/** Looks up posts with a source in the collection. */
export class SourceQueries {
  readonly #posts: Collection<PostDocument>;
  readonly #run: <T>(ask: () => Promise<T>) => Promise<T>;

  /** @param options.run  see `MongodbConnection.run` */
  constructor(options: {
    posts: Collection<PostDocument>;
    run: <T>(ask: () => Promise<T>) => Promise<T>;
  }) {
    this.#posts = options.posts;
    this.#run = options.run;
  }

  /** Those of some posts that have a source. */
  of(ids: readonly string[]): Promise<Sourced[]> {
    return this.#find({ _id: { $in: [...ids] }, source: { $type: "string" } });
  }

  /** The posts of some sources that pass a filter. */
  sharing(filter: PostFilter, sources: readonly string[]): Promise<Sourced[]> {
    const ofThese = { state: "active", source: { $type: "string", $in: [...sources] } } as const;
    return this.#find({ $and: [ofThese, ...findConditionsOf(filter)] });
  }

  async #find(filter: Parameters<Collection<PostDocument>["find"]>[0]): Promise<Sourced[]> {
    const projection = { source: 1, publisher_id: 1, syndicated: 1, created_at: 1 };
    const posts = await this.#run(() =>
      this.#posts.find(filter, { projection, maxTimeMS: MAX_TIME_MS }).toArray(),
    );
    return posts.map(({ _id, source = null, publisher_id, syndicated, created_at }) => ({
      id: _id,
      source,
      publisherId: publisher_id,
      syndicated,
      createdAt: created_at.getTime(),
    }));
  }
}
