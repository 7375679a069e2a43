import type { Advice } from "../../board/failures.ts";
import { Abandoned, type Question } from "../../ports/search-index.ts";
import type { Store } from "../../ports/store/index.ts";
import { RADIUS_KM, type SearchQuery } from "../../schema/query.ts";
import { counted } from "../../schema/text.ts";
import { radiusOf } from "./query.ts";

const SMALL_BOARD = 50;

interface Parts {
  store: Store;
  /** Counts the posts of the board, roughly. */
  activePosts: (now: number) => Promise<number>;
}

/**
 * Tells a caller whose search found nothing of an id that names nothing, which filter emptied the result, or what to
 * try.
 * @param countOf  how many posts another search would find
 */
export async function adviceOnNothing(
  { store, activePosts }: Parts,
  { words, filter, gone }: Question,
  query: SearchQuery,
  countOf: (relaxed: SearchQuery) => Promise<number>,
): Promise<Advice[]> {
  if (words !== null && words.any.length + words.phrases.length + words.excluded.length === 0)
    return ["`q` holds no word; signs and emoji are not searched for."];
  const mistake = await mistakeIn(query, store);
  if (mistake !== null) return [mistake];
  const found: string[] = [];
  for (const { without, query: relaxed } of relaxations(query, words)) {
    if (gone?.aborted === true) throw new Abandoned();
    const count = await countOf(relaxed);
    if (count > 0) found.push(`${without} finds ${count}`);
  }
  if (found.length > 0) return [`Nothing matched all filters; ${found.join(", ")}.`];
  const posts = await activePosts(filter.now);
  if (posts < SMALL_BOARD)
    return [`Nothing matched; this board is small and holds ${counted(posts, "post")}.`];
  const other = words === null ? "fewer filters" : "other words";
  const advice = `Nothing matched. Try ${other}`;
  const saving = `${advice}, or save the query with \`subscribe\` to be told of new posts.`;
  return [{ rest: saving, tools: saving, reading: `${advice}.` }];
}

/** Tells why no post can match: an id names nothing. */
async function mistakeIn({ publisher, thread }: SearchQuery, store: Store): Promise<string | null> {
  if (publisher !== undefined && publisher !== "") {
    if (!publisher.startsWith("pub_"))
      return "`publisher` takes the id of a publisher (pub_…), which results name beside it. To find one by its name, search for a post of it: put the name into `q`.";
    if ((await store.publishers.get(publisher)) === null)
      return "No publisher has the id sent as `publisher`; results name the ids of theirs.";
  }
  if (thread !== undefined && thread !== "" && (await store.posts.get(thread)) === null)
    return "No post has the id sent as `thread`. Take the id of a post from `search`, without `thread`.";
  return null;
}

/** Drops one filter of a query, and has words for that. */
interface Relaxation {
  without: string;
  query: SearchQuery;
}

const WIDER_KM = 100;

/** Drops one filter of the query at a time. At most thirteen. @param words  what its text asks for */
function relaxations(query: SearchQuery, words: Question["words"]): Relaxation[] {
  const radiusKm = query.near === undefined ? RADIUS_KM.max : radiusOf(query);
  const { any, phrases, excluded } = words ?? { any: [], phrases: [], excluded: [] };
  const steps: [boolean, string, Partial<SearchQuery>][] = [
    [radiusKm < WIDER_KM, `\`radius_km=${WIDER_KM}\``, { radius_km: WIDER_KM }],
    [radiusKm < RADIUS_KM.max, `\`radius_km=${RADIUS_KM.max}\``, { radius_km: RADIUS_KM.max }],
    [query.near !== undefined, "searching without `near`", { near: undefined }],
    [(query.kind ?? []).length > 0, "any `kind`", { kind: undefined }],
    [(query.tags ?? []).length > 0, "searching without `tags`", { tags: undefined }],
    [
      query.after !== undefined || query.before !== undefined,
      "searching without `after` and `before`",
      { after: undefined, before: undefined },
    ],
    [query.verified === true, "searching without `verified`", { verified: undefined }],
    [(query.thread ?? "") !== "", "searching without `thread`", { thread: undefined }],
    [(query.publisher ?? "") !== "", "searching without `publisher`", { publisher: undefined }],
    [query.include_syndicated === false, "`include_syndicated=true`", { include_syndicated: true }],
    [query.include_expired !== true, "`include_expired=true`", { include_expired: true }],
    [query.include_replies !== true, "`include_replies=true`", { include_replies: true }],
    [
      phrases.length > 0 || excluded.length > 0,
      "searching without quotes and exclusions",
      { q: [...new Set([...any, ...phrases.flat()])].join(" ") },
    ],
  ];
  return steps
    .filter(([applies]) => applies)
    .map(([, without, change]) => ({ without, query: { ...query, ...change } }));
}
