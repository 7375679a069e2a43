import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { useMemoryForFiles } from "./test/support/run/files-in-memory.ts";

useMemoryForFiles();

/** Hostile input, every wrong argument and signing in take long. */
const LONG = /\/(hostile-|wrong-arguments)|sign-in\/|node_modules\//;

/**
 * What a file of tests says when it wants more than a moment of this process: a program, a server of MongoDB, the language
 * model, a browser, a receiver or a feed that takes its time, the whole history of an index or its thread, a benchmark or
 * its board, the gazetteer made anew, thousands of posts or callers, attacks that leave the machine, a heap of its own. Every
 * other file is quick.
 */
const WANTS_MORE = [
  /\b(spawn|execFile)\b[^;]* from "node:child_process"/,
  /support\/(mongodb|search\/(model|history)|clients\/(browser|receiver|stdio)|boards\/(board-process|feed-source)|recorded\/answers)|gazetteer\/build/,
  /search-index\/thread\/index/,
  /(?:startBoard|useTestBoard)\(\{ EMBEDDINGS: |mode: "required"/,
  /\/bench\/([\w-]+|support\/(board-fill|model)|agent\/\w+)\.ts"/,
  /support\/texts\/attacks/,
  /from "node:v8"/,
  /\ba thousand (?:wait|events)|longest posts|while (?:posts arrive|a silent one)/,
];

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && !LONG.test(file))
  .map((file) => `test/${file}`);
const quick = files.filter((file) => {
  const text = readFileSync(file, "utf8");
  return !WANTS_MORE.some((want) => want.test(text));
});

/** `npm run test:quick`: no download, no server, no network; a test that asks for one fails and says so. */
export default defineConfig({
  test: {
    include: quick,
    setupFiles: ["test/support/run/quick-setup.ts"],
    env: { MODEL_DIR: "", TEST_STORE: "" },
    reporters: ["default", "./test/support/run/summary-reporter.ts"],
    // Files share their process, which saves loading the program for each of them.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
