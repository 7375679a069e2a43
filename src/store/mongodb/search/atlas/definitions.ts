import type { Document, IndexDescription, SearchIndexDescription } from "mongodb";

/** The two indexes have these names in the database. They never change, so that a new definition replaces the old one. */
export const WORDS_INDEX = "board_words";
export const MEANING_INDEX = "board_meaning";

/** Filters compare these fields; `_id` allows questions about single posts. */
const TOKENS = ["_id", "state", "kind", "publisher_id", "parent_id", "tags"] as const;
const BOOLEANS = ["is_reply", "syndicated", "pub_verified", "pub_suspended"] as const;
const DATES = ["win_start", "win_end", "expires_at", "created_at"] as const;

/** The words are close to those of `src/search/text/tokens.ts`: case, diacritics and English endings make no difference. */
const WORDS = "board_words";
const TEXT = { type: "string", analyzer: WORDS, searchAnalyzer: WORDS };

/** Gives the indexes as they should be. */
export function definitions(dimension: number): (SearchIndexDescription & { name: string })[] {
  return [
    {
      name: WORDS_INDEX,
      type: "search",
      definition: {
        analyzers: [
          {
            name: WORDS,
            charFilters: [],
            tokenizer: { type: "standard" },
            tokenFilters: [{ type: "icuFolding" }, { type: "porterStemming" }],
          },
        ],
        mappings: {
          dynamic: false,
          fields: {
            ...fieldsOf(TOKENS, { type: "token" }),
            ...fieldsOf(BOOLEANS, { type: "boolean" }),
            ...fieldsOf(DATES, { type: "date" }),
            title: TEXT,
            body: TEXT,
            tags: [{ type: "token" }, TEXT],
            place: { type: "document", fields: { name: TEXT } },
            geo: { type: "geo" },
          },
        },
      },
    },
    {
      name: MEANING_INDEX,
      type: "vectorSearch",
      definition: {
        fields: [
          { type: "vector", path: "vec", numDimensions: dimension, similarity: "cosine" },
          ...[...TOKENS, ...BOOLEANS, ...DATES, "vec_model"].map((path) => ({ type: "filter", path })),
        ],
      },
    },
  ];
}

const fieldsOf = (names: readonly string[], type: Document): Document =>
  Object.fromEntries(names.map((name) => [name, type]));

/** The keys of this index hold what most filters compare. */
export const COUNTED_BY = "list_soonest";
/** This index has the posts of each tag in order. */
export const NEWEST_BY_TAG = "list_tags_newest";
/** Lists hold active posts only. */
const ACTIVE = { partialFilterExpression: { state: "active" } } as const;

/**
 * These indexes of `posts` serve lists by filters alone, beside those of the store (`shown` for a publisher's posts,
 * `thread` for a thread's). Only boards that mongot searches have them. A changed index takes a new name, since processes
 * of two releases may be at work.
 */
export const LIST_INDEXES: readonly (IndexDescription & { name: string })[] = [
  { name: "list_newest", key: { is_reply: 1, kind: 1, created_at: -1, _id: -1 }, ...ACTIVE },
  { name: NEWEST_BY_TAG, key: { tags: 1, created_at: -1, _id: -1 }, ...ACTIVE },
  {
    // The key alone shows what is over or suspended: those posts are not read, and counting reads none at all.
    name: COUNTED_BY,
    key: { is_reply: 1, kind: 1, win_start: 1, _id: 1, win_end: 1, expires_at: 1, pub_suspended: 1 },
    ...ACTIVE,
  },
  // Its keys are in the order of places, so the server sorts what it finds.
  { name: "list_geo", key: { is_reply: 1, kind: 1, geo: "2dsphere", win_end: 1, win_start: 1 }, ...ACTIVE },
  {
    name: "list_source",
    key: { source: 1 },
    partialFilterExpression: { state: "active", source: { $type: "string" } },
  },
  // Mongot may not know these yet.
  { name: "list_changed", key: { updated_at: -1 }, ...ACTIVE },
];
