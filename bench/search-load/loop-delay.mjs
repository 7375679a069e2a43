/**
 * Preloaded into a board (`--import`): measures the delay of its event loop from inside, and tells it on a port of its own as
 * `LoopDelay` of `loop-delay.ts`. It is JavaScript, since a loader of TypeScript in the board's process would be measured too.
 */
import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const { BENCH_LOOP_PORT: port } = process.env;
if (isMainThread && port !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let before = process.cpuUsage();
  const server = createServer((_, response) => {
    const { user, system } = process.cpuUsage(before);
    const told = {
      p50: delay.percentile(50) / 1e6,
      p99: delay.percentile(99) / 1e6,
      max: delay.max / 1e6,
      cpu: (user + system) / 1000,
      residentBytes: process.memoryUsage().rss,
    };
    delay.reset();
    before = process.cpuUsage();
    response.end(JSON.stringify(told));
  });
  server.listen(Number(port), "127.0.0.1").unref();
}
