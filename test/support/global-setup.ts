import { ensureTestModel } from "./model.ts";

/** Once before all tests: the model's files are there, so that no test waits for a download. */
export default async function setup(): Promise<void> {
  process.env["MODEL_DIR"] = await ensureTestModel();
}
