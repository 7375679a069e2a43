import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boardEnvironment, freePort, PROGRAM } from "../support/boards/board-process.ts";
import { eventually } from "../support/boards/client.ts";
import { useFolder } from "../support/boards/use.ts";
import { ensureTestModel } from "../support/search/model.ts";

/** On Node 20: 244 MB with the bounds of malloc, of which some 60 are room that V8 keeps for new objects. */
const REST_MAX_MB = 270;

describe.runIf(process.platform === "linux")("a board that serves, installed", () => {
  const dataDir = useFolder();
  let child: ChildProcess;
  let port: number;

  beforeAll(async () => {
    const modelDir = await ensureTestModel();
    port = await freePort();
    const env = boardEnvironment({
      DATA_DIR: dataDir,
      MODEL_DIR: modelDir,
      PORT: String(port),
      EMBEDDINGS: "auto",
      // As the image, the unit and the bundle do.
      MALLOC_ARENA_MAX: "2",
      MALLOC_MMAP_THRESHOLD_: "131072",
      MALLOC_TRIM_THRESHOLD_: "131072",
    });
    delete env["NODE_OPTIONS"];
    child = spawn(process.execPath, [...PROGRAM], { env, stdio: ["ignore", "ignore", "inherit"] });
  }, 120_000);
  afterAll(async () => {
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGINT");
    await ended;
  });

  it(`holds less than ${REST_MAX_MB} MB at rest with its model`, { timeout: 120_000 }, async () => {
    const model = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        async (answer) => ((await answer.json()) as { model?: string }).model,
        () => null,
      );
    expect(await eventually(model, (state) => state === "ready", 60_000)).toBe("ready");
    const found = await fetch(`http://127.0.0.1:${port}/api/v1/search?q=fixing+a+bike`);
    expect(found.status).toBe(200);
    await expect.poll(residentMb, { timeout: 40_000, interval: 1_000 }).toBeLessThan(REST_MAX_MB);
  });

  const residentMb = () => {
    const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
    return Number(kb) / 1024;
  };
});
