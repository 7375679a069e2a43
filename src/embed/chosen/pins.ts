import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { PinnedFile } from "../file-set.ts";
import { sha256Of } from "../files.ts";
import { ModelRefused } from "./refused.ts";

const Pins = z.strictObject({
  files: z.record(z.string(), z.strictObject({ bytes: z.int(), sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
});

/** Sizes and digests of a model's files, as they were when this machine first had them. */
export type PinnedDigests = z.infer<typeof Pins>["files"];

/** @throws ModelRefused for a file that is no list of pins */
export async function readPins(file: string): Promise<PinnedDigests | null> {
  const text = await readFile(file, "utf8").catch(() => null);
  if (text === null) return null;
  try {
    return Pins.parse(JSON.parse(text)).files;
  } catch {
    throw new ModelRefused(`has a damaged list of digests, ${file}: delete it to pin the files anew`);
  }
}

/** Writes pins in one step: other processes read the old list or the new one. */
export async function writePins(file: string, files: PinnedDigests): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const written = `${file}.${randomBytes(4).toString("hex")}`;
  await writeFile(written, `${JSON.stringify({ files }, null, 2)}\n`);
  await rename(written, file);
}

/** Sizes and digests of those of the files that are there. */
export async function digestsOf(folder: string, paths: readonly string[]): Promise<PinnedDigests> {
  const digests: PinnedDigests = {};
  for (const path of paths) {
    const file = join(folder, path);
    const found = await stat(file).catch(() => null);
    if (found?.isFile() === true) digests[path] = { bytes: found.size, sha256: await sha256Of(file) };
  }
  return digests;
}

/** @throws ModelRefused when one of the files is not the pinned one, or came or went since */
export async function comparePins(
  folder: string,
  paths: readonly string[],
  pins: { digests: PinnedDigests; hint: string },
): Promise<void> {
  const found = await digestsOf(folder, paths);
  const other = paths.find((path) => found[path]?.sha256 !== pins.digests[path]?.sha256);
  if (other === undefined) return;
  throw new ModelRefused(`has another ${other} in ${folder} than at first; ${pins.hint}`);
}

export const filesOf = (digests: PinnedDigests): PinnedFile[] =>
  Object.entries(digests).map(([path, digest]) => ({ path, copies: [digest] }));
