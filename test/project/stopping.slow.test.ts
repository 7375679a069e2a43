import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { BoardProcess, boardEnvironment, freePort, PROGRAM } from "../support/boards/board-process.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { useFolder } from "../support/boards/use.ts";
import { distinctText } from "../support/texts/texts.ts";

const boards: BoardProcess[] = [];
const folder = useFolder();
afterAll(() => Promise.all(boards.map((board) => board.kill())));

async function started(name: string): Promise<BoardProcess> {
  const board = await BoardProcess.start({ DATA_DIR: join(folder, name) });
  boards.push(board);
  return board;
}

/** One request, by the time it was sent, with the status of its answer or null. */
interface Sent {
  at: number;
  status: number | null;
}

describe.concurrent("a board of its own process", () => {
  it("on SIGTERM under load fails no request that was sent before readiness fell, and exits with 0", async () => {
    const board = await started("loaded");
    const { key } = await register(board);
    const sent: Sent[] = [];
    let [hasFallen, over] = [false, false];
    const client = async (no: number) => {
      for (let turn = 0; !over; turn += 1) {
        const at = performance.now();
        // Each on a connection of its own, as behind a proxy without keep-alive.
        const status = await (turn % 4 === 0
          ? send(board, "POST", "/api/v1/posts", { ...distinctText(no * 10_000 + turn) }, key)
          : send(board, "GET", "/api/v1/posts?limit=5"));
        sent.push({ at, status });
        if (hasFallen) await sleep(25);
      }
    };
    const clients = Array.from({ length: 8 }, (_, no) => client(no));
    await eventually(
      async () => sent.length,
      (count) => count > 150,
      60_000,
    );
    const exited = board.kill("SIGTERM");
    const fell = await readinessFalls(board);
    hasFallen = true;
    const whileStopping = sent.length;
    expect(await exited).toBe(0);
    over = true;
    await Promise.all(clients);

    expect(fell.status).toBe(503);
    const early = sent.filter(({ at }) => at < fell.at);
    expect(early.length).toBeGreaterThan(100);
    expect(early.filter(({ status }) => status !== 200 && status !== 201)).toEqual([]);
    // After that it still answers for a while.
    expect(sent.slice(whileStopping).some(({ status }) => status === 200)).toBe(true);
  });

  it("on SIGTERM answers each agent that waits for a match with an empty list, and exits with 0", async () => {
    const board = await started("awaited");
    const { key } = await register(board);
    const saved = await call(board, "POST /subscriptions", { query: { q: "never" } }, { key });
    const path = `GET /subscriptions/${saved.body.data.id}/pending` as const;
    const answers = Array.from({ length: 40 }, () => call(board, `${path}?wait_s=50`, undefined, { key }));
    // One more call than may wait shows that all of them do.
    await eventually(
      () =>
        Promise.all(Array.from({ length: 11 }, () => call(board, `${path}?wait_s=0.1`, undefined, { key }))),
      (extra) => extra.some(({ body }) => body.meta.note?.includes("wait already")),
    );
    const exited = board.kill("SIGTERM");
    for (const { status, body } of await Promise.all(answers)) {
      expect([status, body.data]).toEqual([200, []]);
      expect(body.meta.note).toContain("about to stop");
    }
    expect(await exited).toBe(0);
  });

  it("on two SIGINTs, from npm and from a terminal, finishes answers under way, and exits with 0", async () => {
    const board = await started("interrupted");
    const body = JSON.stringify({ name: "Slow", accept_terms: true });
    const { port, hostname } = new URL(board.site);
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk));
    socket.write(
      `POST /api/v1/publishers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    await eventually(
      async () => answer,
      (text) => text.startsWith("HTTP/1.1 100"),
    );
    const exited = board.kill("SIGINT");
    await readinessFalls(board);
    void board.kill("SIGINT");
    socket.write(body);
    expect(await exited).toBe(0);
    expect(answer).toContain("HTTP/1.1 201");
  });
});

/** How many by each signal: every second one is late. Forty in all were tried by hand. */
const STOPS = Number(process.env["TEST_STOPS"] ?? 2);

describe.runIf(process.platform === "linux")("a start of the program", () => {
  // One after another: a model that is loaded for longer than a stop waits for it, ten seconds, aborts the process.
  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "that %s stops at any moment ends with 0",
    { timeout: 600_000 },
    async (signal) => {
      for (let n = 0; n < STOPS; n += 1) {
        const env = boardEnvironment({
          DATA_DIR: join(folder, `starts-${signal}`),
          PORT: String(await freePort()),
          EMBEDDINGS: "auto",
          LOG_LEVEL: "info",
        });
        const child = spawn(process.execPath, PROGRAM, { env, stdio: ["ignore", "ignore", "pipe"] });
        let said = "";
        child.stderr?.on("data", (chunk) => (said += chunk));
        const ended = new Promise((done) => child.once("exit", (code, by) => done(code ?? by)));
        // Before Node itself has started, nothing can take a signal.
        await eventually(
          async () => takesSignals(child.pid ?? 0),
          (catches) => catches,
          60_000,
        );
        // From the first module to a model that is loaded: the later half waits for the log's first line.
        if (n % 2 === 1)
          await eventually(
            async () => said,
            (text) => text.includes("the board is open"),
            60_000,
          );
        await sleep(Math.random() * 1_500);
        child.kill(signal);
        expect([await ended, said.includes("Napi")]).toEqual([0, false]);
      }
    },
  );

  it("by npm ends with npm, and frees its port", async () => {
    const port = await freePort();
    const env = boardEnvironment({ DATA_DIR: join(folder, "npm"), PORT: String(port) });
    const cwd = resolve(import.meta.dirname, "../..");
    const npm = spawn("npm", ["start"], { cwd, env, stdio: "ignore" });
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    expect(await eventually(answers, (up) => up, 60_000)).toBe(true);
    const ended = once(npm, "exit");
    npm.kill("SIGTERM");
    await ended;
    expect(await eventually(answers, (up) => !up, 60_000)).toBe(false);
  });
});

/** Whether the process has a handler of SIGHUP, the first signal; Node itself has one of SIGTERM and of SIGINT. */
function takesSignals(pid: number): boolean {
  const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  return (BigInt(`0x${mask}`) & 1n) === 1n;
}

/** The first question to `/readyz` that fails: the listener took it, so it took what was sent before. */
async function readinessFalls(board: BoardProcess): Promise<Sent> {
  for (;;) {
    const at = performance.now();
    const status = await send(board, "GET", "/readyz");
    if (status !== 200) return { at, status };
  }
}

function send(
  board: BoardProcess,
  method: string,
  path: string,
  body?: unknown,
  key?: string,
): Promise<number | null> {
  return new Promise((done) => {
    const headers = {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    const sending = request(
      board.site + path,
      { method, headers, agent: false },
      (answer: IncomingMessage) => {
        answer.once("error", () => done(null));
        answer.once("end", () => done(answer.statusCode ?? null));
        answer.resume();
      },
    );
    sending.once("error", () => done(null));
    sending.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
