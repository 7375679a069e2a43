import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { testServers } from "../mongodb/mongod.ts";
import { ensureTestModel } from "../search/model.ts";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../../..");

/**
 * Before all tests, compiles the program that many of them start, and fetches the model's files, so no test waits for a
 * download. After them, stops the MongoDB servers that tests started.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // What the compiler says of types is not asked here: `npm run check` does.
  await run("npm", ["run", "build", "--", "--noCheck"], { cwd: ROOT });
  process.env["TEST_PROGRAM"] = join(ROOT, "dist/src/main.js");
  process.env["MODEL_DIR"] = await ensureTestModel();
  const servers = await testServers();
  project.provide("mongodFolder", servers.folder);
  return servers.stop;
}
