import { join } from "node:path";
import { readData } from "../data/read.ts";
import type { FileSet, PinnedFile } from "./download.ts";
import { ensureFiles, type FileFetch, type FileSearch, findFiles } from "./files.ts";

/**
 * The native libraries of this package run the model; it lists what the model needs of their 290 MB, by platform and
 * processor. The digests belong to this version.
 */
const [LIBRARIES] = readData<{
  name: string;
  version: string;
  bytes: number;
  files: Readonly<Record<string, readonly PinnedFile[]>>;
}>("runtime.json");

/**
 * Names the ONNX runtime's native libraries for a machine. They are fetched as the model is: npm would install those of all
 * platforms, and run a script that downloads more. See docs/decisions/0002-embeddings.md.
 * @returns null where there is none: on other platforms the board searches by words
 */
export function runtimeFor(platform: string, processor: string): FileSet | null {
  const files = LIBRARIES?.files[`${platform}-${processor}`];
  if (LIBRARIES === undefined || files === undefined) return null;
  const { name, version, bytes } = LIBRARIES;
  const inside = `bin/napi-v6/${platform}/${processor}`;
  return {
    name: `${name} ${version}`,
    folder: `${name}/${inside}`,
    revision: null,
    files,
    registryPackage: { name, version, bytes, folder: inside },
  };
}

/** Finds the folder of this machine's libraries, below a model folder; or null. */
export async function findRuntime(folders: Omit<FileSearch, "set">): Promise<string | null> {
  const set = runtimeFor(process.platform, process.arch);
  if (set === null) return null;
  const found = await findFiles({ set, ...folders });
  return found === null ? null : join(found, set.folder);
}

/**
 * Finds this machine's libraries, or downloads them into `cacheDir`.
 * @throws FilesMissing, or an Error when there are none for this machine
 */
export async function ensureRuntime(fetch: Omit<FileFetch, "set">): Promise<string> {
  const set = runtimeFor(process.platform, process.arch);
  if (set === null) throw new Error(`there is no runtime for ${process.platform} on ${process.arch}`);
  return join(await ensureFiles({ ...fetch, set }), set.folder);
}
