import { readData } from "../data/read.ts";
import { type CosineScale, REFERENCE_SCALE } from "../ports/embedder.ts";
import type { FileSet } from "./download.ts";

/** The board knows this of an embedding model before it runs. `name` is what `EMBEDDING_MODEL` calls it. */
export interface EmbeddingModel extends FileSet {
  /** Identifies its files. Vectors of different ids cannot be compared. */
  id: string;
  license: string;
  dimension: number;
  /** Longer texts are cut. */
  maxTokens: number;
  /** The vector is made of the states of all tokens, of the first, or of the last. */
  pooling: "mean" | "cls" | "last";
  /** Prefixes are put before queries and before posts, as the model was trained. */
  queryPrefix: string;
  postPrefix: string;
  /** See `Embedder.english`. */
  english: boolean;
  /** The weights have this path below `folder`; null means that nobody knows yet which file the hub has. */
  weights: string | null;
  scale: CosineScale;
  /** A model of the operator's choice comes from there; undefined for the models below. */
  chosen?: { kind: "hub"; repository: string; commit: string } | { kind: "folder" };
}

/** Lists the models, the default first. `src/data/models.jsonl` has them with all their files, by size and SHA-256. */
export const MODELS = readData<Omit<EmbeddingModel, "scale"> & Partial<EmbeddingModel>>("models.jsonl").map(
  (model): EmbeddingModel => ({ scale: REFERENCE_SCALE, ...model }),
) as unknown as readonly [EmbeddingModel, ...EmbeddingModel[]];

/** Finds the model of a name, with or without its owner, in any case; the default without a name; null if there is none. */
export function modelNamed(name: string | null): EmbeddingModel | null {
  if (name === null) return MODELS[0];
  const wanted = name.toLowerCase();
  return MODELS.find((m) => m.name.toLowerCase() === wanted || m.folder.toLowerCase() === wanted) ?? null;
}

/** The vectors that the index keeps have this many dimensions: its kernel takes 16 at a time. */
export const paddedDimension = (dimension: number): number => 16 * Math.ceil(dimension / 16);
