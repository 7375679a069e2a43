import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { describeModel } from "../../src/embed/chosen/description.ts";
import { chooseModel, completeModel, ModelRefused, ModelUnreachable } from "../../src/embed/chosen/index.ts";
import { ensureFiles } from "../../src/embed/files.ts";
import { type EmbeddingModel, MODELS } from "../../src/embed/models.ts";
import { modelIdOf, openEmbedder } from "../../src/embed/transformer.ts";
import type { Embedder } from "../../src/ports/embedder.ts";
import { freePort } from "../support/boards/board-process.ts";
import { useFolder } from "../support/boards/use.ts";
import { serverForTest } from "../support/run/temporary.ts";
import { ensureTestModel } from "../support/search/model.ts";

const [known] = MODELS;
const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const NAME = "multilingual";
const REPOSITORY = "Xenova/multilingual-e5-small";
/** Where the cosines of the default model lie. */
const COSINES = { related: 0.25, doubt: 0.1, unrelated_half: 0.1, unrelated_most: 0.23 };
const work = useFolder();
const embedders: Embedder[] = [];
let modelDir: string;
/** The default model, to compare with. */
let usual: Embedder;

beforeAll(async () => {
  modelDir = await ensureTestModel();
  const log = { info() {}, warn() {} };
  usual = openEmbedder({ mode: "required", model: known, modelDir, cacheDir: modelDir, log });
  expect(await usual.settled()).toBe("ready");
});
afterEach(async () => {
  for (const embedder of embedders.splice(0)) await embedder.close();
});
afterAll(() => usual.close());

const folder = (name: string) => join(work, name);

/** A hub with the real files of the default model under another name, beside what sentence-transformers adds. */
async function hub(
  extra: Record<string, unknown> = {},
  lacks: readonly string[] = [],
  failing: Readonly<Record<string, number>> = {},
) {
  const asked: string[] = [];
  const address = await serverForTest((request, response) => {
    const path = (request.url ?? "")
      .replace(`/${REPOSITORY}/resolve/${COMMIT}/`, "")
      .replace(`/api/models/${REPOSITORY}/revision/main`, "newest");
    asked.push(path);
    const failure = failing[path];
    if (failure !== undefined) return void response.writeHead(failure).end();
    const added = extra[path];
    const file = join(modelDir, known.folder, path);
    try {
      if (path === "newest") {
        response.end(JSON.stringify({ sha: COMMIT }));
        return;
      }
      if (lacks.includes(path)) throw new Error("left out");
      response.end(added === undefined ? readFileSync(file) : JSON.stringify(added));
    } catch {
      response.writeHead(404).end();
    }
  });
  return { hub: address, asked };
}

function opened(model: EmbeddingModel, cacheDir: string, places: { hub?: string } = {}) {
  const warnings: string[] = [];
  const log = { info() {}, warn: (fields: object) => void warnings.push(JSON.stringify(fields)) };
  const embedder = openEmbedder({ mode: "required", model, modelDir, cacheDir, log, ...places });
  embedders.push(embedder);
  return { embedder, warnings };
}

/** A folder with the default model, under a path of its own. */
function copied(name: string, files: Record<string, unknown> = {}): string {
  const own = folder(name);
  cpSync(join(modelDir, known.folder), own, { recursive: true });
  for (const [path, content] of Object.entries({ "agent-board.json": {}, ...files })) {
    const isSettings = path === "agent-board.json";
    write(own, path, isSettings ? { cosines: COSINES, ...(content as object) } : content);
  }
  return own;
}

function write(own: string, path: string, content: unknown): void {
  mkdirSync(dirname(join(own, path)), { recursive: true });
  writeFileSync(join(own, path), typeof content === "string" ? content : JSON.stringify(content));
}

describe("the name of a model", () => {
  const places = () => ({ modelDir, cacheDir: folder("names") });

  it.each([
    ["gpt", /must be one of all-MiniLM-L6-v2, .*multilingual, or the path of a folder/],
    ["/nowhere/at/all", /nowhere\/at\/all names no folder/],
  ])("is refused with the right form: %s", async (name, reason) => {
    const refused = await chooseModel(name, places()).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ModelRefused);
    expect((refused as ModelRefused).message).toMatch(reason);
  });

  it("is the default model's when there is none", async () => {
    expect(await chooseModel(null, places())).toBe(known);
  });
});

