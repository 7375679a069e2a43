import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { isForSearchEngines } from "../../domain/posts/search-engines.ts";
import { isoTime } from "../../domain/resources.ts";
import { filterOf } from "../../domain/search/query.ts";
import type { Site } from "../../domain/site.ts";
import type { Question, SearchIndex } from "../../ports/search-index.ts";
import type { Position, Store } from "../../ports/store/index.ts";
import { DOCS_PATHS } from "../reference/docs.ts";

/** With their publishers they stay below the format's 50,000 addresses and 50 MB; crawlers find older posts by links. */
const POSTS_MAX = 20_000;
/** This many posts are read at a time; other requests come in between. */
const ROWS = 200;
const KEPT_MS = 600_000;
const PAGES = [
  "/",
  "/calendar",
  "/tags",
  "/places",
  ...DOCS_PATHS,
  "/stats",
  "/terms",
  "/privacy",
  "/llms.txt",
  "/llms-full.txt",
  "/skill.md",
];

export interface SitemapParts {
  index: SearchIndex;
  store: Store;
  site: Site;
  clock: () => number;
}

/**
 * Lists in a sitemap (sitemaps.org) fixed pages, the newest first-hand posts and the pages of their publishers. Posts whose
 * pages keep search engines away are left out. It is written at most once in ten minutes, however many ask.
 */
export function sitemap(parts: SitemapParts): () => Promise<string> {
  const kept = new LRUCache<"sitemap", string>({
    max: 1,
    ttl: KEPT_MS,
    perf: { now: parts.clock },
    fetchMethod: () => written(parts, parts.clock()),
  });
  return () => kept.forceFetch("sitemap");
}

async function written({ index, store, site }: SitemapParts, now: number): Promise<string> {
  /** Asks for all active top-level posts that are first-hand. */
  const everything: Question = {
    filter: filterOf({ include_syndicated: false }, now),
    words: null,
    vector: null,
    minCosine: 0,
  };
  const entries = PAGES.map((path) => entry(site.root + path));
  const publishers = new Map<string, number>();
  let after: Position | null = null;
  for (let read = 0; read < POSTS_MAX; read += ROWS) {
    const places: Position[] = await index.ask("list", everything, { order: "newest", after, limit: ROWS });
    const rows = await store.posts.many(places.map(({ id }) => id));
    const authors = await store.publishers.many([...new Set(rows.map((row) => row.publisherId))]);
    const verified = new Set(authors.filter(({ verifiedAt }) => verifiedAt !== null).map(({ id }) => id));
    for (const row of rows) {
      const { id, publisherId, updatedAt, state } = row;
      if (state !== "active" || !isForSearchEngines(row, verified.has(publisherId), now)) continue;
      entries.push(entry(site.post(id), updatedAt));
      publishers.set(publisherId, Math.max(updatedAt, publishers.get(publisherId) ?? 0));
    }
    after = places.at(-1) ?? null;
    if (places.length < ROWS) break;
    await nextTurn();
  }
  for (const [id, at] of publishers) entries.push(entry(site.publisher(id), at));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("\n")}\n</urlset>\n`;
}

/** Addresses consist of SITE_URL and ids; nothing in them needs escaping. */
const entry = (url: string, at?: number) =>
  `<url><loc>${url}</loc>${at === undefined ? "" : `<lastmod>${isoTime(at)}</lastmod>`}</url>`;
