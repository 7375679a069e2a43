import { join } from "node:path";
import { type Download, saveTo, showing, urlBelow, withClient } from "./download.ts";
import { bytesOf, type PinnedFile } from "./file-set.ts";

/** The public hub. */
export const HUB = "https://huggingface.co/";

/** Where the hub has a file of a repository at a commit. */
export const hubPath = ({ repository, commit }: { repository: string; commit: string }, path: string) =>
  `${repository}/resolve/${commit}/${path}`;

/**
 * Fetches a set's files from the hub, smallest first, so that a closed network shows early. The caller checks their
 * content.
 * @throws Error when the hub cannot be reached, or answers anything but the files
 */
export async function fetchFromHub({ set, target, signal, progress, base }: Download): Promise<void> {
  const hub = base ?? HUB;
  const total = set.files.reduce((sum, file) => sum + bytesOf(file), 0);
  await withClient(signal, async (get) => {
    const [first, ...rest] = [...set.files].sort((a, b) => bytesOf(a) - bytesOf(b));
    if (first === undefined) return;
    const bodyOf = ({ path }: PinnedFile) =>
      get(
        urlBelow(
          hub,
          hubPath({ repository: set.repository ?? set.folder, commit: set.revision ?? "" }, path),
        ),
      );
    const body = await bodyOf(first);
    const bar = progress(`${set.name} from the hub`, total);
    const save = (file: PinnedFile, bytes: AsyncIterable<Uint8Array>) =>
      saveTo(join(target, file.path), bytes, bytesOf(file), (n) => bar.advance(n));
    await showing(bar, async () => {
      await save(first, body);
      for (const file of rest) await save(file, await bodyOf(file));
    });
  });
}
