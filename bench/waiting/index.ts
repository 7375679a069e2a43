/**
 * How soon does a match reach an agent that waits for it beside thousands of others, how fast are other callers answered
 * meanwhile, and what does a waiting call cost in memory?
 *
 *   npx tsx bench/waiting/index.ts [agents = 2000] [posts = 300]
 *
 * The board is a process of its own on SQLite, without the model; this process plays the agents. Half of them wait over
 * MCP, half over REST.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { siblingOf, startWorker } from "../../src/start-worker.ts";
import { BoardProcess, freePort } from "../../test/support/boards/board-process.ts";
import { call, register } from "../../test/support/boards/client.ts";
import { prose } from "../../test/support/texts/prose.ts";
import { loopDelay, tellingLoopDelay } from "../search-load/loop-delay.ts";
import { machine, ms, percentiles, table } from "../support/measure.ts";

type Percentiles = ReturnType<typeof percentiles> & { most: number };

export interface WaitingFigures {
  /** From sending a post to the agent's answer; each post is waited for by one agent. */
  one: Percentiles;
  /** The same of one post that every agent waits for. */
  all: Percentiles;
  /** `GET /posts` and `GET /search` of others, while posts for one agent come, and while all are woken. */
  others: Percentiles;
  othersWhenAllWake: Percentiles;
  /** Resident memory of the board before and while the agents wait. */
  beforeBytes: number;
  waitingBytes: number;
  /** Processor time of the board over a second in which all wait and nothing happens. */
  idleCpuMs: number;
}

const GOALS = { matchP95Ms: 1_000, othersP95Ms: 50 };
const POST_EVERY_MS = 100;

/** A connection for each call: one kept open could be closed by the board as the next call begins. */
const connections = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

interface WaitingAgent {
  key: string;
  subscription: string;
  cursor: string | null;
  overMcp: boolean;
}

