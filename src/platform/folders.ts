import { closeSync, existsSync, lchownSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder and those above it. Node's own `mkdir` with `recursive` never returns (tried on 20.20) where a file system
 * answers ENOENT for a folder whose parent is there, as `/proc` does.
 *
 * @throws the system's error, which names the folder it could not make
 */
export function makeFolder(folder: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = resolve(folder); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const each of missing) {
    try {
      mkdirSync(each, { mode });
      giveToFolder(each);
    } catch (error) {
      // Another process was faster.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** Makes an empty file that only its owner may read. */
export function makePrivateFile(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  giveToFolder(file);
}

/** Gives what root makes in a folder of another user, such as the service that runs the board, to that user. */
export function giveToFolder(path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(resolve(path)));
  lchownSync(path, uid, gid);
}
