import { createHash } from "node:crypto";
import type { Document, SearchIndexDescription } from "mongodb";

/** Names of the two indexes in the database. They never change, so that a new definition replaces the old one. */
export const WORDS_INDEX = "board_words";
export const MEANING_INDEX = "board_meaning";

/** Fields that filters compare; `_id` allows questions about single posts. */
const TOKENS = ["_id", "state", "kind", "publisher_id", "parent_id", "tags"] as const;
const BOOLEANS = ["is_reply", "syndicated", "pub_verified", "pub_suspended"] as const;
const DATES = ["win_start", "win_end", "expires_at", "created_at"] as const;

/** Close to the words of `src/search/tokens.ts`: case, diacritics and English endings make no difference. */
const WORDS = "board_words";
const TEXT = { type: "string", analyzer: WORDS, searchAnalyzer: WORDS };

/** The indexes as they should be. */
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

/** Equal for equal definitions, whatever the order of their keys. */
export function definitionHash(definition: unknown): string {
  const sorted = (_key: string, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return createHash("sha256").update(JSON.stringify(definition, sorted)).digest("hex");
}

const fieldsOf = (names: readonly string[], type: Document): Document =>
  Object.fromEntries(names.map((name) => [name, type]));
