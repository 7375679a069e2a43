import { join } from "node:path";
import { z } from "zod";
import { BadStatus, type ProgressFactory, saveTo, showing, urlBelow, withClient } from "../download.ts";
import { HUB, hubPath } from "../hub.ts";

const ASK_MS = 20_000;

/** A file that is wanted of a repository: the first of `paths` that it has. */
export interface WantedFile {
  paths: readonly string[];
  required: boolean;
  bytesMax: number;
}

const Revision = z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/) });

/**
 * The commit that a repository's main branch stands at.
 * @throws Error when the hub cannot be asked, or does not know the repository
 */
export async function newestCommit(
  repository: string,
  { hub, signal }: { hub?: string; signal?: AbortSignal },
): Promise<string> {
  const bounded = AbortSignal.any([AbortSignal.timeout(ASK_MS), ...(signal === undefined ? [] : [signal])]);
  let text = "";
  await withClient(bounded, async (get) => {
    const body = await get(urlBelow(hub ?? HUB, `api/models/${repository}/revision/main`));
    for await (const chunk of body) text += Buffer.from(chunk).toString("utf8");
  });
  return Revision.parse(JSON.parse(text)).sha;
}

/**
 * Downloads files whose digests nobody knows yet, in order. What makes them the right ones is the commit, over TLS; their
 * digests are pinned by the caller.
 * @param from.base  of the hub; null: the public one
 * @returns the paths that were there, below `target`
 * @throws Error when the hub cannot be reached, or lacks a required file
 */
export async function downloadFirst(
  from: { repository: string; commit: string; base: string | null },
  wanted: readonly WantedFile[],
  target: string,
  { signal, progress, label }: { signal: AbortSignal; progress: ProgressFactory; label: string },
): Promise<string[]> {
  const found: string[] = [];
  await withClient(signal, async (get) => {
    const open = async (paths: readonly string[]) => {
      for (const path of paths) {
        try {
          return { path, body: await get(urlBelow(from.base ?? HUB, hubPath(from, path))) };
        } catch (error) {
          if (!(error instanceof BadStatus && error.status === 404)) throw error;
        }
      }
      return null;
    };
    for (const { paths, required, bytesMax } of wanted) {
      const opened = await open(paths);
      if (opened === null && required) throw new Error(`the repository has no ${paths.join(", no ")}`);
      if (opened === null) continue;
      const { path, body } = opened;
      const bar = progress(`${label}, ${path}`, body.bytes ?? 0);
      const file = join(target, path);
      await showing(bar, () => saveTo(file, body, bytesMax, (bytes) => bar.advance(bytes)));
      found.push(path);
    }
  });
  return found;
}
