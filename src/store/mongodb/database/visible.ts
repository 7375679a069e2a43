import type { Document } from "mongodb";
import type { MongodbContext } from "./context.ts";
import { findPosts } from "./reads.ts";
import type { PostDocument } from "./schema/documents.ts";

const STATE = { root: 1, state: 1, pub_suspended: 1 } as const;

/**
 * Gives those of the posts that anyone may see, by id: neither they nor their roots are hidden, by themselves or with a
 * publisher.
 */
async function visiblePosts(
  context: MongodbContext,
  ids: readonly string[],
  fields: Document,
): Promise<Record<"seen" | "removed", Map<string, PostDocument>>> {
  const posts = await findPosts(context, [...new Set(ids)], undefined, fields);
  const roots = new Set([...posts.values()].map(({ root }) => root).filter((id) => !posts.has(id)));
  const others = roots.size === 0 ? [] : await findPosts(context, [...roots], undefined, STATE);
  const known = new Map([...posts, ...others]);
  const isOpen = (id: string) => {
    const post = known.get(id);
    return post?.state === "active" && !post.pub_suspended;
  };
  return {
    seen: new Map([...posts].filter(([id, { root }]) => isOpen(id) && isOpen(root))),
    removed: new Map([...posts].filter(([, { state }]) => state === "removed")),
  };
}

/** This many rows are read at once after a first page with too few visible ones. */
export const ROWS_PER_LOOK = 1000;

/** Tells of a post, or, once that is removed, of its removal. */
interface Telling {
  post_id: string;
  change?: object | null;
}

interface List<Row> {
  /** Reads rows with a number above `after`, in order. */
  page(after: number, limit: number): Promise<Row[]>;
  numberOf(row: Row): number;
}

/**
 * Looks through a list for rows whose posts anyone may see, and gives those of each look, in order.
 * @param fields  of the posts, as a projection
 */
export async function* visibleRows<Row extends Telling>(
  context: MongodbContext,
  { page, numberOf }: List<Row>,
  after: number,
  firstLook: number,
  fields: Document = STATE,
): AsyncGenerator<(readonly [Row, PostDocument])[]> {
  for (let from = after, size = firstLook; ; size = ROWS_PER_LOOK) {
    const rows = await page(from, size);
    const last = rows.at(-1);
    if (last === undefined) return;
    const ids = rows.map((row) => row.post_id);
    const { seen, removed } = await visiblePosts(context, ids, fields);
    yield rows.flatMap((row): (readonly [Row, PostDocument])[] => {
      const post = seen.get(row.post_id) ?? (row.change == null ? undefined : removed.get(row.post_id));
      return post === undefined ? [] : [[row, post]];
    });
    if (rows.length < size) return;
    from = numberOf(last);
  }
}

/** Reads the first `limit` of them, however many rows that takes. */
export async function firstVisible<Row extends Telling>(
  context: MongodbContext,
  list: List<Row>,
  after: number,
  limit: number,
  fields?: Document,
): Promise<(readonly [Row, PostDocument])[]> {
  const shown: (readonly [Row, PostDocument])[] = [];
  for await (const rows of visibleRows(context, list, after, limit, fields)) {
    shown.push(...rows);
    if (shown.length >= limit) break;
  }
  return shown.slice(0, limit);
}
