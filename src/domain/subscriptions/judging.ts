import { BoardError } from "../../failures.ts";
import type { Embedder } from "../../ports/embedder.ts";
import type { SearchIndex } from "../../ports/search-index.ts";
import type { Store, StoredPost, StoredSubscription } from "../../ports/store/index.ts";
import { JUDGED_MAX, type Learning } from "../../schema/subscription.ts";
import { learningFrom, postText, standingText } from "../../search/standing-rule/index.ts";
import { cosineOf } from "../../search/vectors.ts";
import { toReference } from "../board/cosine-scale.ts";
import { filterOf, parsedTextOf } from "../search/query.ts";
import { passingIds } from "./backgrounds.ts";
import { hasVectorOf } from "./meaning.ts";
import { standingQueryOf } from "./state.ts";

/** The newest posts that pass the filters, which the judged ones stand out from. */
const AROUND = 100;

/** An owner's word on posts, by id. */
export interface OwnersWord {
  relevant?: readonly string[] | undefined;
  not_relevant?: readonly string[] | undefined;
  /** Words to take back; `all` takes back every one. */
  forget?: readonly string[] | undefined;
}

export const saysAnything = ({ relevant, not_relevant, forget }: OwnersWord) =>
  [relevant, not_relevant, forget].some((ids) => ids !== undefined && ids.length > 0);

/** Ids that are judged anew. @throws BoardError `invalid_request` for one that is called both */
export function judgedIn({ relevant = [], not_relevant: notRelevant = [] }: OwnersWord): string[] {
  const both = relevant.find((id) => notRelevant.includes(id));
  if (both === undefined) return [...new Set([...relevant, ...notRelevant])];
  const message = "Names a post that `not_relevant` names too.";
  throw new BoardError("invalid_request", { issues: [{ path: "relevant", code: "custom", message }] });
}

/**
 * What a saved query has learnt after its owner's word: from all posts that were judged and are still here, so that a
 * word taken back leaves no trace. Null when none is left, or when the query has no words to learn for.
 */
export async function learningAfter(
  parts: { store: Store; index: SearchIndex; embedder: Embedder },
  row: StoredSubscription,
  word: OwnersWord,
  now: number,
): Promise<Learning | null> {
  const judged = judgementsAfter(row.learning?.judged ?? [], word);
  const query = standingQueryOf(row);
  const text = query === null ? null : parsedTextOf(query);
  if (query === null || text === null || text.any.length === 0 || judged.length === 0) return null;
  const { modelId } = parts.embedder;
  const posts = await read(
    judged.map(({ id }) => id),
    parts.store,
    modelId,
  );
  const around = await read(await passingIds(parts.index, query, AROUND, now), parts.store, modelId);
  const { vector, background } = hasVectorOf(parts.embedder, row) ? row : { vector: null, background: null };
  const { kinds, near } = filterOf(query, 0);
  const standing = standingText({
    text,
    kinds,
    hasPlace: near !== null,
    vector,
    background,
    learning: null,
    map: toReference(parts.embedder.scale),
  });
  const relevant = new Map(judged.map((judgement) => [judgement.id, judgement.relevant]));
  const learnt = learningFrom(
    standing,
    vector,
    posts.map((post) => ({
      ...post,
      cosine: vector === null || post.vector === null ? null : cosineOf(vector, post.vector),
      relevant: relevant.get(post.id) ?? false,
    })),
    around,
  );
  const here = new Set(posts.map(({ id }) => id));
  return { judged: judged.filter(({ id }) => here.has(id)), ...learnt };
}

/** Posts as the rule reads them; those that are gone are left out. */
async function read(ids: readonly string[], { posts }: Store, modelId: string) {
  const rows: StoredPost[] = await posts.many(ids);
  const vectors = await posts.vectors(
    rows.map(({ id }) => id),
    modelId,
  );
  return rows.map((post, i) => ({
    id: post.id,
    text: postText({ ...post, placeName: post.location?.name ?? null }),
    vector: vectors[i] ?? null,
  }));
}

function judgementsAfter(before: Learning["judged"], word: OwnersWord): Learning["judged"] {
  const { relevant = [], not_relevant: notRelevant = [], forget = [] } = word;
  const judgements = new Map(forget.includes("all") ? [] : before.map((one) => [one.id, one.relevant]));
  for (const id of forget) judgements.delete(id);
  for (const [ids, verdict] of [
    [relevant, true],
    [notRelevant, false],
  ] as const) {
    for (const id of ids) {
      // A repeated word is the newest again.
      judgements.delete(id);
      judgements.set(id, verdict);
    }
  }
  return [...judgements].slice(-JUDGED_MAX).map(([id, verdict]) => ({ id, relevant: verdict }));
}
