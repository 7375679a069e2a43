import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { CosineScale } from "../../ports/embedder.ts";

/** Says in one sentence that a model cannot be used, and what to do about it. */
export class ModelRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "ModelRefused";
  }
}

/** The operator's own settings lie beside the model's files. */
const SETTINGS_FILE = "agent-board.json";

/** These files say how a model is used, below its folder. Only the first is required. */
export const DESCRIBING_FILES = [
  "config.json",
  "modules.json",
  "sentence_bert_config.json",
  "config_sentence_transformers.json",
  "1_Pooling/config.json",
] as const;

type Pooling = "mean" | "cls" | "last";

export interface ModelDescription {
  dimension: number;
  maxTokens: number;
  pooling: Pooling;
  queryPrefix: string;
  postPrefix: string;
  /** False where it reads other languages than English. */
  english: boolean;
  /** The weights are there, below the folder; null means the first of the usual places. */
  weights: string | null;
  scale: CosineScale;
}

const cosine = z.number().min(-1).max(1);
/** docs/install.md says how to find the four numbers. */
const Cosines = z
  .strictObject({
    /** These are `CosineScale.minCosine` and `margin`. */
    related: cosine,
    doubt: z.number().min(0).max(1),
    /** Half of unrelated texts lie below the first, nine of ten below the second. */
    unrelated_half: cosine,
    unrelated_most: cosine,
  })
  .refine((of) => of.unrelated_half < of.unrelated_most, "unrelated_half must lie below unrelated_most");

const Settings = z.strictObject({
  cosines: Cosines.optional(),
  dimension: z.int().min(16).max(3968).optional(),
  max_tokens: z.int().min(16).max(2048).optional(),
  pooling: z.enum(["mean", "cls", "last"]).optional(),
  query_prefix: z.string().max(1000).optional(),
  post_prefix: z.string().max(1000).optional(),
  english_only: z.boolean().optional(),
  weights: z
    .string()
    .regex(/^(?!.*\.\.)[\w][\w./-]*\.onnx$/, "must be a path below the folder that ends with .onnx")
    .optional(),
});

/** `agent-board.json` may say this. */
export type ModelSettings = z.infer<typeof Settings>;

const count = z.int().positive().optional().catch(undefined);
const Config = z.object({
  hidden_size: count,
  d_model: count,
  dim: count,
  max_position_embeddings: count,
  vocab_size: count,
  pad_token_id: z.int().nullish().catch(undefined),
  model_type: z.string().optional().catch(undefined),
});
const Modules = z.array(z.object({ type: z.string() }));
const Sentences = z.object({ max_seq_length: count });
const Prompts = z.object({ prompts: z.record(z.string(), z.string().nullable()).optional() });
const PoolingModes = z.record(z.string(), z.unknown());

/** Longer texts cost time in proportion, and notices are short. */
const TOKENS_MAX = 512;
const TOKENS_USUAL = 256;
/** Vocabularies of one language have some 30,000 to 50,000 entries, those of many 100,000 and more. */
const ONE_LANGUAGE_MAX = 60_000;
const QUERY_PROMPTS = ["query", "search_query", "retrieval.query", "s2p_query"];
const POST_PROMPTS = ["passage", "document", "search_document", "retrieval.passage", "corpus"];

/**
 * Reads how a model is used from its own files, as sentence-transformers writes them, and from `agent-board.json`.
 * @param folders  looked at in order, for each file
 * @param known  what is known here of the model; `agent-board.json` wins over it
 * @throws ModelRefused for a model that needs what this board does not do, or for a wrong file
 */
