import type { TestProject } from "vitest/node";
import { testServers } from "../mongodb/mongod.ts";
import { ensureTestModel } from "../search/model.ts";

/**
 * Before all tests, fetches the model's files, so no test waits for a download. After them, stops the MongoDB servers
 * that tests started.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  process.env["MODEL_DIR"] = await ensureTestModel();
  const servers = await testServers();
  project.provide("mongodFolder", servers.folder);
  return servers.stop;
}
