import { join } from "node:path";
import type { FileSet, PinnedFile } from "./file-set.ts";
import { ensureFiles, type FileFetch, type FileSearch, findFiles } from "./files.ts";

/** The package whose native libraries run the model. Its digests below belong to this version. */
const PACKAGE = { name: "onnxruntime-node", version: "1.30.0", bytes: 113_507_888 };

/** What the model needs of the package's 290 MB, by platform and processor. */
const LIBRARIES: Readonly<Record<string, readonly PinnedFile[]>> = {
  "darwin-arm64": [
    pinned(
      "libonnxruntime.1.dylib",
      44_589_928,
      "685d2be5dba1309c89d3a5324b7fd06a5c42f1a61bfea32d14c4cc28d072121d",
    ),
    pinned(
      "onnxruntime_binding.node",
      266_840,
      "a3f993357759b06ae2411f70af60f5e041d04521ea7f0d12cb7546e411a527dd",
    ),
  ],
  "linux-arm64": [
    pinned(
      "libonnxruntime.so.1",
      25_135_496,
      "1f549d46250b005580b597f4164984aaf75b3bcb9f3aeb07c7f8a8fe60b23c76",
    ),
    pinned(
      "onnxruntime_binding.node",
      394_648,
      "afec78dc11d38dc81605b068cefe1fc73ffe77ca240c15468aa40786150beac8",
    ),
  ],
  "linux-x64": [
    pinned(
      "libonnxruntime.so.1",
      45_828_512,
      "ffb75a925ba05e47b235bb66e3e3911714a80b328a9c9425539feb204aa32a23",
    ),
    pinned(
      "onnxruntime_binding.node",
      389_488,
      "ccdc60b981d93a490cf9513d3f583547252b6e285b72988a96a494f2f006c7b8",
    ),
  ],
  "win32-arm64": [
    pinned("onnxruntime.dll", 29_815_136, "6c3a2abf5c6aca11c48a0d338a91af309f2266f25ce2e4084e6a87bbcb0fbfd0"),
    pinned("DirectML.dll", 18_444_600, "aaf72a9d55aa123e0708d957d30dd4fbeb7a2e335ec6257ed5ff4261a402b9ee"),
    pinned(
      "onnxruntime_binding.node",
      422_200,
      "d8179924f15c2d3c1c8a75c50adf1671ec28c7f1cb0da9fc28b17daa02c5ecf5",
    ),
  ],
  "win32-x64": [
    pinned("onnxruntime.dll", 28_754_232, "508c362f5673483dd3a086379c392795b2e42d10d5e6f3f90ebd7ac21c97af67"),
    pinned("DirectML.dll", 18_527_584, "234e8898778cdec88d3cb0539508273494082812c968699f3de665a018971625"),
    pinned(
      "onnxruntime_binding.node",
      298_848,
      "ddd428464069b84414d34ec1796c7c2a69c33a976e4b0390692629e394f92fa1",
    ),
  ],
};

/**
 * The ONNX runtime's native libraries for a machine. They are fetched as the model is: npm would install those of all
 * platforms, and run a script that downloads more. See docs/decisions/0002-embeddings.md.
 * @returns null where there is none: on other platforms the board searches by words
 */
export function runtimeFor(platform: string, processor: string): FileSet | null {
  const files = LIBRARIES[`${platform}-${processor}`];
  if (files === undefined) return null;
  const inside = `bin/napi-v6/${platform}/${processor}`;
  return {
    name: `${PACKAGE.name} ${PACKAGE.version}`,
    folder: `${PACKAGE.name}/${inside}`,
    revision: null,
    files,
    registryPackage: { ...PACKAGE, folder: inside },
  };
}

/** The folder of this machine's libraries, below a model folder; or null. */
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
  const found = await findRuntime(fetch);
  if (found !== null) return found;
  const set = runtimeFor(process.platform, process.arch);
  if (set === null) {
    throw new Error(`${PACKAGE.name} has no libraries for ${process.platform} on ${process.arch}`);
  }
  return join(await ensureFiles({ ...fetch, set }), set.folder);
}

function pinned(path: string, bytes: number, sha256: string): PinnedFile {
  return { path, copies: [{ bytes, sha256 }] };
}
