import type { TestProject } from "vitest/node";
import { testServers } from "../mongodb/mongod.ts";
import { ensureTestModel } from "../search/model.ts";

/**
 * Once before all tests: the model's files are there, so that no test waits for a download. Once after them: the servers
 * of MongoDB that tests asked for are stopped.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  process.env["MODEL_DIR"] = await ensureTestModel();
  const servers = await testServers();
  project.provide("mongodFolder", servers.folder);
  return servers.stop;
}
