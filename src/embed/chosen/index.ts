import { createHash, randomBytes } from "node:crypto";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { innermostReason, type PinnedFile } from "../download.ts";
import { type FileFetch, findFiles, inWorkspace, putInPlace, sha256Of } from "../files.ts";
import { fetchFromHub, newestCommit, type WantedFile } from "../hub.ts";
import type { EmbeddingModel } from "../models.ts";
import { DESCRIBING_FILES, describeModel, ModelRefused } from "./description.ts";
import { chosenName, type Preset } from "./name.ts";

export { ModelRefused } from "./description.ts";

/** Tells where models are looked for, and how they are downloaded. */
export type ModelPlaces = Omit<FileFetch, "set">;

const MB = 2 ** 20;
const COMMIT = /^[0-9a-f]{40}$/;
/** A repository may have this much of each file; the describing ones are small. */
const DESCRIBING_MAX = MB;
const TOKENIZER_FILES = ["tokenizer.json", "tokenizer_config.json"];
const TOKENIZER_MAX = 64 * MB;
/** Weights usually lie in these places, the small ones first. */
const WEIGHTS = [
  "onnx/model_quantized.onnx",
  "onnx/model_int8.onnx",
  "onnx/model.onnx",
  "model_quantized.onnx",
  "model.onnx",
];
const WEIGHTS_MAX = 4096 * MB;
const OFFLINE = "downloads are switched off";
const UNLISTED = { license: "as its authors say", registryPackage: null };

/**
 * Finds the model of a name: one that this program knows, a preset, or one in a folder. Of a preset it downloads the files
 * that describe it, some kilobytes, unless this machine has them; `completeModel` downloads the others.
 *
 * @param name  as `EMBEDDING_MODEL` has it; null for the default
 * @throws ModelRefused when the name is wrong, or the model cannot be used
 * @throws ModelUnreachable when the description cannot be downloaded now
 */
export async function chooseModel(name: string | null, places: ModelPlaces): Promise<EmbeddingModel> {
  const chosen = chosenName(name);
  if (chosen.kind === "known") return chosen.model;
  const model = chosen.kind === "preset" ? presetModel(chosen.preset, places) : folderModel(chosen.folder);
  return model.catch((error: unknown) => {
    throw error instanceof ModelRefused ? new ModelRefused(`${name} ${error.message}`) : error;
  });
}

/** Fails when the hub does not answer, or lacks a file, and this machine does not have it. */
export class ModelUnreachable extends Error {
  constructor(name: string, reason: string) {
    super(`${name} cannot be downloaded (${reason})`);
    this.name = "ModelUnreachable";
  }
}

/**
 * Gives the model with all of its files pinned. Those of the hub that were never on this machine are downloaded first.
 * @throws Error when they cannot be
 */
export async function completeModel(model: EmbeddingModel, places: ModelPlaces): Promise<EmbeddingModel> {
  const { chosen } = model;
  if (chosen?.kind !== "hub") return model;
  const weightPaths = model.weights === null ? WEIGHTS : [model.weights];
  let pins = await pinsOf(model.folder, places);
  if (missingIn(pins, weightPaths) !== null) {
    const wanted = [
      ...TOKENIZER_FILES.map((path) => ({ paths: [path], bytesMax: TOKENIZER_MAX })),
      { paths: weightPaths, bytesMax: WEIGHTS_MAX },
      { paths: weightPaths.map((path) => `${path}_data`), bytesMax: WEIGHTS_MAX, optional: true },
    ];
    pins = await pinFirst(chosen, places, wanted, pins);
  }
  return { ...model, weights: weightsIn(pins, weightPaths), files: filesOf(pins) };
}

async function presetModel({ repository, settings }: Preset, places: ModelPlaces): Promise<EmbeddingModel> {
  const commit = await pinnedCommit(repository, places);
  const name = `${repository}@${commit}`;
  const model = {
    ...UNLISTED,
    id: name,
    name,
    folder: name,
    repository,
    revision: commit,
    chosen: { kind: "hub" as const, repository, commit },
  };
  let pins = await pinsOf(name, places);
  const files = filesOf(pins).filter(({ path }) => DESCRIBING_FILES.some((one) => one === path));
  const isThere = files.length > 0 && (await findFiles({ ...places, set: { ...model, files } })) !== null;
  if (!isThere) {
    const wanted = DESCRIBING_FILES.map((path) => ({
      paths: [path],
      bytesMax: DESCRIBING_MAX,
      optional: path !== "config.json",
    }));
    pins = await pinFirst(model.chosen, places, wanted, pins).catch((error: unknown) => {
      throw new ModelUnreachable(name, innermostReason(error));
    });
  }
  const folders = [...new Set([places.modelDir, places.cacheDir])].map((base) => join(base, name));
  return {
    ...model,
    ...(await describeModel(folders, settings)),
    files: filesOf(pins),
  };
}

/**
 * Pins the newest commit of a repository at the time when this machine first asked. It is written to a file, so that it
 * stays.
 * @throws ModelUnreachable when the hub cannot be asked now and was never asked before
 */
