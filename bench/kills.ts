/**
 * Does a board keep what it acknowledged and lose what it erased, however often it dies? Three writers post to a board in a
 * process of its own, which is killed again and again by SIGKILL; meanwhile publishers erase themselves. In the end each
 * acknowledged post is there, no file of the board holds a word of the erased, and SQLite finds the database whole.
 *
 *   npx tsx bench/kills.ts [kills = 40] [erasures = 10] [dist/src/main.js, which starts faster]
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "../src/platform/sqlite.ts";
import { BoardProcess } from "../test/support/boards/board-process.ts";
import { type Answer, call, eventually } from "../test/support/boards/client.ts";
import { prose } from "../test/support/texts/prose.ts";
import { machine } from "./support/measure.ts";

const WRITERS = 3;
/** Kills come at most this long after a post is acknowledged, */
const WRITING_MS_MAX = 600;
/** or when none is for this long. Every fourth waits for no post. */
const SILENT_MS_MAX = 10_000;
/** It stands in everything that an erased publisher wrote, and nowhere else. */
const SECRET = "zqxerased";
const POSTS_TO_ERASE = 5;
/** A call is repeated for this long once nothing kills the board any more. */
const PATIENCE_MS = 60_000;

export interface KillRun {
  kills: number;
  acknowledged: number;
  /** Counts acknowledged posts that are not there. */
  lost: number;
  erasures: number;
  /** These files have a word of an erased publisher. */
  filesWithErased: string[];
  integrity: string;
}

/** @param main  the program; default: this checkout's, not compiled */
export async function killRun(kills: number, erasures: number, main?: string): Promise<KillRun> {
  const folder = mkdtempSync(join(tmpdir(), "board-kills-"));
  const board = await BoardProcess.start({ DATA_DIR: folder }, main);
  const acknowledged: string[] = [];
  let over = false;
  let peaceSince = Number.POSITIVE_INFINITY;
  const caller: Caller = { board, isPatient: () => performance.now() - peaceSince < PATIENCE_MS };
  try {
    const writing = Array.from({ length: WRITERS }, async (_, no) => {
      const key = await registered(caller, `Writer ${no}`);
      while (!over) {
        const id = idOf(await post(board, key, { title: prose(), body: prose() }).catch(() => null));
        // A post is refused while the board is down.
        if (id === null) await sleep(50);
        else acknowledged.push(id);
      }
    });
    const erasing = (async () => {
      for (let n = 0; n < erasures; n += 1) await writeAndErase(caller, n);
    })();
    for (let n = 0; n < kills; n += 1) {
      const before = acknowledged.length;
      if (n % 4 !== 3) {
        await eventually(
          async () => acknowledged.length > before,
          (isWriting) => isWriting,
          SILENT_MS_MAX,
        ).catch(() => {});
      }
      // The moments are the same at every run, spread over what a board does.
      await sleep((n * 149) % WRITING_MS_MAX);
      await board.kill();
      await board.start();
    }
    peaceSince = performance.now();
    await erasing;
    over = true;
    await Promise.all(writing);
    await board.kill("SIGINT");
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

/** Calls a board that is killed meanwhile. */
interface Caller {
  board: BoardProcess;
  /** False when the board has been let alone for long enough. */
  isPatient: () => boolean;
}

/** A publisher that writes some posts and is erased, whatever the board does meanwhile. */
async function writeAndErase(caller: Caller, no: number): Promise<void> {
  const { board } = caller;
  // A kill may come between a registration and its answer; then the name stays with a publisher that nobody holds the key of.
  const key = await registered(caller, `To erase ${no}`);
  await answered(
    caller,
    () => call(board, "PATCH /publishers/me", { name: `${SECRET} ${no}` }, { key }),
    [200],
  );
  for (let n = 0; n < POSTS_TO_ERASE; n += 1) {
    const text = { title: `${SECRET} ${prose()}`, body: `${prose()} ${SECRET}` };
    await answered(caller, () => post(board, key, text), [201]);
  }
  // A kill may come between the erasure and its answer; then the key is gone.
  await answered(caller, () => call(board, "DELETE /publishers/me", undefined, { key }), [200, 401]);
}

async function registered(caller: Caller, name: string): Promise<string> {
  const ask = () => call(caller.board, "POST /publishers", { name, accept_terms: true });
  return (await answered(caller, ask, [201])).body.data.api_key;
}

/** Asks until the answer has one of these statuses. @throws Error for a refusal, or when patience ends */
async function answered(
  { isPatient }: Caller,
  ask: () => Promise<Answer>,
  wanted: readonly number[],
): Promise<Answer> {
  for (let last = "nothing"; ; await sleep(25)) {
    const answer = await ask().catch(() => null);
    if (answer !== null && wanted.includes(answer.status)) return answer;
    if (answer !== null) last = `${answer.status} ${JSON.stringify(answer.body.error)}`;
    if (answer !== null && answer.status < 500) throw new Error(`the board answered ${last}`);
    if (!isPatient()) throw new Error(`the board answered ${last}, although nothing killed it any more`);
  }
}

const post = (board: BoardProcess, key: string, text: object) => call(board, "POST /posts", text, { key });

/** Reads the id of an acknowledged post; null while the board is down. @throws Error for a refusal */
function idOf(answer: Answer | null): string | null {
  if (answer !== null && answer.status !== 201 && answer.status < 500)
    throw new Error(`a post was refused: ${JSON.stringify(answer.body.error)}`);
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
