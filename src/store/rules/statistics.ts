import type { BoardOverview } from "../../ports/store/index.ts";
import { KINDS, type Kind } from "../../schema/post.ts";

/** Adds up the posts that are neither expired nor removed. */
export function countLive(
  rows: readonly { kind: Kind; isRelayed: boolean; n: number }[],
): Pick<BoardOverview, "activePosts" | "firstHand" | "syndicated" | "kinds"> {
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;
  const counts = { activePosts: 0, firstHand: 0, syndicated: 0, kinds };
  for (const { kind, isRelayed, n } of rows) {
    counts.activePosts += n;
    counts[isRelayed ? "syndicated" : "firstHand"] += n;
    kinds[kind] += n;
  }
  return counts;
}
