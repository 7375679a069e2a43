import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BoardProcess } from "../support/boards/board-process.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { useFolder } from "../support/boards/use.ts";

const SLOW = 100;
/** So many answers at least get the others meanwhile. */
const ENOUGH = 50;
/** This board's listener gives up so much sooner than any other board's, after ten seconds and twenty: the test takes seconds. */
const SOONER = { headersTimeout: 10, requestTimeout: 2, connectionsCheckingInterval: 4 };
const [HEADERS_S, BODIES_S] = [10 / SOONER.headersTimeout, 20 / SOONER.requestTimeout];
/** The listener looks for late clients at intervals, and a busy machine takes its time. */
const LATE_S = 6;
/** Divides the limits of the listener before the program makes it. */
const HASTE = `
  import http from "node:http";
  import { syncBuiltinESMExports } from "node:module";
  const { createServer } = http;
  http.createServer = (options, app) => {
    const sooner = { ...options };
    for (const [limit, times] of Object.entries(${JSON.stringify(SOONER)})) sooner[limit] /= times;
    return createServer(sooner, app);
  };
  syncBuiltinESMExports();`;

let board: BoardProcess;
let key: string;
const folder = useFolder();

beforeAll(async () => {
  const haste = `--import=data:text/javascript,${encodeURIComponent(HASTE)}`;
  board = await BoardProcess.start({ DATA_DIR: folder, KEEP_ALIVE_S: "3", NODE_OPTIONS: haste });
  ({ key } = await register(board));
});
afterAll(() => board.kill());

// The tests mostly wait, so they run at the same time.
describe.concurrent("slow and silent clients", () => {
  it("gives up headers and bodies that come drop by drop, and answers everybody else", async () => {
    const head = "POST /api/v1/posts HTTP/1.1\r\nHost: localhost\r\n";
    const body = `${head}Authorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{`;
    let over = false;
    const good = goodClient(() => over);
    const [headers, bodies] = await Promise.all([
      Promise.all(Array.from({ length: SLOW }, () => dripping(head, "X-Drop: 1\r\n"))),
      Promise.all(Array.from({ length: SLOW }, () => dripping(body, " "))),
    ]);
    over = true;
    for (const { seconds, answer } of headers) {
      expect(seconds).toBeGreaterThan(0.8 * HEADERS_S);
      expect(seconds).toBeLessThan(HEADERS_S + LATE_S);
      expect(answer).toContain(" 408 ");
    }
    for (const { seconds } of bodies) expect(seconds).toBeLessThan(BODIES_S + LATE_S);
    const { served, failed } = await good;
    expect(failed).toBe(0);
    expect(served).toBeGreaterThan(ENOUGH);
  });

  it("closes connections that fall silent, before a request and after one", async () => {
    const request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const [never, after] = await Promise.all([dripping("", ""), dripping(request, "")]);
    expect(never.seconds).toBeLessThan(HEADERS_S + LATE_S);
    expect(after.answer).toContain(" 200 ");
    expect(after.answer).toMatch(/^Keep-Alive: timeout=3\r$/m);
    expect(after.seconds).toBeLessThan(3 + LATE_S);
  });

  it("are answered whatever they expect", async () => {
    const { answer } = await dripping("GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: foo\r\n\r\n", "");
    expect(answer).toContain(" 200 ");
  });
});

describe("clients that hold every file the process may open", () => {
  it.runIf(process.platform === "linux")("keep nobody out once they leave, and lose no post", async () => {
    const { port, hostname } = new URL(board.site);
    const openFiles = async () => readdirSync(`/proc/${board.pid}/fd`).length;
    const most = async (files: string) =>
      void (await promisify(execFile)("prlimit", ["--pid", String(board.pid), `--nofile=${files}:`]));
    const limit = (await openFiles()) + 10;
    await most(String(limit));
    const crowd = Array.from({ length: 200 }, () => connect(Number(port), hostname).on("error", () => {}));
    // The board closes what it cannot take.
    expect(await eventually(openFiles, (open) => open >= limit)).toBeGreaterThanOrEqual(limit);
    const post = (title: string) =>
      call(board, "POST /posts", { title, body: `${title}.` }, { key }).then(
        ({ status, body }) => ({ status, id: body.data?.id }),
        () => ({ status: null, id: null }),
      );
    const during = await post("In the crowd");
    expect([201, 503, null]).toContain(during.status);
    for (const socket of crowd) socket.destroy();
    const after = await eventually(
      () => post("After it"),
      ({ status }) => status === 201,
    );
    expect(after.status).toBe(201);
    for (const { id } of [during, after].filter(({ status }) => status === 201))
      expect((await call(board, `GET /posts/${id}`)).status).toBe(200);
    await most("1048576").catch(() => most(String(4 * limit)));
  });
});

/** Sends a beginning, then a drop every half second, until the board closes the connection or 40 s have passed. */
async function dripping(beginning: string, drop: string): Promise<{ seconds: number; answer: string }> {
  const { port, hostname } = new URL(board.site);
  const began = performance.now();
  let answer = "";
  const socket: Socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  socket.on("data", (bytes) => {
    answer += bytes.toString();
  });
  socket.write(beginning);
  const drops = setInterval(() => drop !== "" && socket.writable && socket.write(drop), 500);
  const patience = setTimeout(() => socket.destroy(), 40_000);
  await new Promise((done) => socket.once("close", done));
  clearInterval(drops);
  clearTimeout(patience);
  return { seconds: (performance.now() - began) / 1_000, answer };
}

/** Asks all the time until it is over; with pauses, once the board has answered more than a few requests. */
async function goodClient(isOver: () => boolean): Promise<{ served: number; failed: number }> {
  const counts = { served: 0, failed: 0 };
  while (!isOver()) {
    const ok = await fetch(`${board.api}/posts?limit=5`).then(
      (response) => response.ok,
      () => false,
    );
    counts[ok ? "served" : "failed"] += 1;
    if (counts.served > ENOUGH) await pause(25);
  }
  return counts;
}