export async function describeModel(
  folders: readonly string[],
  known: ModelSettings = {},
): Promise<ModelDescription> {
  const read = <Shape>(path: string, shape: z.ZodType<Shape>) => readJson(folders, path, shape);
  const config = await read("config.json", Config);
  if (config === null) throw new ModelRefused(`has no config.json in ${folders.join(" or ")}`);
  const settings = { ...known, ...(await read(SETTINGS_FILE, Settings)) };
  const modules = (await read("modules.json", Modules)) ?? [];
  const dense = modules.find(({ type }) => !/(Transformer|Pooling|Normalize)$/.test(type));
  if (dense !== undefined) {
    throw new ModelRefused(
      `has a layer after its pooling (${dense.type.slice(0, 80)}), which this board does not run: choose another model`,
    );
  }
  const { cosines } = settings;
  if (cosines === undefined) {
    throw new ModelRefused(
      `does not say where its cosines lie: set four numbers in ${SETTINGS_FILE} in ${folders.at(-1)}, such as "cosines": { "related": 0.25, "doubt": 0.1, "unrelated_half": 0.1, "unrelated_most": 0.23 }; docs/install.md says how to find them`,
    );
  }
  const pooling = settings.pooling ?? poolingOf(await read("1_Pooling/config.json", PoolingModes));
  const width = config.hidden_size ?? config.d_model ?? config.dim;
  const dimension = settings.dimension ?? width;
  if (dimension === undefined) {
    throw new ModelRefused(`does not say its dimension: set "dimension" in ${SETTINGS_FILE}`);
  }
  const prompts = (await read("config_sentence_transformers.json", Prompts))?.prompts ?? {};
  const prompt = (names: readonly string[]) => names.map((name) => prompts[name]).find((text) => text) ?? "";
  const sentences = await read("sentence_bert_config.json", Sentences);
  return {
    dimension,
    maxTokens: settings.max_tokens ?? tokensOf(config, sentences?.max_seq_length),
    pooling,
    queryPrefix: settings.query_prefix ?? prompt(QUERY_PROMPTS),
    postPrefix: settings.post_prefix ?? prompt(POST_PROMPTS),
    english: settings.english_only ?? (config.vocab_size ?? 0) <= ONE_LANGUAGE_MAX,
    weights: settings.weights ?? null,
    scale: {
      minCosine: cosines.related,
      margin: cosines.doubt,
      unrelated: { median: cosines.unrelated_half, high: cosines.unrelated_most },
    },
  };
}

/** The mean is taken where no file says it, as nearly all models of sentences do. */
function poolingOf(modes: Record<string, unknown> | null): Pooling {
  if (modes === null) return "mean";
  const on = Object.keys(modes).filter((mode) => mode.startsWith("pooling_mode_") && modes[mode] === true);
  const named = typeof modes["pooling_mode"] === "string" ? [`pooling_mode_${modes["pooling_mode"]}`] : on;
  const [mode = ""] = named;
  const pooling = POOLING[mode.replace(/^pooling_mode_/, "").replace(/_tokens?$/, "")];
  if (pooling !== undefined && named.length === 1) return pooling;
  throw new ModelRefused(
    `pools by ${named.join(" and ").slice(0, 200) || "nothing"}; this board knows the mean, the first token and the last. Set "pooling" in ${SETTINGS_FILE} if one of them will do`,
  );
}

const POOLING: Readonly<Record<string, Pooling>> = { mean: "mean", cls: "cls", lasttoken: "last" };

function tokensOf(config: z.infer<typeof Config>, said: number | undefined): number {
  // Positions of RoBERTa and its kin begin after the padding.
  const offset = /roberta|camembert|mpnet/.test(config.model_type ?? "") ? (config.pad_token_id ?? 1) + 1 : 0;
  const positions = (config.max_position_embeddings ?? TOKENS_MAX + offset) - offset;
  return Math.min(said ?? TOKENS_USUAL, positions, TOKENS_MAX);
}

async function readJson<Shape>(folders: readonly string[], path: string, shape: z.ZodType<Shape>) {
  for (const folder of folders) {
    const text = await readFile(join(folder, path), "utf8").catch(() => null);
    if (text === null) continue;
    try {
      return shape.parse(JSON.parse(text));
    } catch (error) {
      const why = error instanceof z.ZodError ? faultsIn(error) : "no JSON";
      throw new ModelRefused(`has a wrong ${path} (${why})`);
    }
  }
  return null;
}

const faultsIn = (error: z.ZodError) =>
  error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": ")).join("; ");
