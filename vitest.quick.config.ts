import { defineConfig } from "vitest/config";
import { useMemoryForFiles } from "./test/support/run/files-in-memory.ts";

useMemoryForFiles();

/**
 * `npm run test:quick`: every file that is not called `*.slow.test.ts`. There is no download, no server and no network; a test
 * that asks for one fails and says so.
 */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/**/*.slow.test.ts", "**/node_modules/**"],
    setupFiles: ["test/support/run/quick-setup.ts"],
    env: { MODEL_DIR: "", TEST_STORE: "" },
    reporters: ["default", "./test/support/run/summary-reporter.ts"],
    // Files share their process, which saves loading the program for each of them.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
