/**
 * When does a post that one process took show in the answers of another on the same folder? The clock runs from the
 * acknowledgement until the post is first found: by its words, and among the newest. Both processes write in turn. A large
 * board is searched in a thread of its own, so one size lies on each side of that.
 *
 *   npx tsx bench/hold/seen-across.ts [posts = 300] [boards = 1000,40000]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedIndex } from "../../src/search-index/index.ts";
import { openSqlite } from "../../src/store/sqlite/index.ts";
import { BoardProcess } from "../../test/support/boards/board-process.ts";
import { call, register } from "../../test/support/boards/client.ts";
import { prose } from "../../test/support/texts/prose.ts";
import { DIMENSION, fillBoard } from "../support/board-fill.ts";
import { machine, ms, percentiles, table } from "../support/measure.ts";

const GOAL_MS = 100;
/** A post that is not seen by then counts as missing. */
const PATIENCE_MS = 5_000;

type Request = `${string} ${string}`;
const WAYS = {
  words: (word: string): Request => `GET /search?q=${word}`,
  newest: (): Request => "GET /posts?limit=20",
} as const;
type Way = keyof typeof WAYS;

export interface Seen {
  /** From the acknowledgement of the post until the end of the answer that has it; infinite when none has. */
  ms: number;
  /** Answers without it before. */
  without: number;
}

/**
 * @param size  posts on the board before
 * @param posts  of which every second is written by the other process, and every second pair is looked for the other way
 */
export async function seenAcross(size: number, posts: number): Promise<Record<Way, Seen[]>> {
  const folder = mkdtempSync(join(tmpdir(), "board-across-"));
  const boards: BoardProcess[] = [];
  try {
    await fill(folder, size);
    for (let no = 0; no < 2; no += 1) boards.push(await BoardProcess.start({ DATA_DIR: folder }));
    const [one, two] = boards as [BoardProcess, BoardProcess];
    const { key } = await register(one);
    // The first question loads the index.
    for (const board of boards) for (const way of Object.values(WAYS)) await call(board, way("lantern"));
    const seen: Record<Way, Seen[]> = { words: [], newest: [] };
    for (let n = 0; n < posts; n += 1) {
      const [writer, reader] = n % 2 === 0 ? [one, two] : [two, one];
      const way = n % 4 < 2 ? "words" : "newest";
      const word = `lantern${size}x${n}`;
      const written = await call(
        writer,
        "POST /posts",
        { title: `${word} ${prose()}`, body: prose() },
        { key },
      );
      if (written.status !== 201) throw new Error(`a post was answered by ${written.status}`);
      seen[way].push(await untilSeen(reader, WAYS[way](word), written.body.data.id));
    }
    return seen;
  } finally {
    for (const board of boards) await board.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function untilSeen(reader: BoardProcess, request: Request, id: string): Promise<Seen> {
  const began = performance.now();
  for (let without = 0; ; without += 1) {
    const { body } = await call(reader, request);
    const elapsed = performance.now() - began;
    if (JSON.stringify(body).includes(`"${id}"`)) return { ms: elapsed, without };
    if (elapsed > PATIENCE_MS) return { ms: Number.POSITIVE_INFINITY, without };
  }
}

async function fill(folder: string, posts: number): Promise<void> {
  const index = new EmbeddedIndex({ modelId: null, dimension: DIMENSION });
  const store = await openSqlite(`sqlite:${join(folder, "board.db")}`, { index });
  await fillBoard(store, { posts, subscriptions: 0, deliveriesPerPost: 0, now: Date.now() });
  await store.close();
}

if (process.argv[1] === import.meta.filename) {
  const [posts = "300", sizes = "1000,40000"] = process.argv.slice(2);
  const rows: string[][] = [];
  let isHeld = true;
  for (const size of sizes.split(",").map(Number)) {
    for (const [way, seen] of Object.entries(await seenAcross(size, Number(posts)))) {
      const times = seen.map((one) => one.ms);
      const longest = Math.max(...times);
      const at = percentiles(times);
      const late = seen.filter(({ without }) => without > 0).length;
      isHeld &&= longest <= GOAL_MS;
      const figures = [at.p50, at.p95, longest].map(ms);
      rows.push([size.toLocaleString("en"), way, `${seen.length}`, `${late}`, ...figures]);
    }
  }
  console.log(machine());
  console.log(
    table(["board", "found by", "posts", "not in the first answer", "p50 ms", "p95 ms", "longest ms"], rows),
  );
  process.exitCode = isHeld ? 0 : 1;
}
