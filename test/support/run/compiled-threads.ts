import { relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { vi } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");

/** Threads run the program as this run compiled it: it starts in a third of the time that its sources take. */
vi.mock(import("../../../src/platform/start-worker.ts"), async (real) => {
  const { siblingOf, ...rest } = await real();
  const compiled = (source: URL) =>
    pathToFileURL(resolve(ROOT, "dist", relative(ROOT, fileURLToPath(source)).replace(/\.ts$/, ".js")));
  return { ...rest, siblingOf: (callerUrl, name) => compiled(siblingOf(callerUrl, name)) };
});
