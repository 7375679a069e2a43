import { stemmer } from "stemmer";
import type { Embedder } from "../ports/embedder.ts";
import type { PostFilter } from "../ports/search-index.ts";
import type { Store, StoredPost, StoredPublisher, StoredSubscription } from "../ports/store.ts";
import { StandingQuery } from "../schema/subscription.ts";
import { distanceKm } from "../search/distance.ts";
import { cosineOf, quantize } from "../search/quantize.ts";
import { parseQueryText, type QueryText } from "../search/query-text.ts";
import { indexable } from "../search/tokens.ts";
import { filterOf, textOfQuery } from "./query.ts";

const CHANGES_BATCH = 1_000;

/** A standing query, ready to be held against posts. */
interface Standing {
  row: StoredSubscription;
  filter: PostFilter;
  text: QueryText | null;
  /** Words, phrases and exclusions of `text`, as terms with blanks between them. */
  words: readonly string[];
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
    const says = speech([post.title, post.body, ...post.tags, post.location?.name ?? ""]);
    const ids: string[] = [];
    for (const standing of this.#standing.values()) {
      const { row, filter } = standing;
      if (!row.active || post.createdAt < row.createdAt) continue;
      if (!passes(post, publisher, filter)) continue;
      if (this.#answers(standing, says, vector)) ids.push(row.id);
    }
    return ids;
  }

  #answers(
    { row, text, words, phrases, excluded }: Standing,
    says: (terms: string) => boolean,
    vector: Int8Array | null,
  ): boolean {
    if (text === null) return true;
    if (excluded.some(says) || !phrases.every(says)) return false;
    // Only phrases or exclusions: they have decided. A text without any word asks for nothing that could be found.
    if (words.length === 0) return phrases.length > 0 || excluded.length > 0;
    if (words.every(says)) return true;
    const own = row.vectorModel === this.#embedder.modelId ? row.vector : null;
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
    words: (text?.any ?? []).map(termsOf),
    phrases: (text?.phrases ?? []).map((words) => termsOf(words.join(" "))),
    excluded: (text?.excluded ?? []).map((words) => termsOf(words.join(" "))),
  };
}

/** Tells whether texts hold given terms next to each other, none of them across two texts. */
function speech(texts: readonly string[]): (terms: string) => boolean {
  const spoken = texts.map((text) => ` ${termsOf(text)} `).join("\n");
  const single = new Set(spoken.split(/\s+/));
  return (terms) => (terms.includes(" ") ? spoken.includes(` ${terms} `) : single.has(terms));
}

/**
 * Words as the search index compares them, with blanks between them: without case, diacritics and English endings, and
 * each character of a script without blanks alone. A standing query finds what the same search would.
 */
function termsOf(text: string): string {
  const plain = indexable(text)
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036F]/g, "")
    .normalize("NFC");
  return (plain.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? []).map((word) => stemmer(word)).join(" ");
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
