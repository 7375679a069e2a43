import { join } from "node:path";
import { bytesOf, type Download, saveTo, showing, urlBelow, withClient } from "./download.ts";
import type { ModelFile } from "./models.ts";

/**
 * Fetches a model's files from the hub, smallest first, so that a closed network shows early. The caller checks their
 * content.
 * @throws Error when the hub cannot be reached, or answers anything but the files
 */
export async function fetchFromHub({ model, target, signal, progress, base }: Download): Promise<void> {
  const hub = base ?? (await defaultHub());
  const total = model.files.reduce((sum, file) => sum + bytesOf(file), 0);
  await withClient(signal, async (get) => {
    const [first, ...rest] = [...model.files].sort((a, b) => bytesOf(a) - bytesOf(b));
    if (first === undefined) return;
    const bodyOf = ({ path }: ModelFile) =>
      get(urlBelow(hub, `${model.repository}/resolve/${model.revision}/${path}`));
    const body = await bodyOf(first);
    const bar = progress(`${model.name} from the hub`, total);
    const save = (file: ModelFile, bytes: AsyncIterable<Uint8Array>) =>
      saveTo(join(target, file.path), bytes, bytesOf(file), (n) => bar.advance(n));
    await showing(bar, async () => {
      await save(first, body);
      for (const file of rest) await save(file, await bodyOf(file));
    });
  });
}

/** The library is loaded only here: it costs some 100 MB, and most starts find the files in a folder. */
async function defaultHub(): Promise<string> {
  const { env } = await import("@huggingface/transformers");
  return env.remoteHost;
}
