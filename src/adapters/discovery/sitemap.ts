import { LRUCache } from "lru-cache";
import { isForSearchEngines } from "../../domain/posts/search-engines.ts";
import { isoTime } from "../../domain/resources.ts";
import { filterOf } from "../../domain/search/query.ts";
import type { Site } from "../../domain/site.ts";
import type { Question, SearchIndex } from "../../ports/search-index.ts";
import type { Place, Store, StoredPost } from "../../ports/store/index.ts";
import { DOCS_PATHS } from "../reference/docs.ts";

/** Posts in a part; with their publishers, far below the format's 50,000 addresses and 50 MB. */
const PART = 5_000;
/** A million posts; a larger board needs another way to be crawled. */
const PARTS_MAX = 200;
const KEPT_MS = 600_000;
/** Rows read from the store at a time. */
const ROWS = 1_000;
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

/** A stretch of the posts, newest first: those after `after`, up to and including `last`. */
interface Part {
  after: Place | null;
  last: Place;
  newestAt: number;
}

/**
 * The sitemap (sitemaps.org): an index, a part for fixed pages, and parts of posts with the pages of their publishers.
 * Posts whose pages keep search engines away are left out.
 * Part 1 has the oldest posts, so that a full part stays the same while new posts arrive. Each file is written at most
 * once in ten minutes, however many ask.
 */
export class Sitemap {
  readonly #index: SearchIndex;
  readonly #store: Store;
  readonly #site: Site;
  #parts: { at: number; value: Promise<readonly Part[]> } | null = null;
  readonly #written = new LRUCache<string, Promise<string>>({ max: 20 });

  constructor(parts: { index: SearchIndex; store: Store; site: Site }) {
    this.#index = parts.index;
    this.#store = parts.store;
    this.#site = parts.site;
  }

  /** The index of all parts. */
  async overview(now: number): Promise<string> {
    const parts = await this.#partsAt(now);
    const entry = (path: string, at?: number) =>
      `<sitemap><loc>${this.#site.root}${path}</loc>${lastmod(at)}</sitemap>`;
    return document("sitemapindex", [
      entry("/sitemaps/pages.xml"),
      ...parts.map(({ newestAt }, i) => entry(`/sitemaps/posts-${i + 1}.xml`, newestAt)),
    ]);
  }

  pages(): string {
    return document(
      "urlset",
      PAGES.map((path) => `<url><loc>${this.#site.root}${path}</loc></url>`),
    );
  }

  /** A part of posts; null for a number that has none. */
  async posts(number: number, now: number): Promise<string | null> {
    const parts = await this.#partsAt(now);
    const part = parts[number - 1];
    if (part === undefined) return null;
    const key = `${this.#parts?.at} ${number}`;
    let written = this.#written.get(key);
    if (written === undefined) {
      written = this.#write(part, now);
      this.#written.set(key, written);
      written.catch(() => this.#written.delete(key));
    }
    return written;
  }

  #partsAt(now: number): Promise<readonly Part[]> {
    if (this.#parts === null || now - this.#parts.at >= KEPT_MS) {
      this.#parts = { at: now, value: this.#divide(now) };
      this.#parts.value.catch(() => {
        this.#parts = null;
      });
    }
    return this.#parts.value;
  }

  async #divide(now: number): Promise<readonly Part[]> {
    const total = await this.#index.count(everything(now));
    const parts: Part[] = [];
    // Only the newest part is not full.
    let limit = total % PART || PART;
    let after: Place | null = null;
    while (parts.length < PARTS_MAX) {
      const places: Place[] = await this.#list(after, limit, now);
      const [first] = places;
      const last = places.at(-1);
      if (first === undefined || last === undefined) break;
      parts.unshift({ after, last, newestAt: first.at });
      if (places.length < limit) break;
      after = last;
      limit = PART;
    }
    return parts;
  }

  #list(after: Place | null, limit: number, now: number): Promise<Place[]> {
    return this.#index.list(everything(now), { order: "newest", after, limit });
  }

  async #write({ after, last }: Part, now: number): Promise<string> {
    const places = await this.#list(after, PART, now);
    const ids = places.filter((place) => !isOlder(place, last)).map(({ id }) => id);
    const rows: StoredPost[] = [];
    for (let i = 0; i < ids.length; i += ROWS) {
      const read = await this.#store.posts.many(ids.slice(i, i + ROWS));
      const authors = await this.#store.publishers.many([...new Set(read.map((row) => row.publisherId))]);
      const verified = new Set(authors.filter(({ verifiedAt }) => verifiedAt !== null).map(({ id }) => id));
      const isListed = (row: StoredPost) => isForSearchEngines(row, verified.has(row.publisherId), now);
      rows.push(...read.filter((row) => row.state === "active" && isListed(row)));
    }
    const publishers = new Map<string, number>();
    for (const { publisherId, updatedAt } of rows) {
      publishers.set(publisherId, Math.max(updatedAt, publishers.get(publisherId) ?? 0));
    }
    const entry = (url: string, at: number) => `<url><loc>${url}</loc>${lastmod(at)}</url>`;
    return document("urlset", [
      ...rows.map((row) => entry(this.#site.post(row.id), row.updatedAt)),
      ...[...publishers].map(([id, at]) => entry(this.#site.publisher(id), at)),
    ]);
  }
}

const isOlder = (place: Place, than: Place) =>
  place.at < than.at || (place.at === than.at && place.id < than.id);

/** All active top-level posts that are first-hand. */
const everything = (now: number): Question => ({
  filter: filterOf({ include_syndicated: false }, now),
  words: null,
  vector: null,
  minCosine: 0,
});

const lastmod = (at?: number) => (at === undefined ? "" : `<lastmod>${isoTime(at)}</lastmod>`);

/** Addresses consist of SITE_URL and ids; nothing in them needs escaping. */
const document = (root: "sitemapindex" | "urlset", entries: readonly string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("\n")}\n</${root}>\n`;
