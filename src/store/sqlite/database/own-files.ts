import { accessSync, constants, existsSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { StoreUnavailable } from "../../../ports/store/index.ts";

/**
 * Tells whether the database is still where a restart looks for it. SQLite goes on writing into files that were deleted or
 * replaced, and into those of a folder that was moved: all of that would be acknowledged, and lost.
 */
export class OwnFiles {
  readonly #paths: readonly string[];
  /** These inodes were seen first. The log and its index are there from the first transaction to the last close. */
  readonly #known = new Map<string, number>();

  constructor(file: string) {
    this.#paths = [file, `${file}-wal`, `${file}-shm`];
    this.refusal();
  }

  /** Tells why nothing should be written now; null where all is well. Takes some 20 µs. */
  refusal(): StoreUnavailable | null {
    try {
      for (const path of this.#paths) {
        const found = statSync(path, { throwIfNoEntry: false })?.ino;
        const known = this.#known.get(path) ?? found;
        if (known !== found) return new StoreUnavailable(GONE);
        if (known !== undefined) this.#known.set(path, known);
      }
    } catch (cause) {
      return new StoreUnavailable(GONE, { cause });
    }
    const why = unwritableReason(this.#paths[0] ?? "");
    return why === null ? null : new StoreUnavailable(why);
  }
}

const GONE =
  "the files of the database were moved, deleted or replaced while the board runs: put the same files back, or stop the board " +
  "and restore a backup";

/**
 * Tells why the file, or the folder where SQLite makes others beside it, may not be written, with their owner; null if they
 * may.
 */
export function unwritableReason(file: string): string | null {
  for (const path of [file, dirname(file)]) {
    if (!existsSync(path)) continue;
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EROFS") return `the file system of ${path} is read-only`;
      const { uid, username } = userInfo();
      const { uid: owner, mode } = statSync(path);
      if (owner === uid) return `${path} is ${username}'s own, but its mode is ${(mode & 0o777).toString(8)}`;
      return `${path} belongs to the user with the id ${owner}, and this is ${username} (${uid}), who may not write it`;
    }
  }
  return null;
}