describe("what the files of a model say of it", () => {
  const BERT = { hidden_size: 384, vocab_size: 30_522, max_position_embeddings: 512 };
  let count = 0;
  const saidBy = (files: Record<string, unknown>) => {
    count += 1;
    const own = folder(`described-${count}`);
    for (const [path, content] of Object.entries(files)) if (content !== undefined) write(own, path, content);
    return describeModel([own], { cosines: COSINES });
  };

  const ROBERTA = { model_type: "xlm-roberta", max_position_embeddings: 130, pad_token_id: 1 };
  const SETTINGS = "agent-board.json";
  const POOLING = "1_Pooling/config.json";
  const PROMPTS = "config_sentence_transformers.json";
  it.each<[string, object, Record<string, unknown>, object]>([
    [
      "what sentence-transformers writes",
      {},
      {
        "modules.json": [{ type: "x.Transformer" }, { type: "x.Pooling" }, { type: "x.Normalize" }],
        [POOLING]: { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false },
        "sentence_bert_config.json": { max_seq_length: 128, do_lower_case: false },
        [PROMPTS]: { prompts: { query: "query: ", passage: "passage: " } },
      },
      {
        ...{ dimension: 384, maxTokens: 128, pooling: "cls", english: true, weights: null },
        ...{ queryPrefix: "query: ", postPrefix: "passage: ", scale: known.scale },
      },
    ],
    ["the mean of 256 tokens where no file says it", {}, {}, { maxTokens: 256, pooling: "mean" }],
    [
      "what the operator says, first of all",
      ROBERTA,
      {
        [SETTINGS]: {
          pooling: "cls",
          query_prefix: "q: ",
          post_prefix: "p: ",
          max_tokens: 600,
          english_only: false,
          cosines: { ...COSINES, related: 0.3 },
        },
        [POOLING]: { pooling_mode: "lasttoken" },
        [PROMPTS]: { prompts: { query: "query: ", passage: "passage: " } },
      },
      {
        ...{ pooling: "cls", queryPrefix: "q: ", postPrefix: "p: ", maxTokens: 600, english: false },
        scale: { ...known.scale, minCosine: 0.3 },
      },
    ],
    [
      "its sizes at most",
      {},
      { [SETTINGS]: { max_tokens: 2048, dimension: 3968 } },
      { maxTokens: 2048, dimension: 3968 },
    ],
    ["its weights", {}, { [SETTINGS]: { weights: "onnx/model.onnx" } }, { weights: "onnx/model.onnx" }],
    [
      "512 tokens at most",
      { max_position_embeddings: 2048 },
      { "sentence_bert_config.json": { max_seq_length: 600 } },
      { maxTokens: 512 },
    ],
    ["as many tokens as it has positions", { max_position_embeddings: 100 }, {}, { maxTokens: 100 }],
    ["positions of RoBERTa, which begin after the padding", ROBERTA, {}, { maxTokens: 128 }],
    ["the same without a word on padding", { ...ROBERTA, pad_token_id: null }, {}, { maxTokens: 128 }],
    ["one language of 60,000 words", { vocab_size: 60_000 }, {}, { english: true }],
    ["several languages of more", { vocab_size: 60_001 }, {}, { english: false }],
    ["the last token", {}, { [POOLING]: { pooling_mode_lasttoken: true } }, { pooling: "last" }],
    ["a pooling by its name", {}, { [POOLING]: { pooling_mode: "cls" } }, { pooling: "cls" }],
    ["a dimension by another name", { hidden_size: undefined, d_model: 768 }, {}, { dimension: 768 }],
    [
      "other names of prefixes",
      {},
      { [PROMPTS]: { prompts: { search_query: "q: ", search_document: "d: " } } },
      { queryPrefix: "q: ", postPrefix: "d: " },
    ],
  ])("is read as: %s", async (_what, config, files, described) => {
    expect(await saidBy({ "config.json": { ...BERT, ...config }, ...files })).toMatchObject(described);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ["no config.json", { "config.json": undefined }, /no config\.json/],
    ["no dimension", { "config.json": {} }, /set "dimension" in agent-board\.json/],
    ["a file that is no JSON", { "config.json": "{" }, /wrong config\.json \(no JSON\)/],
    ["an unknown setting", { [SETTINGS]: { poling: "cls" } }, /wrong agent-board\.json \(.*poling/],
    ["more tokens", { [SETTINGS]: { max_tokens: 2049 } }, /max_tokens: .*2048/],
    ["fewer tokens", { [SETTINGS]: { max_tokens: 15 } }, /max_tokens: .*16/],
    ["more dimensions", { [SETTINGS]: { dimension: 3969 } }, /dimension: .*3968/],
    [
      "one cosine for all",
      { [SETTINGS]: { cosines: { ...COSINES, unrelated_half: 0.23 } } },
      /must lie below unrelated_most/,
    ],
    ["weights outside", { [SETTINGS]: { weights: "../x.onnx" } }, /weights: must be a path below/],
    [
      "a layer behind the pooling",
      { "modules.json": [{ type: "x.Dense" }] },
      /after its pooling .*choose another/,
    ],
    [
      "another pooling",
      { [POOLING]: { pooling_mode_max_tokens: true } },
      /pools by pooling_mode_max_tokens.*Set "pooling" in agent-board\.json/,
    ],
  ])("is refused with a hint: %s", async (_what, files, reason) => {
    const refused = saidBy({ "config.json": BERT, ...files });
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toBeInstanceOf(ModelRefused);
  });
});

describe("a preset, a model of the hub", () => {
  it("is described at once, downloaded behind, and pinned; the next start asks nobody", async () => {
    const cacheDir = folder("hub");
    const { hub: base, asked } = await hub();
    const model = await chooseModel(NAME, { modelDir, cacheDir, hub: base });
    expect(asked.filter((path) => /onnx|tokenizer/.test(path))).toEqual([]);
    expect(model).toMatchObject({
      name: `${REPOSITORY}@${COMMIT}`,
      revision: COMMIT,
      dimension: 384,
      maxTokens: 256,
      pooling: "mean",
      english: false,
    });
    const { embedder } = opened(model, cacheDir, { hub: base });
    expect(await embedder.settled()).toBe("ready");
    expect(asked).toContain("onnx/model_quantized.onnx");
    for (const [purpose, prefix] of [
      ["query", "query: "],
      ["post", "passage: "],
    ] as const)
      expect(await embedder.embed(["a chair"], purpose)).toEqual(
        await usual.embed([`${prefix}a chair`], purpose),
      );
    expect(embedder.modelId).toContain(COMMIT);

    const before = asked.length;
    const again = await chooseModel(NAME, { modelDir, cacheDir, offline: true });
    expect(again.id).toBe(model.id);
    const set = await completeModel(again, { modelDir, cacheDir, offline: true });
    expect(await ensureFiles({ set, modelDir, cacheDir, offline: true })).toBe(cacheDir);
    expect(asked).toHaveLength(before);
  });

  it("with a changed description is described anew", async () => {
    const cacheDir = folder("changed");
    const { hub: base } = await hub();
    const first = await chooseModel(NAME, { modelDir, cacheDir, hub: base });
    const config = join(cacheDir, first.folder, "config.json");
    writeFileSync(config, readFileSync(config, "utf8").replaceAll("384", "512"));
    const places = { modelDir, cacheDir, offline: true };
    await expect(chooseModel(NAME, places)).rejects.toBeInstanceOf(ModelUnreachable);
    expect(await chooseModel(NAME, { modelDir, cacheDir, hub: base })).toEqual(first);
  });

  it("with changed weights is downloaded again, and refused when the hub sends others than at first", async () => {
    const cacheDir = folder("weights");
    const places = { modelDir, cacheDir };
    const { hub: base } = await hub();
    const model = await completeModel(await chooseModel(NAME, { ...places, hub: base }), {
      ...places,
      hub: base,
    });
    const weights = join(cacheDir, model.folder, "onnx/model_quantized.onnx");
    truncateSync(weights, 1000);
    const other = await hub({ "onnx/model_quantized.onnx": "x".repeat(2000) });
    await expect(ensureFiles({ set: model, ...places, hub: other.hub })).rejects.toThrow(
      /hub: .*model_quantized\.onnx is not the known one/,
    );
    await ensureFiles({ set: model, ...places, hub: base });
    const real = readFileSync(join(modelDir, known.folder, "onnx/model_quantized.onnx"));
    expect(readFileSync(weights).equals(real)).toBe(true);
  });

  it("has the small weights of two, and the file that holds what one file cannot", async () => {
    const cacheDir = folder("two-weights");
    const { hub: base } = await hub(
      { "onnx/model_int8.onnx": "small", "onnx/model_int8.onnx_data": "more" },
      ["onnx/model_quantized.onnx"],
    );
    const places = { modelDir, cacheDir, hub: base };
    const model = await completeModel(await chooseModel(NAME, places), places);
    expect(model.weights).toBe("onnx/model_int8.onnx");
    expect(model.files.map(({ path }) => path).filter((path) => path.startsWith("onnx"))).toEqual([
      "onnx/model_int8.onnx",
      "onnx/model_int8.onnx_data",
    ]);
  });

  it("that cannot be reached, is too large or lacks a file is refused with the reason", async () => {
    const places = { modelDir, cacheDir: folder("unreachable") };
    const closed = `http://127.0.0.1:${await freePort()}/`;
    await expect(chooseModel(NAME, { ...places, hub: closed })).rejects.toBeInstanceOf(ModelUnreachable);
    const large = await hub({ "config.json": "x".repeat(2 ** 20 - 1) });
    await expect(chooseModel(NAME, { ...places, hub: large.hub })).rejects.toThrow("more than 1048576 bytes");
    // A hub that fails says nothing of what it has, not even of a file that a model may lack.
    for (const [path, status] of [
      ["newest", 429],
      ["config.json", 500],
      ["modules.json", 503],
    ] as const) {
      const failing = await hub({}, [], { [path]: status });
      const refused = chooseModel(NAME, {
        modelDir,
        cacheDir: folder(`failing-${status}`),
        hub: failing.hub,
      });
      await expect(refused).rejects.toBeInstanceOf(ModelUnreachable);
      await expect(refused).rejects.toThrow(`cannot be downloaded (status ${status})`);
    }
    const nowhere = await hub({}, [], { newest: 404 });
    const unknown = chooseModel(NAME, { modelDir, cacheDir: folder("nowhere"), hub: nowhere.hub });
    await expect(unknown).rejects.toThrow(`${REPOSITORY} cannot be downloaded (the hub does not know it)`);
    const { hub: base } = await hub({}, ["onnx/model_quantized.onnx"]);
    const { embedder, warnings } = opened(
      await chooseModel(NAME, { ...places, hub: base }),
      places.cacheDir,
      { hub: base },
    );
    expect(await embedder.settled()).toBe("absent");
    expect(warnings.join()).toMatch(/the repository has no onnx\/model_quantized\.onnx, no .*model\.onnx/);
  });
});

describe("a model in a folder", () => {
  it("runs as it lies there, and is another model once its files were exchanged", async () => {
    const cacheDir = folder("folder-cache");
    const own = copied("folder", { "agent-board.json": { max_tokens: 256 } });
    const first = await chooseModel(own, { modelDir, cacheDir });
    const { embedder } = opened(first, cacheDir);
    expect(await embedder.settled()).toBe("ready");
    expect(await embedder.embed(["a chair"], "post")).toEqual(await usual.embed(["a chair"], "post"));

    appendFileSync(join(own, "tokenizer_config.json"), " ");
    const second = await chooseModel(own, { modelDir, cacheDir });
    expect(second.id).not.toBe(first.id);
    const ids = new Set([modelIdOf(second)]);
    cpSync(join(own, "onnx/model_quantized.onnx"), join(own, "other.onnx"));
    for (const other of [{ post_prefix: "p: " }, { query_prefix: "p: " }, { weights: "other.onnx" }]) {
      write(own, "agent-board.json", { cosines: COSINES, max_tokens: 256, ...other });
      ids.add(modelIdOf({ ...(await chooseModel(own, { modelDir, cacheDir })), id: second.id }));
    }
    expect(ids.size).toBe(4);
    write(own, "other.onnx_data", "more");
    expect((await chooseModel(own, { modelDir, cacheDir })).files.map(({ path }) => path)).toContain(
      "other.onnx_data",
    );
  });

  it("makes its vectors of all tokens, of the first, or of the last", async () => {
    const vectors = new Map<string, Float32Array | undefined>();
    for (const pooling of ["mean", "cls", "last"]) {
      const own = copied(`pooled-${pooling}`, { "agent-board.json": { pooling } });
      const { embedder } = opened(await chooseModel(own, { modelDir, cacheDir: own }), own);
      expect(await embedder.settled()).toBe("ready");
      const [vector] = await embedder.embed(["a garden chair"], "post");
      vectors.set(pooling, vector);
    }
    const [mean, cls, last] = [...vectors.values()];
    expect(mean).toEqual((await usual.embed(["a garden chair"], "post"))[0]);
    expect(cls).not.toEqual(mean);
    expect(last).not.toEqual(mean);
    expect(last).not.toEqual(cls);
  });

  it("asks for four numbers where nobody knows its cosines", async () => {
    const own = copied("numbers");
    write(own, "agent-board.json", {});
    await expect(chooseModel(own, { modelDir, cacheDir: folder("numbers-cache") })).rejects.toThrow(
      /where its cosines lie: set four numbers in agent-board\.json in .*numbers/,
    );
  });

  it("without weights or tokenizer is refused", async () => {
    const own = copied("bare");
    rmSync(join(own, "onnx"), { recursive: true });
    const places = { modelDir, cacheDir: folder("bare-cache") };
    await expect(chooseModel(own, places)).rejects.toThrow(/has no onnx\/model_quantized\.onnx, no /);
    cpSync(join(modelDir, known.folder, "onnx"), join(own, "onnx"), { recursive: true });
    rmSync(join(own, "tokenizer.json"));
    await expect(chooseModel(own, places)).rejects.toThrow(/has no tokenizer\.json/);
  });

  it("whose vectors are not of the dimension it claims is absent, and the log says so", async () => {
    const cacheDir = folder("claims-cache");
    const own = copied("claims", { "agent-board.json": { dimension: 256 } });
    const { embedder, warnings } = opened(await chooseModel(own, { modelDir, cacheDir }), cacheDir);
    expect(await embedder.settled()).toBe("absent");
    expect(warnings.join()).toMatch(/vectors of 384 dimensions, not of 256/);
  });
});
