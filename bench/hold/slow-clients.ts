/**
 * Does a board serve good clients while others hold its connections? Twenty clients read, search and write, beside two
 * hundred that send their requests drop by drop and five hundred that send nothing; both kinds come back when they are
 * disconnected.
 *
 *   npx tsx bench/hold/slow-clients.ts [seconds = 60] [share = 1]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BoardProcess } from "../../test/support/boards/board-process.ts";
import { call, register } from "../../test/support/boards/client.ts";
import { prose } from "../../test/support/texts/prose.ts";
import { machine, ms } from "../support/measure.ts";

const GOOD = 20;
const SLOW = 200;
const IDLE = 500;
const DROP_MS = 1_000;

export interface SlowClientsRun {
  answers: number;
  failed: number;
  p50Ms: number;
  p99Ms: number;
  /** Connections that the board gave up and that came back. */
  disconnected: number;
}

/** @param share  of the bad clients, in 0…1 */
export async function slowClientsRun(seconds: number, share: number): Promise<SlowClientsRun> {
  const folder = mkdtempSync(join(tmpdir(), "board-slow-"));
  const board = await BoardProcess.start({ DATA_DIR: folder });
  let over = false;
  const open = new Set<Socket>();
  let disconnected = 0;
  const hold = async (beginning: string, drop: string) => {
    while (!over) {
      await held(board, beginning, drop, open);
      if (!over) disconnected += 1;
    }
  };
  try {
    const { key } = await register(board);
    const body = `POST /api/v1/posts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n`;
    const bad = [
      ...Array.from({ length: Math.round(SLOW * share) }, (_, n) =>
        n % 2 === 0 ? hold("GET /api/v1/posts HTTP/1.1\r\n", "X-Drop: 1\r\n") : hold(body, "{"),
      ),
      ...Array.from({ length: Math.round(IDLE * share) }, () => hold("", "")),
    ];
    const times: number[] = [];
    let failed = 0;
    const good = Array.from({ length: GOOD }, async () => {
      for (let turn = 0; !over; turn += 1) {
        const began = performance.now();
        const ok = await (turn % 10 === 0
          ? call(board, "POST /posts", lanternPost(), { key })
          : call(board, turn % 2 === 0 ? "GET /posts?limit=10" : "GET /search?q=lantern")
        ).then(
          ({ status }) => status === 200 || status === 201,
          () => false,
        );
        times.push(performance.now() - began);
        if (!ok) failed += 1;
        await sleep(20);
      }
    });
    await sleep(seconds * 1_000);
    over = true;
    await Promise.all(good);
    for (const socket of open) socket.destroy();
    await Promise.all(bad);
    const sorted = times.sort((a, b) => a - b);
    const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
    return { answers: times.length, failed, p50Ms: at(0.5), p99Ms: at(0.99), disconnected };
  } finally {
    over = true;
    for (const socket of open) socket.destroy();
    await board.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A post of its own that the searches find. */
const lanternPost = () => ({ title: `lantern ${prose()}`, body: prose() });

/** One connection that sends a beginning, then drops, until it is closed. */
async function held(board: BoardProcess, beginning: string, drop: string, open: Set<Socket>): Promise<void> {
  const { port, hostname } = new URL(board.site);
  const socket = connect(Number(port), hostname);
  open.add(socket);
  socket.on("error", () => {});
  socket.resume();
  if (beginning !== "") socket.write(beginning);
  const drops = setInterval(() => drop !== "" && socket.writable && socket.write(drop), DROP_MS);
  await new Promise((done) => socket.once("close", done));
  clearInterval(drops);
  open.delete(socket);
}

if (process.argv[1] === import.meta.filename) {
  const seconds = Number(process.argv[2] ?? 60);
  const run = await slowClientsRun(seconds, Number(process.argv[3] ?? 1));
  const { answers, failed, p50Ms, p99Ms, disconnected } = run;
  console.log(
    `${machine()}\n${answers} answers in ${seconds} s, ${failed} failed, p50 ${ms(p50Ms)} ms, p99 ${ms(p99Ms)} ms; ${disconnected} bad connections given up`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}
