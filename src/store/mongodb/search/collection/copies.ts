import type { Collection } from "mongodb";
import type { Question } from "../../../../ports/search-index.ts";
import type { PostFilter } from "../../../../schema/filter.ts";
import type { PostDocument } from "../../schema/documents.ts";
import { findConditionsOf } from "../mongot/filters.ts";
import { MAX_TIME_MS } from "../mongot/queries.ts";

/** Those of some posts that answer a question, whatever stands for them. */
type Matching = (question: Question, ids: readonly string[]) => Promise<Set<string>>;

type Sourced = Pick<PostDocument, "_id" | "source" | "syndicated" | "created_at">;

/** Posts with one source, of which a `distinct` question finds the first-hand one, else the oldest. */
export class SourceQueries {
  readonly #posts: Collection<PostDocument>;
  readonly #run: <T>(ask: () => Promise<T>) => Promise<T>;
  readonly #matching: Matching;

  /** @param options.run  see `MongodbConnection.run` */
  constructor(
    options: { posts: Collection<PostDocument>; run: <T>(ask: () => Promise<T>) => Promise<T> },
    matching: Matching,
  ) {
    this.#posts = options.posts;
    this.#run = options.run;
    this.#matching = matching;
  }

  /** Those of some matches for which another match stands. */
  async hidden(question: Question, ids: readonly string[]): Promise<Set<string>> {
    const hidden = new Set<string>();
    for (const [id, group] of await this.#groups(question, ids)) {
      if (group.toSorted(compareStanding)[0]?._id !== id) hidden.add(id);
    }
    return hidden;
  }

  /** See `SearchIndex.copies`. */
  async copies(question: Question, ids: readonly string[]): Promise<string[][]> {
    const groups = await this.#groups(question, ids);
    return ids.map((id) => {
      const others = (groups.get(id) ?? []).filter(({ _id }) => _id !== id);
      return others.sort(compareAges).map(({ _id }) => _id);
    });
  }

  /** The posts of some sources that pass a filter. */
  sharing(filter: PostFilter, sources: readonly string[]): Promise<Sourced[]> {
    const ofThese = { state: "active", source: { $type: "string", $in: [...sources] } } as const;
    return this.#find({ $and: [ofThese, ...findConditionsOf(filter)] });
  }

  /** Of posts that are not alone with their source: all that match, themselves included. */
  async #groups(question: Question, ids: readonly string[]): Promise<Map<string, Sourced[]>> {
    const groups = new Map<string, Sourced[]>();
    const own = await this.#find({ _id: { $in: [...ids] }, source: { $type: "string" } });
    if (own.length === 0) return groups;
    const sources = [...new Set(own.map(({ source }) => source as string))];
    const all = await this.sharing(question.filter, sources);
    const asked = new Set(ids);
    const others = all.filter(({ _id }) => !asked.has(_id)).map(({ _id }) => _id);
    const matching = others.length === 0 ? new Set<string>() : await this.#matching(question, others);
    const found = all.filter(({ _id }) => asked.has(_id) || matching.has(_id));
    for (const { _id, source } of own) {
      const group = found.filter((post) => post.source === source);
      if (group.length > 1) groups.set(_id, group);
    }
    return groups;
  }

  #find(filter: Parameters<Collection<PostDocument>["find"]>[0]): Promise<Sourced[]> {
    const projection = { source: 1, syndicated: 1, created_at: 1 };
    return this.#run(() => this.#posts.find(filter, { projection, maxTimeMS: MAX_TIME_MS }).toArray());
  }
}

const compareAges = (a: Sourced, b: Sourced) =>
  a.created_at.getTime() - b.created_at.getTime() || (a._id < b._id ? -1 : 1);
const compareStanding = (a: Sourced, b: Sourced) =>
  Number(a.syndicated) - Number(b.syndicated) || compareAges(a, b);
