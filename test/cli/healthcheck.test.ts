import { describe, expect, it } from "vitest";
import { readinessUrl } from "../../src/cli/doctor.ts";
import { readConfig } from "../../src/config.ts";
import { runHere } from "../support/boards/command.ts";
import { folderForTest, serverForTest } from "../support/run/temporary.ts";

/** Runs a command beside a server that says this at `/readyz`. */
async function beside(says: object, command: string) {
  const address = await serverForTest((_request, response) => void response.end(JSON.stringify(says)));
  const place = { DATA_DIR: folderForTest(), PORT: new URL(address).port, EMBEDDINGS: "off" };
  return runHere([command], place);
}

describe("agent-board healthcheck", () => {
  it.each([
    ["serves", { ok: true, search: "local" }, 0],
    ["does not serve now", { ok: false, search: "local" }, 1],
    ["is another program", { ok: true }, 1],
  ])("where what answers %s", async (_what, says, code) => {
    expect((await beside(says, "healthcheck")).code).toBe(code);
  });

  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["0.0.0.0", "127.0.0.1"],
    ["::", "127.0.0.1"],
    ["::1", "[::1]"],
    ["board.internal", "board.internal"],
  ])("asks a board on %s at %s", (HOST, at) => {
    expect(readinessUrl(readConfig({ HOST, PORT: "8080" }))).toBe(`http://${at}:8080/readyz`);
  });
});

describe("agent-board doctor beside the board that runs here", () => {
  const board = { ok: true, search: "local", writing: true, stopping: false };
  it.each([
    ["is content where it writes", board, 0],
    ["says so where it does not", { ...board, writing: false }, 1],
    ["is content where it stops", { ...board, writing: false, stopping: true }, 0],
    ["finds another program on the port", { hello: "there" }, 1],
  ])("%s", async (_what, says, code) => {
    const ran = await beside(says, "doctor");
    expect(ran.stdout.includes("this machine's running board")).toBe("search" in says);
    expect(/problem +board +the running board cannot write/.test(ran.stdout)).toBe(
      code === 1 && "search" in says,
    );
    expect(ran.code).toBe(code);
  });
});
