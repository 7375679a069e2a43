/** Shows how far a download has come; `src/cli/output.ts` has one for terminals. */
export type ProgressFactory = (label: string, totalBytes: number) => ProgressBar;

interface ProgressBar {
  advance(bytes: number): void;
  done(note?: string): void;
}

/** How a download is watched and ended. */
export interface Watch {
  signal: AbortSignal;
  progress: ProgressFactory;
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

/** The innermost reason of a failure: a failed fetch has it in its cause. */
export function innermostReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return innermostReason(error.errors[0]);
  if (error instanceof Error && error.cause instanceof Error) return innermostReason(error.cause);
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replace(/\.$/, "");
}
