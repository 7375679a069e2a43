import type { Reporter, TestModule } from "vitest/node";

/** Ends a run with one plain line that scripts can read, `N passed, N failed`; before it, how many were skipped. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) {
        const { state } = test.result();
        if (state === "passed" || state === "failed") counts[state] += 1;
        else counts.skipped += 1;
      }
      // A file that could not be read, or failed in a hook around its tests.
      if (module.state() === "failed" && !tests.some((test) => test.result().state === "failed"))
        counts.failed += 1;
    }
    const skipped = counts.skipped === 0 ? "" : `${counts.skipped} skipped\n`;
    // After the other reporters' summaries.
    process.once("exit", () =>
      process.stdout.write(`${skipped}${counts.passed} passed, ${counts.failed} failed\n`),
    );
  }
}
