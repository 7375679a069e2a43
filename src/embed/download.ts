import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { EnvHttpProxyAgent, fetch } from "undici";
import type { FileSet } from "./file-set.ts";

/** Shows how far a download has come; `src/cli/progress.ts` has one for terminals. */
export type ProgressFactory = (label: string, totalBytes: number) => ProgressBar;

interface ProgressBar {
  advance(bytes: number): void;
  done(note?: string): void;
}

/** What a source of files is given. */
export interface Download {
  set: FileSet;
  /** The set's own folder; the source makes it. */
  target: string;
  signal: AbortSignal;
  progress: ProgressFactory;
  /** Base URL, or null for the source's default. */
  base: string | null;
}

/** Runs `work`, then ends the bar, with a note if it failed. */
export async function showing(bar: ProgressBar, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    bar.done("failed");
    throw error;
  }
  bar.done();
}

/** An answer other than 200. */
export class BadStatus extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.name = "BadStatus";
    this.status = status;
  }
}

/** The body of an answer. */
interface Body extends AsyncIterable<Uint8Array> {
  /** As the server announces them; null where it does not. */
  bytes: number | null;
}

/** The address of a path below a base URL. */
export function urlBelow(base: string, path: string): string {
  return new URL(path, base.endsWith("/") ? base : `${base}/`).href;
}

/**
 * Runs `work` with a `get` that honours HTTP_PROXY, HTTPS_PROXY and NO_PROXY, follows redirects, and answers the body of
 * a 200. A closed network fails within 4 s, a silent server after 30 s.
 */
export async function withClient<T>(
  signal: AbortSignal,
  work: (get: (url: string, headers?: Record<string, string>) => Promise<Body>) => Promise<T>,
): Promise<T> {
  const dispatcher = new EnvHttpProxyAgent({
    connect: { timeout: 4000 },
    headersTimeout: 30_000,
    bodyTimeout: 30_000,
  });
  try {
    return await work(async (url, headers = {}) => {
      const answer = await fetch(url, { dispatcher, signal, headers });
      if (answer.status !== 200 || answer.body === null) {
        await answer.body?.cancel();
        throw new BadStatus(answer.status);
      }
      const { body } = answer;
      const bytes = Number(answer.headers.get("content-length") ?? Number.NaN);
      return {
        bytes: Number.isNaN(bytes) ? null : bytes,
        [Symbol.asyncIterator]: () => body[Symbol.asyncIterator](),
      };
    });
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * Streams into a file, making its folders.
 * @param maxBytes  more is a failure
 */
export async function saveTo(
  path: string,
  body: AsyncIterable<Uint8Array> | Readable,
  maxBytes: number,
  received: (bytes: number) => void,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await pipeline(
    body,
    async function* (chunks: AsyncIterable<Uint8Array>) {
      let bytes = 0;
      for await (const chunk of chunks) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw new Error(`more than ${maxBytes} bytes`);
        received(chunk.byteLength);
        yield chunk;
      }
    },
    createWriteStream(path),
  );
}

/** The innermost reason of a failure: a failed fetch has it in its cause. */
export function innermostReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return innermostReason(error.errors[0]);
  if (error instanceof Error && error.cause instanceof Error) return innermostReason(error.cause);
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replace(/\.$/, "");
}
