/**
 * Does a board keep what it acknowledged and lose what it erased, however often it dies? Three writers post to a board in a
 * process of its own, which is killed again and again by SIGKILL; meanwhile publishers erase themselves. In the end each
 * acknowledged post is there, no file of the board holds a word of the erased, and SQLite finds the database whole.
 *
 *   npx tsx bench/hold/kills.ts [kills = 40] [erasures = 10] [dist/src/main.js, which starts faster]
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { BoardProcess } from "../../test/support/boards/board-process.ts";
import { call, eventually } from "../../test/support/boards/client.ts";
import { distinctText } from "../../test/support/texts/texts.ts";
import { machine } from "../support/measure.ts";

const WRITERS = 3;
/** Kills come at most this long after the board answers. */
const WRITING_MS_MAX = 600;
/** In everything that an erased publisher wrote, and nowhere else. */
const SECRET = "zqxerased";
const POSTS_TO_ERASE = 5;
/** How long a call is repeated while the board is down. */
const PATIENCE_MS = 300_000;

export interface KillRun {
  kills: number;
  acknowledged: number;
  /** Acknowledged posts that are not there. */
  lost: number;
  erasures: number;
  /** Files with a word of an erased publisher. */
  filesWithErased: string[];
  integrity: string;
}

/** @param main  the program; default: this checkout's, not compiled */
export async function killRun(kills: number, erasures: number, main?: string): Promise<KillRun> {
  const folder = mkdtempSync(join(tmpdir(), "board-kills-"));
  const board = await BoardProcess.start({ DATA_DIR: folder }, main);
  const acknowledged: string[] = [];
  let over = false;
  try {
    const writing = Array.from({ length: WRITERS }, async (_, no) => {
      const key = await registered(board, `Writer ${no}`);
      for (let n = 0; !over; n += 1) {
        const id = await posted(board, key, distinctText(no * 1_000_000 + n));
        // Refused while the board is down.
        if (id === null) await sleep(50);
        else acknowledged.push(id);
      }
    });
    const erasing = (async () => {
      for (let n = 0; n < erasures; n += 1) await writeAndErase(board, n);
    })();
    for (let n = 0; n < kills; n += 1) {
      // The same moments at every run, spread over what a board does.
      await sleep((n * 149) % WRITING_MS_MAX);
      await board.kill();
      await board.start();
    }
    await erasing;
    over = true;
    await Promise.all(writing);
    await board.kill("SIGTERM");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (name) => !name.includes("models"),
    );
    const database = new DatabaseSync(join(folder, "board.db"));
    const { integrity_check: integrity } = database.prepare("PRAGMA integrity_check").get();
    const there = new Set(
      database
        .prepare("SELECT id FROM post")
        .all()
        .map(({ id }) => id),
    );
    database.close();
    return {
      kills,
      acknowledged: acknowledged.length,
      lost: acknowledged.filter((id) => !there.has(id)).length,
      erasures,
      filesWithErased: files.filter((name) => holdsSecret(join(folder, name))),
      integrity: String(integrity),
    };
  } finally {
    over = true;
    await board.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A publisher that writes some posts and is erased, whatever the board does meanwhile. */
async function writeAndErase(board: BoardProcess, no: number): Promise<void> {
  const key = await registered(board, `${SECRET} ${no}`);
  for (let n = 0; n < POSTS_TO_ERASE; n += 1) {
    const { title, body } = distinctText(9_000_000 + no * 100 + n);
    await eventually(
      () => posted(board, key, { title: `${SECRET} ${title}`, body: `${body} ${SECRET}` }),
      (id) => id !== null,
      PATIENCE_MS,
    );
  }
  // A kill may come between the erasure and its answer; then the key is gone.
  const erased = await eventually(
    () => call(board, "DELETE /publishers/me", undefined, { key }).catch(() => null),
    (answer) => answer !== null && [200, 401].includes(answer.status),
    PATIENCE_MS,
  );
  if (erased === null) throw new Error("an erasure was never answered");
}

async function registered(board: BoardProcess, name: string): Promise<string> {
  const answer = await eventually(
    () => call(board, "POST /publishers", { name, accept_terms: true }).catch(() => null),
    (one) => one?.status === 201,
    PATIENCE_MS,
  );
  return answer?.body.data.api_key;
}

/** The id of an acknowledged post, or null. */
async function posted(board: BoardProcess, key: string, text: object): Promise<string | null> {
  const answer = await call(board, "POST /posts", text, { key }).catch(() => null);
  return answer?.status === 201 ? answer.body.data.id : null;
}

function holdsSecret(path: string): boolean {
  try {
    return readFileSync(path).includes(SECRET);
  } catch {
    return false;
  }
}

if (process.argv[1] === import.meta.filename) {
  const run = await killRun(Number(process.argv[2] ?? 40), Number(process.argv[3] ?? 10), process.argv[4]);
  console.log(`${machine()}\n${JSON.stringify(run, null, 2)}`);
  process.exitCode = run.lost + run.filesWithErased.length > 0 || run.integrity !== "ok" ? 1 : 0;
}
