import type { Server } from "node:http";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Without a request for this long the process is at rest. */
const REST_MS = 10_000;
/** Between two collections: the first one frees pages that only the next gives back. */
const AGAIN_MS = 500;
/** A full collection of a larger heap would hold up a call that comes meanwhile for more than 200 ms. */
const HEAP_MAX_BYTES = 128 << 20;

/**
 * Gives back, once the process is at rest, what V8 keeps for new objects: up to 34 MB, which it shrinks in a full collection
 * only, and a process at rest makes none.
 *
 * @param settled  resolves when nothing more is loaded
 * @param collect  replaces the collection
 */
export function collectAtRest(
  server: Pick<Server, "on">,
  settled: Promise<unknown>,
  collect: () => void = collectAll,
): void {
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    if (timer === undefined) timer = setTimeout(rest, REST_MS).unref();
    else timer.refresh();
  };
  const rest = () => {
    collect();
    setTimeout(collect, AGAIN_MS).unref();
  };
  server.on("request", wait);
  settled.then(wait, wait);
}

function collectAll(): void {
  if (getHeapStatistics().used_heap_size > HEAP_MAX_BYTES) return;
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
