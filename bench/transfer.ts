import { randomUUID } from "node:crypto";
import { createWriteStream, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openStore } from "../src/store/open.ts";
import { exportText } from "../src/transfer/export-board.ts";
import { checkExport, importBoard } from "../src/transfer/import-board.ts";
import { fillBoard } from "./support/board-fill.ts";
import { machine } from "./support/measure.ts";

/**
 * How fast does a board move from one store to another?
 *
 *   npx tsx bench/transfer.ts [--posts N] FROM_URL TO_URL     both empty; default: sqlite to sqlite
 */
const args = process.argv.slice(2);
const posts = args[0] === "--posts" ? Number(args.splice(0, 2)[1]) : 100_000;
const folder = join(tmpdir(), `bench-transfer-${process.pid}`);
const [from = `sqlite:${folder}/from.db`, to = `sqlite:${folder}/to.db`] = args;
const NOW = Date.UTC(2026, 10, 20, 12);

const file = join(tmpdir(), `bench-transfer-${process.pid}.jsonl`);
try {
  const source = await openStore(from);
  await fillBoard(source, { posts, subscriptions: 1_000, deliveriesPerPost: 5, now: NOW });
  const rows = await timed("export", async () => {
    let total = 0;
    const text = exportText(source.transfer, {
      id: randomUUID(),
      createdAt: new Date(NOW).toISOString(),
      secretKeyCheck: null,
      keptSettings: [],
      begun: (n) => {
        total = n;
      },
      advance: () => {},
    });
    await pipeline(Readable.from(text), createWriteStream(file));
    return total;
  });
  await source.close();
  const checked = await timed("check", () => checkExport(file, () => {}));
  const target = await openStore(to);
  await timed("import", async () => {
    await importBoard(target, file, checked, { read: () => {} });
    return rows;
  });
  await target.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
  rmSync(file, { force: true });
}

async function timed<T>(what: string, job: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await job();
  const seconds = (performance.now() - began) / 1000;
  const rate = typeof result === "number" ? `, ${(result / seconds).toFixed(0)} rows/s of ${result}` : "";
  const { size } = statSync(file);
  const rss = process.memoryUsage.rss() / 1e6;
  console.log(
    `${what} of ${posts} posts: ${seconds.toFixed(1)} s${rate}; file ${(size / 1e6).toFixed(0)} MB, ${rss.toFixed(0)} MB of memory; ${from.split(":")[0]} to ${to.split(":")[0]}; ${machine()}`,
  );
  return result;
}
