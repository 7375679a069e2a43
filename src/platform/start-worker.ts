import { getPriority, setPriority } from "node:os";
import { type ResourceLimits, Worker } from "node:worker_threads";

/**
 * This is added to the nice value. With 5 a thread gets a third of the event loop's share where both want the same core,
 * with 10 a ninth; where nobody else wants it, all of it. The model takes longest: it lets searches go first too.
 */
const NICER_BY = { search: 5, feeds: 5, model: 10 } as const;
const NICE_MAX = 19;

/**
 * Starts a worker thread from a module of this package. The compiled one is JavaScript; run from its source, it needs
 * the loader that also runs the tests.
 *
 * @param url  of the module, ending in `.js` or `.ts` like the caller's own
 */
export function startWorker(url: URL, workerData: unknown, resourceLimits: ResourceLimits = {}): Worker {
  // Its output is dropped: it may hold texts of posts, and in stdio mode stdout belongs to the protocol.
  const options = { workerData, resourceLimits, execArgv: [], stdout: true, stderr: true };
  const worker = url.pathname.endsWith(".js")
    ? new Worker(url, options)
    : new Worker(
        `import(${JSON.stringify(import.meta.resolve("tsx/esm/api"))})
          .then(({ register }) => (register(), import(${JSON.stringify(url.href)})))`,
        { ...options, eval: true },
      );
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

/**
 * Lets the event loop go before the calling worker thread, and before the threads that this one starts later. Linux has a
 * nice value for each thread, other systems for processes only: there it does nothing.
 */
export function stepBack(work: keyof typeof NICER_BY): void {
  if (process.platform !== "linux") return;
  try {
    // 0 is the calling thread, and the process's id its event loop: a thread that such a one starts is no nicer than it.
    setPriority(0, Math.min(NICE_MAX, getPriority(process.pid) + NICER_BY[work]));
  } catch {
    // A sandbox may forbid it. The thread does its work all the same.
  }
}

/** Gives the URL of a sibling module: `worker.js` beside a compiled caller, `worker.ts` beside its source. */
export function siblingOf(callerUrl: string, name: string): URL {
  return new URL(`./${name}${callerUrl.endsWith(".js") ? ".js" : ".ts"}`, callerUrl);
}
