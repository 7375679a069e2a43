import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { boardEnvironment, freePort, PROGRAM } from "../support/boards/board-process.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { useFolder } from "../support/boards/use.ts";
import { mount, mountSmallDisk, unmount } from "../support/run/small-disk.ts";
import { distinctText } from "../support/texts/texts.ts";

const disk = mkdtempSync(join(useFolder(), "disk-"));
const remount = (how: "ro" | "rw") => mount("-o", `remount,${how}`, disk);
const canMount = mountSmallDisk(disk, 50);

/** Starts a board on the disk; resolves once it answers. */
async function started(port: number) {
  const env = boardEnvironment({ DATA_DIR: join(disk, "data"), PORT: String(port), LOG_LEVEL: "info" });
  const child = spawn(process.execPath, PROGRAM, { env, stdio: ["ignore", "ignore", "pipe"] });
  const said = { text: "" };
  child.stderr?.on("data", (chunk) => (said.text += chunk));
  const ended = once(child, "exit");
  const site = `http://127.0.0.1:${port}`;
  await eventually(
    () =>
      fetch(`${site}/healthz`).then(
        () => true,
        () => child.exitCode !== null,
      ),
    (up) => up,
    60_000,
  );
  return { board: { api: `${site}/api/v1` }, site, child, ended, said };
}

describe.runIf(canMount)("a disk that is read-only when the board starts", () => {
  afterAll(() => {
    unmount(disk);
  });

  it("fails the start within seconds in one line, and the next start is well once it can be written", async () => {
    mkdirSync(join(disk, "data"));
    const port = await freePort();
    const first = await started(port);
    const { key } = await register(first.board);
    first.child.kill("SIGKILL");
    await first.ended;
    remount("ro");
    const second = await started(port);
    expect(await second.ended).toEqual([1, null]);
    expect(second.said.text).toMatch(/board\.db cannot be opened: the file system of \S+ is read-only\.\n/);
    remount("rw");
    const third = await started(port);
    expect((await call(third.board, "POST /posts", distinctText(1), { key })).status).toBe(201);
    third.child.kill("SIGINT");
    expect(await third.ended).toEqual([0, null]);
  });
});
