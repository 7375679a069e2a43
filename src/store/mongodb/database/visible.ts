import type { Document } from "mongodb";
import type { MongodbContext } from "./context.ts";
import { findPosts } from "./reads.ts";
import type { PostDocument, PublisherDocument } from "./schema/documents.ts";

/** What decides whether a post is seen. */
const STATE = { publisher_id: 1, parent_id: 1, state: 1 } as const;

/**
 * Those of the posts that anyone may see, by id, with their publishers: neither they nor the posts they answer are hidden, by
 * themselves or with a publisher.
 *
 * @param fields  of the posts, as a projection
 */
export async function visiblePosts(
  context: MongodbContext,
  ids: readonly string[],
  fields: Document = STATE,
): Promise<Map<string, readonly [PostDocument, PublisherDocument]>> {
  const posts = await findPosts(context, [...new Set(ids)], undefined, fields);
  const roots = new Set([...posts.values()].flatMap(({ parent_id }) => parent_id ?? []));
  const missing = [...roots].filter((id) => !posts.has(id));
  const known =
    missing.length === 0
      ? posts
      : new Map([...posts, ...(await findPosts(context, missing, undefined, STATE))]);
  const owners = new Set([...known.values()].map(({ publisher_id }) => publisher_id));
  const publishers = await context.collections.publishers
    .find({ _id: { $in: [...owners] }, erasing: false, suspended_at: null })
    .toArray();
  const open = new Map(publishers.map((publisher) => [publisher._id, publisher]));
  const ownerOf = (id: string) => {
    const post = known.get(id);
    return post?.state === "active" ? open.get(post.publisher_id) : undefined;
  };
  const seen = [...posts.values()].flatMap((post) => {
    const publisher = ownerOf(post._id);
    const isSeen =
      publisher !== undefined && (post.parent_id === null || ownerOf(post.parent_id) !== undefined);
    return isSeen ? [[post._id, [post, publisher]] as const] : [];
  });
  return new Map(seen);
}

/** Rows read at once after a first page with too few visible ones. */
export const ROWS_PER_LOOK = 1000;

interface List<Row, Seen> {
  /** Rows with a number above `after`, in order. */
  page(after: number, limit: number): Promise<Row[]>;
  numberOf(row: Row): number;
  /** Those of the posts that anyone may see, by id, with what the caller wants of them. */
  visible(postIds: string[]): Promise<ReadonlyMap<string, Seen>>;
}

/** Looks through a list for rows whose posts anyone may see, and gives those of each look, in order. */
export async function* visibleRows<Row extends { post_id: string }, Seen>(
  { page, numberOf, visible }: List<Row, Seen>,
  after: number,
  firstLook: number,
): AsyncGenerator<(readonly [Row, Seen])[]> {
  for (let from = after, size = firstLook; ; size = ROWS_PER_LOOK) {
    const rows = await page(from, size);
    const last = rows.at(-1);
    if (last === undefined) return;
    const seen = await visible(rows.map((row) => row.post_id));
    yield rows.flatMap((row): (readonly [Row, Seen])[] => {
      const post = seen.get(row.post_id);
      return post === undefined ? [] : [[row, post]];
    });
    if (rows.length < size) return;
    from = numberOf(last);
  }
}

/** The first `limit` of them, however many rows that takes. */
export async function firstVisible<Row extends { post_id: string }, Seen>(
  list: List<Row, Seen>,
  after: number,
  limit: number,
): Promise<(readonly [Row, Seen])[]> {
  const shown: (readonly [Row, Seen])[] = [];
  for await (const rows of visibleRows(list, after, limit)) {
    shown.push(...rows);
    if (shown.length >= limit) break;
  }
  return shown.slice(0, limit);
}
