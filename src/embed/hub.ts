import { join } from "node:path";
import { bytesOf, type Download, saveTo, withClient } from "./download.ts";

/**
 * Fetches a model's files from the hub, smallest first, so that a closed network is noticed early.
 * @throws Error when it is not reached, or answers anything but the files; their content is judged by the caller
 */
export async function fetchFromHub({ model, target, signal, progress, base }: Download): Promise<void> {
  const hub = base ?? (await defaultHub());
  const total = model.files.reduce((sum, file) => sum + bytesOf(file), 0);
  await withClient(signal, async (get) => {
    const [first, ...rest] = [...model.files].sort((a, b) => bytesOf(a) - bytesOf(b));
    if (first === undefined) return;
    const urlOf = (path: string) =>
      new URL(`${model.repository}/resolve/${model.revision}/${path}`, withSlash(hub)).href;
    const body = await get(urlOf(first.path));
    const bar = progress(`${model.name} from the hub`, total);
    let note: string | undefined = "failed";
    try {
      await saveTo(join(target, first.path), body, bytesOf(first), (n) => bar.advance(n));
      for (const file of rest) {
        await saveTo(join(target, file.path), await get(urlOf(file.path)), bytesOf(file), (n) =>
          bar.advance(n),
        );
      }
      note = undefined;
    } finally {
      bar.done(note);
    }
  });
}

/** The library is loaded only here: it costs some 100 MB, and most starts find the files in a folder. */
async function defaultHub(): Promise<string> {
  const { env } = await import("@huggingface/transformers");
  return env.remoteHost;
}

function withSlash(base: string): string {
  return base.endsWith("/") ? base : `${base}/`;
}