async function pinnedCommit(repository: string, places: ModelPlaces): Promise<string> {
  const fileIn = (base: string) => join(base, `${repository}.commit`);
  for (const base of new Set([places.modelDir, places.cacheDir])) {
    const commit = (await readFile(fileIn(base), "utf8").catch(() => "")).trim();
    if (COMMIT.test(commit)) return commit;
  }
  try {
    if (places.offline === true) throw new Error(OFFLINE);
    const { hub, signal = new AbortController().signal } = places;
    const commit = await newestCommit({ repository, hub }, signal);
    await mkdir(dirname(fileIn(places.cacheDir)), { recursive: true });
    await writeFile(fileIn(places.cacheDir), `${commit}\n`);
    return commit;
  } catch (error) {
    throw new ModelUnreachable(repository, innermostReason(error));
  }
}

/** A folder holds everything. Its files name the model: with others, it is another one. */
async function folderModel(folder: string): Promise<EmbeddingModel> {
  const known = await stat(folder).catch(() => null);
  if (known?.isDirectory() !== true) throw new ModelRefused("names no folder");
  const description = await describeModel([folder]);
  const weightPaths = description.weights === null ? WEIGHTS : [description.weights];
  const weights = weightPaths.flatMap((path) => [path, `${path}_data`]);
  const pins = await digestsOf(folder, [...DESCRIBING_FILES, ...TOKENIZER_FILES, ...weights]);
  const lacks = missingIn(pins, weightPaths);
  if (lacks !== null) throw new ModelRefused(`has no ${lacks} in ${folder}`);
  const content = createHash("sha256").update(JSON.stringify(Object.entries(pins).sort()));
  const name = basename(folder);
  return {
    ...UNLISTED,
    ...description,
    id: `${name}/${content.digest("hex").slice(0, 12)}`,
    name,
    folder,
    revision: null,
    weights: weightsIn(pins, weightPaths),
    files: filesOf(pins),
    chosen: { kind: "folder" },
  };
}

const weightsIn = (pins: Pins, candidates: readonly string[]): string | null =>
  candidates.find((path) => pins[path] !== undefined) ?? null;

function missingIn(pins: Pins, weights: readonly string[]): string | null {
  if (weightsIn(pins, weights) === null) return weights.join(", no ");
  return TOKENIZER_FILES.find((path) => pins[path] === undefined) ?? null;
}

/** Reads the pins of a hub's model, the longer list of two; none when this machine never had the model. */
async function pinsOf(folder: string, { modelDir, cacheDir }: ModelPlaces): Promise<Pins> {
  const [first, second] = [await readPins(join(modelDir, folder)), await readPins(join(cacheDir, folder))];
  return Object.keys(second).length > Object.keys(first).length ? second : first;
}

/** Downloads files for the first time, puts them in place and pins them. */
async function pinFirst(
  { repository, commit }: { repository: string; commit: string },
  places: ModelPlaces,
  wanted: readonly WantedFile[],
  pinned: Pins,
): Promise<Pins> {
  if (places.offline === true) throw new Error(OFFLINE);
  return inWorkspace(places, async (workspace, watch) => {
    const paths = await fetchFromHub({ repository, commit, hub: places.hub }, wanted, workspace, watch);
    const pins = { ...pinned, ...(await digestsOf(workspace, paths)) };
    const own = join(places.cacheDir, `${repository}@${commit}`);
    await putInPlace(paths, workspace, own);
    await writePins(own, pins);
    return pins;
  });
}

const Pins = z.object({
  files: z.record(z.string(), z.object({ bytes: z.int(), sha256: z.string() })),
});

/** Pins sizes and digests of a model's files, by path, as they were when this machine first had them. */
type Pins = z.infer<typeof Pins>["files"];

/** Reads the pins of a model's own folder; none where they are missing or damaged, so that its files are downloaded again. */
async function readPins(own: string): Promise<Pins> {
  try {
    return Pins.parse(JSON.parse(await readFile(fileIn(own), "utf8"))).files;
  } catch {
    return {};
  }
}

/** Writes pins in one step: other processes read the old list or the new one. */
async function writePins(own: string, files: Pins): Promise<void> {
  const written = `${fileIn(own)}.${randomBytes(4).toString("hex")}`;
  await writeFile(written, `${JSON.stringify({ files }, null, 2)}\n`);
  await rename(written, fileIn(own));
}

const fileIn = (own: string) => join(own, "pinned.json");

/** Takes sizes and digests of those of the files that are there. */
async function digestsOf(folder: string, paths: readonly string[]): Promise<Pins> {
  const digests: Pins = {};
  for (const path of paths) {
    const file = join(folder, path);
    const found = await stat(file).catch(() => null);
    if (found?.isFile() === true) digests[path] = { bytes: found.size, sha256: await sha256Of(file) };
  }
  return digests;
}

const filesOf = (pins: Pins): PinnedFile[] =>
  Object.entries(pins).map(([path, digest]) => ({ path, copies: [digest] }));
