import type { OpenBoard } from "../../open-board.ts";
import { createProgress } from "../progress.ts";

const POLL_MS = 200;

/** Waits until every post of a started board has its vector, unless there is no model. Says on stderr how it went. */
export async function vectorsReady(board: OpenBoard): Promise<void> {
  if ((await board.embedder.settled()) !== "ready") {
    process.stderr.write(
      "No model: the posts are found by words; meaning follows when a board with a model runs.\n",
    );
    return;
  }
  const began = performance.now();
  const total = await board.store.work.backlog("embed");
  const progress = createProgress("Embedding", total, { unit: "posts" });
  for (let left = total; left > 0; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const now = await board.store.work.backlog("embed");
    progress.advance(Math.max(0, left - now));
    left = now;
  }
  progress.done();
  process.stderr.write(`Found by meaning after ${((performance.now() - began) / 1000).toFixed(1)} s more\n`);
}
