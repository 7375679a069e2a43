import type { ModelSettings } from "./description.ts";

/** A model of the hub whose use is known here, although its files are not. */
interface Preset {
  name: string;
  repository: string;
  settings: ModelSettings;
}

/**
 * `multilingual`: prefixes, pooling and dimension as the authors of the E5 family give them. Its cosines were not measured
 * here: their page says that those of all texts lie between 0.7 and 1.
 */
export const PRESETS: readonly Preset[] = [
  {
    name: "multilingual",
    repository: "Xenova/multilingual-e5-small",
    settings: {
      dimension: 384,
      max_tokens: 256,
      pooling: "mean",
      query_prefix: "query: ",
      post_prefix: "passage: ",
      english_only: false,
      cosines: { related: 0.82, doubt: 0.03, unrelated_half: 0.78, unrelated_most: 0.82 },
    },
  },
];

/** What is known of a repository, whatever the commit; nothing for most. */
export const knownSettings = (repository: string): ModelSettings =>
  PRESETS.find((one) => one.repository.toLowerCase() === repository.toLowerCase())?.settings ?? {};