/** @param options.posts  each for one agent, ten a second; then one follows for all */
export async function measureWaiting(options: { agents: number; posts: number }): Promise<WaitingFigures> {
  const dataDir = await mkdtemp(join(tmpdir(), "waiting-"));
  const loopPort = await freePort();
  const adminPort = await freePort();
  const board = await BoardProcess.start({
    DATA_DIR: dataDir,
    ADMIN_PORT: String(adminPort),
    ...tellingLoopDelay(loopPort),
  });
  const told = () => loopDelay(loopPort);
  let over = false;
  let stopOthers: () => unknown = () => {};
  try {
    const agents = await settle(board, options.agents);
    const writer = (await register(board, "Writer")).key;
    const beforeBytes = (await told()).residentBytes;
    const arrivals = new Map<string, (at: number) => void>();
    const arrived = (title: string) =>
      new Promise<number>((done) => {
        arrivals.set(title, done);
      });
    let woken: ((at: number) => void) | null = null;
    const waits = agents.map(async (agent, n) => {
      // Not all in one moment: the system queues only some hundred connections that a process has yet to accept.
      await sleep(n * 5);
      while (!over) {
        for (const title of await waited(board, agent).catch(() => [])) {
          const at = performance.now();
          if (title === "For all") woken?.(at);
          else arrivals.get(title)?.(at);
        }
      }
    });
    while ((await callsWaiting(adminPort)) < options.agents) await sleep(100);
    await told();
    await sleep(1_000);
    const { residentBytes: waitingBytes, cpu: idleCpuMs } = await told();

    const others = startWorker(siblingOf(import.meta.url, "others"), { api: board.api });
    stopOthers = () => others.terminate();
    const beside = async (): Promise<number[]> => {
      others.postMessage("took");
      return (await once(others, "message"))[0];
    };
    // The first calls wait for connections and compilers.
    await beside();
    const one: number[] = [];
    for (let n = 0; n < options.posts; n += 1) {
      const title = `Post ${n}`;
      const answered = arrived(title);
      const sent = performance.now();
      // Far apart, so that no agent is asked twice while it reads.
      const tag = `agent-${(n * 7) % options.agents}`;
      const written = post(board, writer, title, tag);
      void answered.then((at) => one.push(at - sent));
      await Promise.all([written, sleep(POST_EVERY_MS)]);
    }
    await settled(() => options.posts - one.length);
    const othersBefore = await beside();

    const all: number[] = [];
    const sent = performance.now();
    woken = (at) => all.push(at - sent);
    await post(board, writer, "For all", "everyone");
    await settled(() => options.agents - all.length);
    const othersWhenAllWake = await beside();
    over = true;
    await stopOthers();
    // The agents' calls end with the board.
    await board.kill("SIGTERM");
    await Promise.all(waits);
    const spread = (times: readonly number[]) => ({ ...percentiles(times), most: Math.max(...times) });
    return {
      one: spread(one),
      all: spread(all),
      others: spread(othersBefore),
      othersWhenAllWake: spread(othersWhenAllWake),
      beforeBytes,
      waitingBytes,
      idleCpuMs,
    };
  } finally {
    over = true;
    await stopOthers();
    await board.kill();
    connections.destroy();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Registers the agents, each with one subscription, sixteen at a time. */
async function settle(board: BoardProcess, count: number): Promise<WaitingAgent[]> {
  const agents: WaitingAgent[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const n = next;
      next += 1;
      const { key } = await register(board, `Agent ${n}`);
      const query = { tags: ["everyone", `agent-${n}`] };
      const { body } = await call(board, "POST /subscriptions", { query }, { key });
      agents.push({ key, subscription: body.data.id, cursor: null, overMcp: n % 2 === 0 });
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return agents;
}

/** How many calls wait, as the board tells Prometheus. */
async function callsWaiting(adminPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  return Number(/^board_calls_waiting (\d+)/m.exec(text)?.[1] ?? 0);
}

/** One call that waits; resolves to the titles of the matches. */
async function waited(board: BoardProcess, agent: WaitingAgent): Promise<string[]> {
  const { key, subscription, cursor } = agent;
  const from = cursor === null ? {} : { cursor };
  if (!agent.overMcp) {
    const query = new URLSearchParams({ wait_s: "50", ...from });
    const text = await sent("GET", `${board.api}/subscriptions/${subscription}/pending?${query}`, key);
    const { data, next_cursor: next } = JSON.parse(text);
    agent.cursor = next;
    return data.map(({ title }: { title: string }) => title);
  }
  const params = { name: "check_subscription", arguments: { id: subscription, wait_s: 50, ...from } };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const text = await sent("POST", `${board.site}/mcp`, key, message);
  const next = /\\"cursor\\":\\"([^"\\]+)/.exec(text.slice(text.indexOf("Next look")))?.[1];
  agent.cursor = next ?? cursor;
  return [...text.matchAll(/\\"((?:Post \d+)|For all)\\"/g)].map(([, title = ""]) => title);
}

/** Writes a post of words that no other has, so that none is taken for a duplicate. */
async function post(board: BoardProcess, key: string, title: string, tag: string): Promise<void> {
  const text = await sent("POST", `${board.api}/posts`, key, { title, body: prose(), tags: [tag] });
  if (!text.startsWith('{"ok":true')) throw new Error(text);
}

async function settled(missing: () => number): Promise<void> {
  for (const end = performance.now() + 30_000; missing() > 0; await sleep(20)) {
    if (performance.now() > end) throw new Error(`${missing()} answers with a match never came.`);
  }
}

function sent(method: string, url: string, key?: string, body?: unknown): Promise<string> {
  return new Promise((done, failed) => {
    const headers = {
      accept: "application/json, text/event-stream",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const sending = request(url, { method, headers, agent: connections }, (answer: IncomingMessage) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      answer.once("error", failed);
      answer.once("end", () => done(text));
    });
    sending.once("error", failed);
    sending.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function main(): Promise<void> {
  const [agents = 2_000, posts = 300] = process.argv.slice(2).map(Number);
  const figures = await measureWaiting({ agents, posts });
  const spread = ({ p50, p95, most }: Percentiles) => [ms(p50), ms(p95), ms(most)];
  console.log(`${agents} agents wait at once, ${machine()}\n`);
  console.log(
    table(
      ["ms", "p50", "p95", "most", "goal of p95"],
      [
        [`a post until its one agent has it (${posts})`, ...spread(figures.one), String(GOALS.matchP95Ms)],
        ["other calls meanwhile", ...spread(figures.others), String(GOALS.othersP95Ms)],
        ["a post until each of all agents has it", ...spread(figures.all), ""],
        ["other calls meanwhile", ...spread(figures.othersWhenAllWake), ""],
      ],
    ),
  );
  const grown = figures.waitingBytes - figures.beforeBytes;
  console.log(
    `\nmemory ${(figures.beforeBytes / 1e6).toFixed(0)} MB before, ${(figures.waitingBytes / 1e6).toFixed(0)} MB while all wait: ${(grown / agents / 1e3).toFixed(1)} KB each; processor time of an idle second ${figures.idleCpuMs.toFixed(0)} ms`,
  );
}

if (process.argv[1] === import.meta.filename) await main();
