import { describe, expect, it } from "vitest";
import { readinessUrl } from "../../src/cli/doctor.ts";
import { readConfig } from "../../src/config.ts";
import { runHere } from "../support/boards/command.ts";
import { folderForTest, serverForTest } from "../support/run/temporary.ts";

/** Runs a command beside a server that says this at `/readyz`, with 503 where it is not ok. */
async function beside(says: object, command: string) {
  const address = await serverForTest((request, response) => {
    response.statusCode = request.url !== "/readyz" ? 404 : "ok" in says && says.ok === false ? 503 : 200;
    response.end(JSON.stringify(says));
  });
  const place = { DATA_DIR: folderForTest(), PORT: new URL(address).port, EMBEDDINGS: "off" };
  return { ...(await runHere([command], place)), url: `http://127.0.0.1:${place.PORT}/readyz` };
}

describe("agent-board healthcheck", () => {
  it.each([
    ["serves", { ok: true, search: "local" }, 0],
    ["does not serve now", { ok: false, search: "local" }, 1],
    ["is another program", { ok: true }, 1],
  ])("where what answers %s", async (_what, says, code) => {
    const { url, ...ran } = await beside(says, "healthcheck");
    const said = "search" in says ? JSON.stringify(says) : "no answer";
    expect(ran).toEqual({ code, stdout: `${url}: ${said}\n`, stderr: "" });
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
    ["says so where it does not", { ...board, ok: false, writing: false }, 1],
    ["is content where it stops", { ...board, ok: false, writing: false, stopping: true }, 0],
    ["is content where it opens yet", { ...board, ok: false, search: "loading" }, 0],
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
