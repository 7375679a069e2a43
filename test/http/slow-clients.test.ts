import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BoardProcess } from "../support/boards/board-process.ts";
import { register } from "../support/boards/client.ts";

const SLOW = 100;
/** The listener looks for late clients every second; the rest is for a busy machine. */
const LATE_S = 6;

let board: BoardProcess;
let key: string;
const folder = mkdtempSync(join(tmpdir(), "board-slow-"));

beforeAll(async () => {
  board = await BoardProcess.start({ DATA_DIR: folder, KEEP_ALIVE_S: "3" });
  ({ key } = await register(board));
});
afterAll(async () => {
  await board.kill();
  rmSync(folder, { recursive: true, force: true });
});

// Most of this is waiting, so all wait at once.
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
      expect(seconds).toBeGreaterThan(8);
      expect(seconds).toBeLessThan(10 + LATE_S);
      expect(answer).toContain(" 408 ");
    }
    for (const { seconds } of bodies) expect(seconds).toBeLessThan(20 + LATE_S);
    const { served, failed } = await good;
    expect(failed).toBe(0);
    expect(served).toBeGreaterThan(100);
  });

  it("closes connections that fall silent, before a request and after one", async () => {
    const request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const [never, after] = await Promise.all([dripping("", ""), dripping(request, "")]);
    expect(never.seconds).toBeLessThan(10 + LATE_S);
    expect(after.answer).toContain(" 200 ");
    expect(after.answer).toMatch(/^Keep-Alive: timeout=3\r$/m);
    expect(after.seconds).toBeLessThan(3 + LATE_S);
  });

  it("are answered whatever they expect", async () => {
    const { answer } = await dripping("GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: foo\r\n\r\n", "");
    expect(answer).toContain(" 200 ");
  });
});

/** Sends a beginning, then a drop every half second, until the board closes the connection or 40 s are over. */
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

async function goodClient(isOver: () => boolean): Promise<{ served: number; failed: number }> {
  const counts = { served: 0, failed: 0 };
  while (!isOver()) {
    const ok = await fetch(`${board.api}/posts?limit=5`).then(
      (response) => response.ok,
      () => false,
    );
    counts[ok ? "served" : "failed"] += 1;
  }
  return counts;
}
