import { isAbsolute, resolve } from "node:path";
import { type EmbeddingModel, MODELS, modelNamed } from "../models.ts";
import { ModelRefused, type ModelSettings } from "./description.ts";

export type ChosenName =
  | { kind: "known"; model: EmbeddingModel }
  | { kind: "hub"; repository: string; commit: string | null }
  | { kind: "folder"; folder: string };

const PART = "[A-Za-z0-9][A-Za-z0-9._-]{0,95}";
const HUB = new RegExp(`^hub:(${PART}/${PART})(?:@([0-9a-f]{40}))?$`);

/**
 * Reads the name of a model: one of `models list`, `hub:<owner>/<name>`, perhaps with `@<commit>`, or the path of a folder.
 * @param name  null for the default
 * @throws ModelRefused
 */
export function chosenName(name: string | null): ChosenName {
  const known = modelNamed(name);
  if (known !== null) return { kind: "known", model: known };
  const text = name ?? "";
  const preset = PRESETS.find((one) => one.name === text.toLowerCase());
  if (preset !== undefined) return { kind: "hub", repository: preset.repository, commit: null };
  if (text.startsWith("hub:")) {
    const [, repository, commit = null] = HUB.exec(text) ?? [];
    if (repository !== undefined) return { kind: "hub", repository, commit };
    throw new ModelRefused(
      "must be hub:<owner>/<name>, or hub:<owner>/<name>@<commit>, where the commit is 40 hexadecimal digits, not a branch",
    );
  }
  if (isAbsolute(text) || /^\.{1,2}([\\/]|$)/.test(text)) return { kind: "folder", folder: resolve(text) };
  const names = [...MODELS, ...PRESETS].map((model) => model.name).join(", ");
  throw new ModelRefused(
    `must be one of ${names}, or hub:<owner>/<name>, or the path of a folder (/… or ./…)`,
  );
}

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
