import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { boardEnvironment, freePort, PROGRAM, runCommand } from "../support/boards/board-process.ts";
import { eventually } from "../support/boards/client.ts";

let folder: string;
let child: ChildProcess | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "board-serve-"));
});
afterEach(() => {
  child?.kill("SIGKILL");
  child = null;
  rmSync(folder, { recursive: true });
});

/** The output of a start that cannot succeed. */
const refusal = async (environment: Record<string, string>) =>
  (await runCommand([], { DATA_DIR: folder, PORT: "0", ...environment })).stderr;

describe("the command that runs a board", () => {
  it("refuses in one line an address it cannot listen on and a folder it cannot make", async () => {
    // No machine owns an address of TEST-NET-1 (RFC 5737).
    expect(await refusal({ HOST: "192.0.2.1" })).toMatch(/^HOST: 192\.0\.2\.1 is no address .*\n$/);
    writeFileSync(join(folder, "file"), "");
    expect(await refusal({ DATA_DIR: join(folder, "file/data") })).toMatch(/^DATA_DIR: the folder .*\n$/);
    // Nobody can make a folder there; Node's own recursive mkdir would try for ever.
    if (!existsSync("/proc/self")) return;
    expect(await refusal({ DATA_DIR: "/proc/nowhere" })).toMatch(/^DATA_DIR: .*\/proc\/nowhere.*\n$/);
    expect(await refusal({ STORE_URL: "sqlite:/proc/nowhere/board.db" })).toMatch(
      /^\/proc\/nowhere\/board\.db cannot be opened.*\n$/,
    );
  });

  it("finishes answers under way when the same signal comes twice, from npm and from a terminal", async () => {
    const port = await freePort();
    const env = boardEnvironment({ DATA_DIR: folder, PORT: String(port) });
    child = spawn(process.execPath, [...PROGRAM], { env, stdio: "ignore" });
    const exited = once(child, "exit");
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    expect(await eventually(isReady, (ready) => ready, 60_000)).toBe(true);

    const body = JSON.stringify({ name: "Slow", accept_terms: true });
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk));
    socket.write(
      `POST /api/v1/publishers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await eventually(
      async () => answer,
      (text) => text.startsWith("HTTP/1.1 100"),
    );
    child.kill("SIGINT");
    await eventually(isReady, (ready) => !ready);
    child.kill("SIGINT");
    socket.write(body);
    expect(await exited).toEqual([0, null]);
    expect(answer).toContain("HTTP/1.1 201");
  });
});
