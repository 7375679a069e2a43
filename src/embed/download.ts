/**
 * Shows how far a download has come; `src/cli/output.ts` has one for terminals.
 * @returns to be called with the number of bytes received since the last call
 */
export type ProgressFactory = (label: string, totalBytes: number) => (bytes: number) => void;

export interface Watch {
  signal: AbortSignal;
  progress: ProgressFactory;
}

/** Finds the innermost reason of a failure: a failed fetch has it in its cause. */
export function innermostReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return innermostReason(error.errors[0]);
  if (error instanceof Error && error.cause instanceof Error) return innermostReason(error.cause);
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replace(/\.$/, "");
}

/** Names a file of a set. Sources may hold it in different bytes with the same meaning: each known copy is pinned. */
export interface PinnedFile {
  /** The path is below the set's folder, with forward slashes. */
  path: string;
  copies: readonly { bytes: number; sha256: string }[];
}

/** These files do not come with this package. */
export interface FileSet {
  name: string;
  /** The folder is below a model folder, or an absolute path. */
  folder: string;
  /** The hub knows the repository by owner and name; the default is `folder`. */
  repository?: string;
  /** The revision is a commit on the hub; null means that the hub does not have the files. */
  revision: string | null;
  files: readonly PinnedFile[];
  /** This package of the npm registry has the files, and its tarball this size; null where there is none. */
  registryPackage: { name: string; version: string; folder: string; bytes: number } | null;
}

/** Counts the bytes of the largest known copy of a file. */
export function bytesOf(file: PinnedFile): number {
  return Math.max(...file.copies.map((copy) => copy.bytes));
}
