import { stemmer } from "stemmer";
import type { Embedder } from "../ports/embedder.ts";
import type { PostFilter } from "../ports/search-index.ts";
import type { Store, StoredPost, StoredPublisher, StoredSubscription } from "../ports/store.ts";
import { StandingQuery } from "../schema/subscription.ts";
import { distanceKm } from "../search/distance.ts";
import { cosineOf, quantize } from "../search/quantize.ts";
import { parseQueryText, type QueryText } from "../search/query-text.ts";
import { wordsOf } from "../search/tokens.ts";
import { filterOf, textOfQuery } from "./query.ts";

const CHANGES_BATCH = 1_000;

/** A standing query, ready to be held against posts. */
interface Standing {
  row: StoredSubscription;
  filter: PostFilter;
  text: QueryText | null;
  /** Stems of `text.any`. */
  stems: readonly string[];
  phrases: readonly string[];
  excluded: readonly string[];
}

/** A post as matching looks at it. */
export interface Candidate {
  post: StoredPost;
  publisher: StoredPublisher;
  /** Under the embedder's model, or null while there is none. */
  vector: Int8Array | null;
}

/**
 * Which standing queries a new post answers, by the rule of docs/matching.md: all filters, every phrase, no excluded
 * word, and either every word or the meaning. Follows subscriptions made by any process.
 */
export class Matching {
  readonly #store: Store;
  readonly #embedder: Embedder;
  readonly #standing = new Map<string, Standing>();
  #seen = 0;

  constructor(parts: { store: Store; embedder: Embedder }) {
    this.#store = parts.store;
    this.#embedder = parts.embedder;
  }

  /** Takes in subscriptions that changed, and gives those without a vector one when the model is ready. */
  async refresh(): Promise<void> {
    for (;;) {
      const { next, rows } = await this.#store.subscriptions.changes(this.#seen, CHANGES_BATCH);
      for (const { id, subscription } of rows) {
        if (subscription === null) this.#standing.delete(id);
        else this.#standing.set(id, standingOf(subscription));
      }
      if (next === this.#seen) break;
      this.#seen = next;
    }
    if (this.#embedder.state() === "ready") await this.#addVectors();
  }

  /** Ids of the subscriptions that a post answers. */
  answeredBy({ post, publisher, vector }: Candidate, now: number): string[] {
    if (post.state !== "active" || publisher.suspendedAt !== null || post.expiresAt <= now) return [];
    const words = wordsOf([post.title, post.body, ...post.tags, post.location?.name ?? ""].join("\n"));
    const spoken = ` ${words.join(" ")} `;
    const stems = new Set(words.map((word) => stemmer(word)));
    const ids: string[] = [];
    for (const standing of this.#standing.values()) {
      const { row, filter } = standing;
      if (!row.active || post.createdAt < row.createdAt) continue;
      if (!passes(post, publisher, filter)) continue;
      if (this.#says(standing, spoken, stems, vector)) ids.push(row.id);
    }
    return ids;
  }

  #says(standing: Standing, spoken: string, stems: ReadonlySet<string>, vector: Int8Array | null): boolean {
    if (standing.text === null) return true;
    if (standing.excluded.some((phrase) => spoken.includes(` ${phrase} `))) return false;
    if (!standing.phrases.every((phrase) => spoken.includes(` ${phrase} `))) return false;
    // Only phrases or exclusions: they have decided.
    if (standing.stems.length === 0) return true;
    if (standing.stems.every((stem) => stems.has(stem))) return true;
    const own = standing.row.vectorModel === this.#embedder.modelId ? standing.row.vector : null;
    return own !== null && vector !== null && cosineOf(own, vector) >= this.#embedder.matchCosine;
  }

  /** Queries saved while there was no model, or under another one. */
  async #addVectors(): Promise<void> {
    const { modelId } = this.#embedder;
    const missing = [...this.#standing.values()].filter(
      ({ row, text }) => text !== null && text.plain !== "" && row.vectorModel !== modelId,
    );
    for (const { row, text } of missing.slice(0, CHANGES_BATCH)) {
      const [vector] = await this.#embedder.embed([text?.plain ?? ""], "query");
      if (vector === undefined) continue;
      const change = { vector: quantize(vector), vectorModel: modelId };
      const updated = await this.#store.subscriptions.update(row.id, change);
      if (updated !== null) this.#standing.set(row.id, standingOf(updated));
    }
  }
}

function standingOf(row: StoredSubscription): Standing {
  const query = StandingQuery.parse(row.query);
  const q = textOfQuery(query);
  const text = q === null ? null : parseQueryText(q);
  return {
    row,
    filter: filterOf(query, 0),
    text,
    stems: (text?.any ?? []).map((word) => stemmer(word)),
    phrases: (text?.phrases ?? []).map((words) => words.join(" ")),
    excluded: (text?.excluded ?? []).map((words) => words.join(" ")),
  };
}

/** The filters of a search, held against one post. */
function passes(post: StoredPost, publisher: StoredPublisher, filter: PostFilter): boolean {
  const start = post.startsAt ?? post.createdAt;
  const end = post.endsAt ?? post.startsAt ?? post.expiresAt;
  return (
    (filter.kinds === null || filter.kinds.includes(post.kind)) &&
    (filter.tags === null || filter.tags.some((tag) => post.tags.includes(tag))) &&
    (filter.after === null || end >= filter.after) &&
    (filter.before === null || start <= filter.before) &&
    (!filter.verifiedOnly || publisher.verifiedAt !== null) &&
    (filter.publisherId === null || filter.publisherId === post.publisherId) &&
    (filter.includeSyndicated || !post.syndicated) &&
    (filter.parentId === null
      ? post.parentId === null || filter.includeReplies
      : filter.parentId === post.parentId) &&
    isNear(post, filter)
  );
}

function isNear({ location }: StoredPost, { near }: PostFilter): boolean {
  if (near === null) return true;
  if (location === null || location.lat === null || location.lng === null) return false;
  return distanceKm(near, { lat: location.lat, lng: location.lng }) <= near.radiusKm;
}
