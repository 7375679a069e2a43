import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { boardEnvironment, freePort, PROGRAM } from "../support/boards/board-process.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { useFolder } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { mcpClient } from "../support/clients/mcp-clients.ts";

const folder = useFolder();

/** A board whose log goes into a file, which may be what systemd calls its journal. */
async function logging(name: string, isJournal: boolean) {
  const file = join(folder, `${name}.log`);
  const log = openSync(file, "w");
  const { dev, ino } = fstatSync(log);
  const port = await freePort();
  const env = boardEnvironment({
    DATA_DIR: join(folder, name),
    PORT: String(port),
    LOG_LEVEL: "info",
    TRUST_PROXY: "1",
    JOURNAL_STREAM: isJournal ? `${dev}:${ino}` : `${dev}:${ino + 1}`,
  });
  const child: ChildProcess = spawn(process.execPath, PROGRAM, { env, stdio: ["ignore", "ignore", log] });
  const site = `http://127.0.0.1:${port}`;
  await eventually(
    () =>
      fetch(`${site}/readyz`).then(
        ({ status }) => status === 200,
        () => child.exitCode !== null,
      ),
    (up) => up,
    60_000,
  );
  return {
    site,
    board: { url: site, api: `${site}/api/v1` },
    dataDir: join(folder, name),
    lines: () => readFileSync(file, "utf8").trimEnd().split("\n"),
    async stop() {
      child.kill("SIGINT");
      await once(child, "exit");
      closeSync(log);
    },
  };
}

describe.concurrent("the log", () => {
  it("has names of levels, ISO times, the id that the answer carries and who called, and no probe, key, query or whole address", async () => {
    const { site, board, lines, stop } = await logging("plain", false);
    const { id, key } = await register(board);
    await write(board, key, { title: "Logged", body: "quinceword in a body" });
    const headers = { "x-forwarded-for": "198.51.100.77", authorization: `Bearer ${key}` };
    const answer = await fetch(`${site}/api/v1/search?q=quinceword&near=12.3456,65.4321`, { headers });
    const failed = await fetch(`${site}/api/v1/posts/${key}`, { headers });
    const anonymous = await fetch(`${site}/llms.txt?q=quinceword`);
    const client = await mcpClient({ url: `${site}/mcp`, key });
    await client.call("search", { q: "quinceword" });
    await client.close();
    await call(board, "GET /publishers/me", undefined, { key: `${key.slice(0, -1)}!` });
    for (const path of ["/healthz", "/readyz"]) {
      const probe = await fetch(site + path);
      expect(probe.headers.get("x-request-id")).toMatch(/^[\da-f-]{36}$/);
    }
    await stop();
    const logged = lines().map((line) => JSON.parse(line));
    for (const { level, time } of logged) {
      expect(["info", "warn"]).toContain(level);
      expect(new Date(time).toISOString()).toBe(time);
    }
    const of = (response: Response) =>
      logged.filter(({ request }) => request === response.headers.get("x-request-id"));
    expect(of(answer)).toEqual([
      expect.objectContaining({
        method: "GET",
        path: "/api/v1/search",
        status: 200,
        ms: expect.any(Number),
        address: "198.51.100.0",
        publisher: id,
        msg: "answered",
      }),
    ]);
    expect(of(failed)).toMatchObject([{ status: 404, publisher: id }]);
    expect(of(anonymous)).toHaveLength(1);
    expect(of(anonymous)[0]).not.toHaveProperty("publisher");
    expect(logged.filter(({ path }) => path === "/mcp").map(({ publisher }) => publisher)).toContain(id);
    expect(logged.filter(({ path }) => path === "/healthz" || path === "/readyz")).toEqual([]);
    const text = lines().join("\n");
    expect(text).not.toMatch(/quinceword|12\.3456|65\.4321|198\.51\.100\.77|Logged/);
    expect(text).not.toContain(key.slice(4, 20));
  }, 90_000);

  it("gives each line its priority where it is systemd's journal", async () => {
    const { site, dataDir, lines, stop } = await logging("journal", true);
    await fetch(`${site}/llms.txt`);
    renameSync(join(dataDir, "board.db"), join(dataDir, "board.db.moved"));
    const priorities = () => lines().map((line) => /^<(\d)>\{"level":"(\w+)"/.exec(line)?.slice(1).join(" "));
    await eventually(
      async () => priorities(),
      (given) => given.includes("3 error"),
      15_000,
    );
    renameSync(join(dataDir, "board.db.moved"), join(dataDir, "board.db"));
    await stop();
    const given = new Set(priorities());
    // On a busy machine a job that began too late may be told of.
    given.delete("4 warn");
    expect(given).toEqual(new Set(["6 info", "3 error"]));
  }, 90_000);
});
