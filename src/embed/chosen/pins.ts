import { randomBytes } from "node:crypto";
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { PinnedFile } from "../file-set.ts";
import { sha256Of } from "../files.ts";

const Pins = z.object({
  files: z.record(z.string(), z.object({ bytes: z.int(), sha256: z.string() })),
});

/** Sizes and digests of a model's files, by path, as they were when this machine first had them. */
export type Pins = z.infer<typeof Pins>["files"];

/** The pins of a model's own folder; none where they are missing or damaged, so that its files are downloaded again. */
export async function readPins(own: string): Promise<Pins> {
  try {
    return Pins.parse(JSON.parse(await readFile(fileIn(own), "utf8"))).files;
  } catch {
    return {};
  }
}

/** Writes pins in one step: other processes read the old list or the new one. */
export async function writePins(own: string, files: Pins): Promise<void> {
  const written = `${fileIn(own)}.${randomBytes(4).toString("hex")}`;
  await writeFile(written, `${JSON.stringify({ files }, null, 2)}\n`);
  await rename(written, fileIn(own));
}

const fileIn = (own: string) => join(own, "pinned.json");

/** Sizes and digests of those of the files that are there. */
export async function digestsOf(folder: string, paths: readonly string[]): Promise<Pins> {
  const digests: Pins = {};
  for (const path of paths) {
    const file = join(folder, path);
    const found = await stat(file).catch(() => null);
    if (found?.isFile() === true) digests[path] = { bytes: found.size, sha256: await sha256Of(file) };
  }
  return digests;
}

export const filesOf = (pins: Pins): PinnedFile[] =>
  Object.entries(pins).map(([path, digest]) => ({ path, copies: [digest] }));
