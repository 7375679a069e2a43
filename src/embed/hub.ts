import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "undici";
import { z } from "zod";
import type { Watch } from "./download.ts";

const HUB = "https://huggingface.co/";

/** Names a repository of the hub at a commit. */
export interface HubSource {
  repository: string;
  commit: string;
  /** The hub has this base URL; the default is the public one. */
  hub?: string | undefined;
}

/** Asks for a file: the first of `paths` that the repository has. */
export interface WantedFile {
  paths: readonly string[];
  /** By default a file that is missing is a failure. */
  optional?: boolean;
  /** More is a failure. */
  bytesMax: number;
}

/**
 * Downloads files of a repository, in order, as they are at the commit. The caller checks their digests, or keeps them.
 * @returns the paths that were there, below `target`
 * @throws Error when the hub cannot be reached, or lacks a required file
 */
export async function fetchFromHub(
  { repository, commit, hub }: HubSource,
  wanted: readonly WantedFile[],
  target: string,
  { signal, progress }: Watch,
): Promise<string[]> {
  const found: string[] = [];
  await withHub(hub, signal, async (get) => {
    for (const { paths, optional = false, bytesMax } of wanted) {
      let answer: Response | null = null;
      let path = "";
      for (path of paths) {
        answer = await get(`${repository}/resolve/${commit}/${path}`);
        if (answer !== null) break;
      }
      if (answer === null && !optional) throw new Error(`the repository has no ${paths.join(", no ")}`);
      if (answer === null) continue;
      const received = progress(
        `${repository} from the hub, ${path}`,
        Number(answer.headers.get("content-length") ?? 0),
      );
      await save(join(target, path), answer.body ?? Readable.from([]), bytesMax, received);
      found.push(path);
    }
  });
  return found;
}

/** Finds the commit that a repository's main branch stands at. */
export function newestCommit(
  { repository, hub }: Omit<HubSource, "commit">,
  signal: AbortSignal,
): Promise<string> {
  return withHub(hub, signal, async (get) => {
    const answer = await get(`api/models/${repository}/revision/main`);
    if (answer === null) throw new Error("the hub does not know it");
    return Revision.parse(await answer.json()).sha;
  });
}

const Revision = z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/) });

/**
 * Runs `work` with a `get` that honours HTTP_PROXY, HTTPS_PROXY and NO_PROXY, follows redirects, and answers null for a 404.
 * A closed network fails within 4 s, a silent server after 30 s.
 */
async function withHub<T>(
  hub: string | undefined,
  signal: AbortSignal,
  work: (get: (path: string) => Promise<Response | null>) => Promise<T>,
): Promise<T> {
  // A board that has its model starts sooner without it.
  const { EnvHttpProxyAgent, fetch } = await import("undici");
  const timeouts = { connect: { timeout: 4000 }, headersTimeout: 30_000, bodyTimeout: 30_000 };
  const dispatcher = new EnvHttpProxyAgent(timeouts);
  try {
    return await work(async (path) => {
      const answer = await fetch(new URL(path, hub ?? HUB), { dispatcher, signal });
      if (answer.status === 200) return answer;
      await answer.body?.cancel();
      if (answer.status === 404) return null;
      throw new Error(`status ${answer.status}`);
    });
  } finally {
    await dispatcher.destroy();
  }
}

async function save(
  path: string,
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
  received: (bytes: number) => void,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const bounded = async function* (chunks: AsyncIterable<Uint8Array>) {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) throw new Error(`more than ${bytesMax} bytes`);
      received(chunk.byteLength);
      yield chunk;
    }
  };
  await pipeline(body, bounded, createWriteStream(path));
}
