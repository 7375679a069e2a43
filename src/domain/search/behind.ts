import type { Ranked } from "../../ports/search-index.ts";
import type { PostStore } from "../../ports/store/index.ts";
import { holdsUnwanted } from "../../search/standing/index.ts";
import { amountsIn, breaksPrice } from "../../search/text/asked-bounds.ts";
import type { QueryText } from "../../search/text/query-text.ts";

/** Only the best posts are read: what is asked in words seldom has more that answer. */
const READ = 200;
/**
 * A post that names other prices, or has what is not wanted, loses so much of its relevance: softly, since words can be
 * misread.
 */
const BEHIND = 0.4;

/** Puts those posts further behind that break what the words ask of prices, or hold what they do not want. */
export async function putBehind(
  posts: PostStore,
  ranked: readonly Ranked[],
  { price, unwanted }: QueryText["bounds"],
): Promise<Ranked[]> {
  if (price === null && unwanted.length === 0) return [...ranked];
  const rows = await posts.many(ranked.slice(0, READ).map(({ id }) => id));
  const isBehind = new Set(
    rows
      .filter(({ title, body, tags }) => {
        const text = [title, body, tags.join(" ")].join("\n");
        return (price !== null && breaksPrice(price, amountsIn(text))) || holdsUnwanted(unwanted, text);
      })
      .map(({ id }) => id),
  );
  const moved = ranked.slice(0, READ).map(({ id, relevance }) => {
    const less = isBehind.has(id) ? Math.max(0, relevance - BEHIND) : relevance;
    return { id, relevance: Number(less.toFixed(3)) };
  });
  moved.sort((a, b) => b.relevance - a.relevance);
  const last = moved.at(-1)?.relevance ?? 1;
  const others = ranked
    .slice(READ)
    .map(({ id, relevance }) => ({ id, relevance: Math.min(relevance, last) }));
  return [...moved, ...others];
}
