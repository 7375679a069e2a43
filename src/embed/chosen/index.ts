import { createHash } from "node:crypto";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { innermostReason } from "../download.ts";
import { type FileFetch, inWorkspace, putInPlace, silent } from "../files.ts";
import type { EmbeddingModel } from "../models.ts";
import { DESCRIBING_FILES, describeModel, type ModelDescription } from "./description.ts";
import { downloadFirst, newestCommit, type WantedFile } from "./first-download.ts";
import { type ChosenName, chosenName } from "./name.ts";
import { comparePins, digestsOf, filesOf, type PinnedDigests, readPins, writePins } from "./pins.ts";
import { knownSettings } from "./presets.ts";
import { ModelRefused } from "./refused.ts";

export { ModelRefused } from "./refused.ts";

/** Where models are looked for, and how they are downloaded. */
export type ModelPlaces = Omit<FileFetch, "set">;

const MB = 2 ** 20;
const COMMIT = /^[0-9a-f]{40}$/;
/** What a repository may have of each file; the describing ones are small. */
const DESCRIBING_MAX = MB;
const TOKENIZER_FILES = ["tokenizer.json", "tokenizer_config.json"];
const TOKENIZER_MAX = 64 * MB;
/** The usual places of the weights, the small ones first. */
const WEIGHTS = [
  "onnx/model_quantized.onnx",
  "onnx/model_int8.onnx",
  "onnx/model.onnx",
  "model_quantized.onnx",
  "model.onnx",
];
const WEIGHTS_MAX = 4096 * MB;

/**
 * The model of a name: one that this program knows, one of the hub, or one in a folder. Of a model of the hub it downloads
 * what describes it, some kilobytes, where this machine does not have it yet; `completeModel` does the rest.
 *
 * @param name  as `EMBEDDING_MODEL` has it; null for the default
 * @throws ModelRefused when the name is wrong, the model cannot be used, or a file that describes it changed
 * @throws ModelUnreachable when the description cannot be downloaded now
 */
export async function chooseModel(name: string | null, places: ModelPlaces): Promise<EmbeddingModel> {
  const chosen = chosenName(name);
  if (chosen.kind === "known") return chosen.model;
  const model = chosen.kind === "hub" ? hubModel(chosen, places) : folderModel(chosen.folder, places);
  return model.catch((error: unknown) => {
    throw error instanceof ModelRefused ? new ModelRefused(`${name} ${error.message}`) : error;
  });
}

/** The hub does not answer, or lacks a file, and this machine does not have it. */
export class ModelUnreachable extends Error {
  constructor(name: string, reason: string) {
    super(`${name} cannot be downloaded (${reason})`);
    this.name = "ModelUnreachable";
  }
}

/**
 * The model with all of its files pinned. Those of the hub that were never on this machine are downloaded first.
 * @throws Error when they cannot be
 */
export async function completeModel(model: EmbeddingModel, places: ModelPlaces): Promise<EmbeddingModel> {
  const { chosen } = model;
  if (chosen === undefined || chosen.kind !== "hub") return model;
  const { digests } = await pinsIn(model.folder, places);
  const weights = model.weights ?? WEIGHTS.find((path) => digests[path] !== undefined) ?? null;
  if (weights !== null && [weights, ...TOKENIZER_FILES].every((path) => digests[path] !== undefined)) {
    return { ...model, weights, files: filesOf(digests) };
  }
  const heavy = model.weights === null ? WEIGHTS : [model.weights];
  const wanted = [
    ...TOKENIZER_FILES.map((path) => ({ paths: [path], required: true, bytesMax: TOKENIZER_MAX })),
    { paths: heavy, required: true, bytesMax: WEIGHTS_MAX },
    { paths: heavy.map((path) => `${path}_data`), required: false, bytesMax: WEIGHTS_MAX },
  ];
  const fetched = await pinFirst(chosen, places, wanted, digests);
  const path = heavy.find((one) => fetched[one] !== undefined) ?? null;
  return { ...model, weights: path, files: filesOf(fetched) };
}

async function hubModel(
  chosen: Extract<ChosenName, { kind: "hub" }>,
  places: ModelPlaces,
): Promise<EmbeddingModel> {
  const { repository } = chosen;
  const commit = chosen.commit ?? (await pinnedCommit(repository, places));
  const folder = `${repository}@${commit}`;
  const { digests, own } = await pinsIn(folder, places);
  const folders = [...new Set([places.modelDir, places.cacheDir])].map((base) => join(base, folder));
  let pinned = digests;
  if (Object.keys(digests).length === 0) {
    const wanted = DESCRIBING_FILES.map((path) => ({
      paths: [path],
      required: path === "config.json",
      bytesMax: DESCRIBING_MAX,
    }));
    if (places.offline === true) throw new ModelUnreachable(folder, "downloads are switched off");
    pinned = await pinFirst({ repository, commit }, places, wanted, {}).catch((error: unknown) => {
      throw new ModelUnreachable(folder, innermostReason(error));
    });
  } else {
    const described = DESCRIBING_FILES.filter((path) => digests[path] !== undefined);
    await comparePins(own, described, { digests, hint: `delete ${own} to download it again` });
  }
  const description = await describeModel(folders, knownSettings(repository));
  return modelOf(description, {
    chosen: { kind: "hub", repository, commit },
    name: folder,
    folder,
    repository,
    revision: commit,
    id: folder,
    files: filesOf(pinned),
  });
}

