/**
 * This is a process of its own, so that its work delays no probe: connections ask one after another, as fast as they are
 * answered.
 */
import { Pool } from "undici";

export interface Asked {
  method: "GET" | "POST";
  path: string;
  body?: string;
  /** True when it comes with the free key. */
  keyed?: boolean;
}

export interface Task {
  site: string;
  asked: readonly Asked[];
  connections: number;
  forMs: number;
  /** It goes into `X-Forwarded-For`: limits begin anew with each. */
  address: string;
  key: string;
}

/** Counts the requests that were answered, by status, and the bytes of these answers. */
export interface Tally {
  answered: Record<string, number>;
  megabytes: number;
}

const headersOf = ({ method, keyed }: Asked, { address, key }: Task): Record<string, string> => ({
  "x-forwarded-for": address,
  "accept-encoding": "br, gzip",
  accept:
    method === "POST" ? "application/json, text/event-stream" : "text/html,application/xhtml+xml,*/*;q=0.8",
  ...(method === "POST" ? { "content-type": "application/json" } : {}),
  ...(keyed === true ? { authorization: `Bearer ${key}` } : {}),
});

async function run(task: Task): Promise<Tally> {
  const pool = new Pool(task.site, { connections: task.connections, headersTimeout: 0, bodyTimeout: 0 });
  const answered: Record<string, number> = {};
  const end = performance.now() + task.forMs;
  let bytes = 0;
  let next = 0;
  const one = async () => {
    while (performance.now() < end) {
      const asked = task.asked[next++ % task.asked.length] as Asked;
      const { method, path, body } = asked;
      const headers = headersOf(asked, task);
      const answer = await pool.request({ method, path, headers, ...(body === undefined ? {} : { body }) });
      bytes += (await answer.body.arrayBuffer()).byteLength;
      answered[answer.statusCode] = (answered[answer.statusCode] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: task.connections }, one));
  await pool.close();
  return { answered, megabytes: bytes / 1_000_000 };
}

process.on("message", async (task: Task) => {
  process.send?.(await run(task));
});
