import { readFileSync } from "node:fs";
import { join } from "node:path";
import { savedTextOf } from "../../src/domain/subscriptions/meaning.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import { StandingQuery } from "../../src/schema/subscription.ts";
import { distanceKm } from "../../src/search/ranking/distance.ts";
import { quantize } from "../../src/search/ranking/vectors.ts";
import { parseQueryText, type QueryText } from "../../src/search/text/query-text.ts";
import { readRows } from "../support/data.ts";
import { embedAll } from "../support/model.ts";

export interface Query {
  id: string;
  /** The family of themes; folds may leave out a whole one. */
  group: string;
  /** Several queries may share a theme and the posts written for it. */
  theme: string;
  /** Every post that passes its filters is labelled. */
  dense: boolean;
  text: QueryText;
  kinds: string[] | null;
  hasPlace: boolean;
  /** As its owner would send it. */
  sent: Record<string, unknown>;
}

interface Notice {
  id: string;
  kind: string;
  title: string;
  body: string;
  tags: string[];
  placeName: string | null;
  lat: number | null;
  lng: number | null;
}

/** Holds a query, a post, and what is known about the two. */
export interface Pair {
  query: Query;
  post: Notice;
  /** The post passes the query's filters: kind, tags, place and window. */
  passes: boolean;
  match: boolean;
  /** True when judged by hand; other pairs count as "no". */
  labelled: boolean;
  hard: boolean;
}

export interface Collection {
  queries: Query[];
  posts: Notice[];
  pairs: Pair[];
}

/**
 * Our own pairs. A line `? text | kind | town` is a query. The lines below it are posts, `kind | title | body | tags |
 * town`, marked `+` for a match in the same words, `*` for a match in other words, `-` for a near miss. A kind or town of
 * `-` is none; a post without a town has its query's. All other pairs of the file are "no".
 */
export function ownPairs(file: string): Collection {
  const queries: (Query & { town: string | null })[] = [];
  const posts: (Notice & { of: string; sign: string })[] = [];
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const sign = line.charAt(0);
    if (!"?+*-".includes(sign) || sign === "") continue;
    const [first = "", second = "", third = "", fourth = "", fifth] = line
      .slice(2)
      .split("|")
      .map((s) => s.trim());
    const query = queries.at(-1);
    if (sign === "?") {
      const town = third === "-" ? null : third;
      const kinds = second === "-" ? null : [second];
      const id = `own-${queries.length}`;
      const text = parseQueryText(first);
      queries.push({
        id,
        group: id,
        theme: id,
        dense: false,
        text,
        kinds,
        hasPlace: town !== null,
        sent: {},
        town,
      });
    } else if (query !== undefined) {
      const placeName = fifth === undefined ? query.town : fifth === "-" ? null : fifth;
      const [kind, title, body, tags] = [first, second, third, fourth.split(",")];
      const at = { placeName, lat: null, lng: null };
      posts.push({ id: `own-post-${posts.length}`, kind, title, body, tags, ...at, of: query.id, sign });
    }
  }
  const pairs = queries.flatMap((query) =>
    posts.map((post): Pair => {
      const labelled = post.of === query.id;
      const passes =
        (query.kinds?.includes(post.kind) ?? true) && (query.town === null || query.town === post.placeName);
      const match = labelled && post.sign !== "-";
      return { query, post, passes, match, labelled, hard: labelled && post.sign !== "+" };
    }),
  );
  return { queries, posts, pairs };
}

interface SavedRow {
  id: string;
  group?: string;
  theme?: string;
  dense?: boolean;
  query: Record<"q" | "kind" | "tags" | "near" | "radius_km" | "after" | "before", string | undefined>;
}
interface PostRow {
  id: string;
  kind: string;
  title: string;
  body: string;
  tags?: string[];
  location?: { name?: string; lat?: number; lng?: number };
  starts_at?: string;
  ends_at?: string;
}

/** Reads a labelled set of `data/`. Pairs labelled as borderline are left out; one that is not listed is no match. */
export function labelledPairs(name: string): Collection {
  const folder = join(import.meta.dirname, "data", name);
  const saved = readRows<SavedRow>(join(folder, "queries.jsonl"));
  const written = readRows<PostRow>(join(folder, "posts.jsonl"));
  const labels = new Map(
    readFileSync(join(folder, "pairs.tsv"), "utf8")
      .trimEnd()
      .split("\n")
      .map((row) => {
        const [query, post, label, hard] = row.split("\t");
        return [`${query} ${post}`, { label, hard: hard === "hard" }] as const;
      }),
  );
  const queries = saved.map(({ id, group = id, theme = id, dense = false, query }): Query => {
    const kinds = query.kind?.split(",").map((kind) => kind.trim()) ?? null;
    const text = savedTextOf(StandingQuery.parse(query)) ?? parseQueryText("");
    return { id, group, theme, dense, text, kinds, hasPlace: query.near !== undefined, sent: query };
  });
  const posts = written.map(({ id, kind, title, body, tags = [], location }): Notice => {
    const { name = null, lat = null, lng = null } = location ?? {};
    return { id, kind, title, body, tags, placeName: name, lat, lng };
  });
  const pairs = saved.flatMap((row, i) =>
    written.flatMap((post, j): Pair[] => {
      const label = labels.get(`${row.id} ${post.id}`);
      if (label?.label === "borderline") return [];
      const [query, notice] = [queries[i] as Query, posts[j] as Notice];
      const known = {
        match: label?.label === "match",
        labelled: label !== undefined,
        hard: label?.hard ?? false,
      };
      return [{ query, post: notice, passes: passes(row, post), ...known }];
    }),
  );
  return { queries, posts, pairs };
}

function passes({ query }: SavedRow, post: PostRow): boolean {
  const { kind, tags, near, after, before } = query;
  const start = post.starts_at;
  const end = post.ends_at ?? start;
  if (kind !== undefined && !listOf(kind).includes(post.kind)) return false;
  if (tags !== undefined && !listOf(tags).some((tag) => post.tags?.includes(tag))) return false;
  if (after !== undefined && end !== undefined && Date.parse(end) < Date.parse(after)) return false;
  if (before !== undefined && start !== undefined && Date.parse(start) > Date.parse(before)) return false;
  if (near === undefined) return true;
  const [lat = 0, lng = 0] = near.split(",").map(Number);
  const at = post.location;
  if (at?.lat === undefined || at.lng === undefined) return false;
  return distanceKm({ lat, lng }, { lat: at.lat, lng: at.lng }) <= Number(query.radius_km ?? 25);
}

const listOf = (text: string) => text.split(",").map((part) => part.trim());

/** Makes vectors of all queries and posts, by id. */
export async function vectorsOf(
  collections: readonly Collection[],
  embedder: Embedder,
): Promise<Map<string, Int8Array>> {
  const queries = collections.flatMap((one) => one.queries);
  const posts = collections.flatMap((one) => one.posts);
  const asked = queries.map(({ text }) => text.plain);
  const vectors = [
    ...(await embedAll(embedder, asked, "query")),
    ...(await embedAll(embedder, posts, "post")),
  ];
  const ids = [...queries, ...posts].map(({ id }) => id);
  return new Map(ids.map((id, i) => [id, quantize(vectors[i] ?? new Float32Array())]));
}