/**
 * The newest commit of a repository at the time when this machine first asked; written down, so that it stays.
 * @throws ModelUnreachable when the hub cannot be asked now and was never asked before
 */
async function pinnedCommit(repository: string, places: ModelPlaces): Promise<string> {
  const fileIn = (base: string) => join(base, `${repository}.commit`);
  for (const base of new Set([places.modelDir, places.cacheDir])) {
    const commit = (await readFile(fileIn(base), "utf8").catch(() => "")).trim();
    if (COMMIT.test(commit)) return commit;
  }
  if (places.offline === true) throw new ModelUnreachable(repository, "downloads are switched off");
  try {
    const commit = await newestCommit(repository, places);
    await mkdir(dirname(fileIn(places.cacheDir)), { recursive: true });
    await writeFile(fileIn(places.cacheDir), `${commit}\n`);
    return commit;
  } catch (error) {
    throw new ModelUnreachable(repository, innermostReason(error));
  }
}

/** A folder holds everything: its files are pinned when they are first seen. */
async function folderModel(folder: string, places: ModelPlaces): Promise<EmbeddingModel> {
  const known = await stat(folder).catch(() => null);
  if (known?.isDirectory() !== true) throw new ModelRefused(`names no folder`);
  const description = await describeModel([folder]);
  const candidates = description.weights === null ? WEIGHTS : [description.weights];
  const paths = [
    ...DESCRIBING_FILES,
    ...TOKENIZER_FILES,
    ...candidates.flatMap((one) => [one, `${one}_data`]),
  ];
  const hash = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  const file = join(places.cacheDir, "pinned", `${hash}.json`);
  const changedHint = `put it back, or delete ${file} to accept it: all posts then get new vectors`;
  let digests = await readPins(file);
  if (digests === null) {
    digests = await digestsOf(folder, paths);
    const lacks = missingIn(digests, candidates);
    if (lacks !== null) throw new ModelRefused(`has no ${lacks} in ${folder}`);
    await writePins(file, digests);
  } else await comparePins(folder, DESCRIBING_FILES, { digests, hint: changedHint });
  const content = createHash("sha256")
    .update(JSON.stringify(Object.entries(digests).sort()))
    .digest("hex");
  const weights = candidates.find((path) => digests[path] !== undefined) ?? null;
  return modelOf(
    { ...description, weights },
    {
      chosen: { kind: "folder", folder },
      name: basename(folder),
      folder,
      revision: null,
      id: `${basename(folder)}/${content.slice(0, 12)}`,
      files: filesOf(digests),
      changedHint,
    },
  );
}

function missingIn(digests: PinnedDigests, weights: readonly string[]): string | null {
  if (!weights.some((path) => digests[path] !== undefined)) return weights.join(", no ");
  return TOKENIZER_FILES.find((path) => digests[path] === undefined) ?? null;
}

function modelOf(
  { english, ...description }: ModelDescription,
  rest: Pick<EmbeddingModel, "chosen" | "name" | "folder" | "revision" | "id" | "files"> &
    Partial<EmbeddingModel>,
): EmbeddingModel {
  return {
    license: "as its authors say",
    registryPackage: null,
    ...description,
    english,
    ...rest,
  };
}

/** The longest list of digests of a hub's model, with its folder; none when this machine never had the model. */
async function pinsIn(folder: string, { modelDir, cacheDir }: ModelPlaces) {
  const places = [...new Set([modelDir, cacheDir])].map(async (base) => {
    const own = join(base, folder);
    const file = pinFileIn(own);
    return { own, file, digests: (await readPins(file)) ?? ({} as PinnedDigests) };
  });
  const count = ({ digests }: { digests: PinnedDigests }) => Object.keys(digests).length;
  return (await Promise.all(places)).reduce((best, one) => (count(one) > count(best) ? one : best));
}

const pinFileIn = (own: string) => join(own, "pinned.json");

/** Downloads files for the first time, puts them in place and pins them. */
async function pinFirst(
  { repository, commit }: { repository: string; commit: string },
  places: ModelPlaces,
  wanted: readonly WantedFile[],
  pinned: PinnedDigests,
): Promise<PinnedDigests> {
  if (places.offline === true) throw new Error("downloads are switched off");
  return inWorkspace(places, async (workspace, signal) => {
    const from = { repository, commit, base: places.hub ?? null };
    const paths = await downloadFirst(from, wanted, workspace, {
      signal,
      progress: places.progress ?? silent,
      label: repository,
    });
    const digests = { ...pinned, ...(await digestsOf(workspace, paths)) };
    const own = join(places.cacheDir, `${repository}@${commit}`);
    await putInPlace(paths, workspace, own);
    await writePins(pinFileIn(own), digests);
    return digests;
  });
}
