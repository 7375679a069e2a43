import { isAbsolute, resolve } from "node:path";
import { type EmbeddingModel, MODELS, modelNamed } from "../models.ts";
import { ModelRefused, type ModelSettings } from "./description.ts";

export type ChosenName =
  | { kind: "known"; model: EmbeddingModel }
  | { kind: "preset"; preset: Preset }
  | { kind: "folder"; folder: string };

/**
 * Reads the name of a model: one of `models list`, or the path of a folder.
 * @param name  null for the default
 * @throws ModelRefused
 */
export function chosenName(name: string | null): ChosenName {
  const known = modelNamed(name);
  if (known !== null) return { kind: "known", model: known };
  const text = name ?? "";
  const preset = PRESETS.find((one) => one.name === text.toLowerCase());
  if (preset !== undefined) return { kind: "preset", preset };
  if (isAbsolute(text) || /^\.{1,2}([\\/]|$)/.test(text)) return { kind: "folder", folder: resolve(text) };
  const names = [...MODELS, ...PRESETS].map((model) => model.name).join(", ");
  throw new ModelRefused(`must be one of ${names}, or the path of a folder (/… or ./…)`);
}

/** The use of this model of the hub is known here, although its files are not. */
export interface Preset {
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
