import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import { openNames } from "../../src/outbound/names.ts";
import { type Outbound, OutboundError } from "../../src/ports/outbound.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { BoardProcess } from "../support/boards/board-process.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { turnsMsOf } from "../support/boards/turns.ts";
import { write } from "../support/boards/writing.ts";
import { consent, startWebhook, subscribeTo } from "../support/clients/webhooks.ts";
import { DNS_ATTACKS, startNameServer } from "../support/texts/attacks.ts";

describe("a URL that a publisher chose", () => {
  /** Listens on every address of this machine, on a port that the guard allows as it does 443. */
  const listener = { server: createServer(), port: 0, connections: 0 };
  /** The guard's verdict on each call, so that none passes unseen. */
  const said: string[] = [];
  const answers: Record<string, readonly string[]> = {};
  let board: TestBoard;
  let key: string;

  beforeAll(async () => {
    listener.server.on("connection", (socket) => {
      listener.connections += 1;
      socket.on("error", () => {});
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    });
    // Port 443 if this process may listen there: the address of a domain's proof names no other port.
    await listen(listener.server, 443, "::").catch(() => listen(listener.server, 0, "::"));
    listener.port = (listener.server.address() as AddressInfo).port;
    const dns = await startNameServer(answers);
    const guard = openOutbound({
      allow: [],
      ports: [443, listener.port],
      ...openNames([`127.0.0.1:${dns.port}`]),
    });
    board = await startBoard({}, { outbound: overheard(guard) });
    const stop = board.stop;
    board.stop = async () => {
      await stop();
      dns.close();
      listener.server.close();
    };
    ({ key } = await register(board));
  });
  afterAll(() => board.stop());

  /** Tries a URL as a webhook: at registration, at the request for consent, and when asked again. */
  async function asWebhook(webhook_url: string): Promise<string | number> {
    const sent = { query: { q: "attack" }, webhook_url };
    const { status, body } = await call(board, "POST /subscriptions", sent, { key });
    if (status !== 201) return body.error.code;
    const again = await call(board, `POST /subscriptions/${body.data.id}/verify-webhook`, undefined, { key });
    await call(board, `DELETE /subscriptions/${body.data.id}`, undefined, { key });
    return again.status;
  }

  /** One of each sort: `outbound.test.ts` shows the guard all forms. */
  const FORMS: readonly ((port: number) => string)[] = [
    ...["127.0.0.1", "2130706433", "169.254.169.254", "[::ffff:127.0.0.1]", "localhost"].map(
      (host) => (port: number) => `https://${host}:${port}/hook`,
    ),
    ...["http://93.184.215.14/", "file:///etc/passwd", "https://user@93.184.215.14/", ""].map(
      (url) => () => url,
    ),
  ];

  it("is refused as a webhook, at creation and at an edit, and as a site to verify, and reaches nothing", async () => {
    for (const form of FORMS) {
      const url = form(listener.port);
      expect(["invalid_url", "invalid_request"], url).toContain(await asWebhook(url));
      const made = await call(board, "POST /subscriptions", { query: { q: "edit" } }, { key });
      const path = `PATCH /subscriptions/${made.body.data.id}` as const;
      expect((await call(board, path, { webhook_url: url }, { key })).status, url).toBe(400);
      await call(board, `DELETE /subscriptions/${made.body.data.id}`, undefined, { key });
      const { key: own } = await register(board);
      const answer = await call(board, "POST /publishers/verify", { url }, { key: own });
      expect([202, 400], url).toContain(answer.status);
    }
    expect(listener.connections).toBe(0);
  });

  it.each(["loopback", "metadata6", "publicfirst", "nothing"])(
    "whose name resolves to %s reaches nothing, as a webhook or as a site to verify",
    async (label) => {
      const addresses = DNS_ATTACKS[label] ?? [];
      const host = `${label}.paths.example`;
      answers[host] = addresses;
      said.length = 0;
      expect(await asWebhook(`https://${host}:${listener.port}/hook`)).toBe(202);
      const { key: own } = await register(board);
      const site = await call(board, "POST /publishers/verify", { url: `https://${host}/` }, { key: own });
      expect(site.status).toBe(202);
      // Creation, verify-webhook and the proof file: each was tried, and each was stopped.
      await eventually(
        async () => said.length,
        (n) => n === 3,
      );
      expect(said).toEqual(Array.from({ length: 3 }, () => (addresses.length === 0 ? "failed" : "blocked")));
      expect(listener.connections).toBe(0);
    },
  );

  /** The real guard, with its verdicts recorded. */
  function overheard(guard: Outbound): Outbound {
    return {
      ...guard,
      send: async (request) => {
        try {
          const answer = await guard.send(request);
          said.push("answered");
          return answer;
        } catch (error) {
          said.push(error instanceof OutboundError ? error.reason : "broken");
          throw error;
        }
      },
    };
  }
});

describe("a hostile receiver", () => {
  const OK = "HTTP/1.1 200 OK\r\n";
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const HOSTILE: Record<string, (socket: Socket) => void> = {
    silent: () => {},
    "dripping its headers": (socket) => {
      socket.write(OK);
      drip(socket, "x: y\r\n");
    },
    "dripping its body": (socket) => {
      socket.write(`${OK}content-length: 40000\r\n\r\n`);
      drip(socket, "x");
    },
    endless: (socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      flood(socket, `1000\r\n${"x".repeat(0x1000)}\r\n`);
    },
    "with a huge header": (socket) => socket.write(`${OK}x: ${"y".repeat(1 << 20)}\r\n\r\n`),
    "with a compressed bomb": (socket) => {
      socket.write(`${OK}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    },
    "that resets": (socket) => socket.resetAndDestroy(),
    "that hangs up": (socket) => socket.end(),
  };
  const names = Object.keys(HOSTILE);
  let board: BoardProcess;
  let folder: string;
  const servers: Server[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "board-"));
    // Little garbage waits there to be taken for growth.
    const few = "--max-semi-space-size=1";
    board = await BoardProcess.start({ DATA_DIR: folder, WEBHOOK_ALLOW: "127.0.0.1", NODE_OPTIONS: few });
  });
  afterAll(async () => {
    await board.kill();
    await rm(folder, { recursive: true, force: true });
    for (const server of servers) server.close();
  });

  it("ends every attempt within 15 s, and costs the board no memory", async () => {
    const { key } = await register(board);
    const good = await startWebhook();
    await subscribeTo(board, key, good, { tags: "hostile" });
    const ids: string[] = [];
    for (const name of names) {
      const url = await startHostile(HOSTILE[name] as (socket: Socket) => void);
      ids.push((await subscribeTo(board, key, { url }, { tags: "hostile" })).id);
    }
    const round = async (number: number) => {
      const began = Date.now();
      await write(board, key, { tags: ["hostile"] });
      let turnsMs = 0;
      // Rarely, so that measuring does not use the memory it measures.
      let lists: { attempts: number; status: number | null; state: string }[][] = [];
      do {
        turnsMs += await turnsMsOf(new Promise((resolve) => setTimeout(resolve, 500)));
        lists = await Promise.all(
          ids.map(
            async (id) =>
              (await call(board, `GET /subscriptions/${id}/deliveries`, undefined, { key })).body.data,
          ),
        );
      } while (
        !lists.every((list) => list.length === number && list.every(attempted)) &&
        Date.now() - began < 40_000
      );
      const results = lists.map(([newest]) => newest as (typeof lists)[number][number]);
      return { results, turnsMs };
    };
    // Memory that a board takes in its first seconds is not a leak. Only the second round counts.
    await round(1);
    const before = memoryOf(board);
    const { results, turnsMs } = await round(2);
    // Garbage may still be collected.
    const grown = await eventually(
      async () => memoryOf(board) - before,
      (bytes) => bytes < 20e6,
    );
    console.log(`hostile receivers: ${turnsMs} ms, resident memory ${(grown / 1e6).toFixed(1)} MB more`);
    expect(results.every(attempted)).toBe(true);
    expect(turnsMs).toBeLessThan(15_000);
    expect(grown).toBeLessThan(20e6);
    // A body that fits and is not unpacked is an answer like any other.
    const bombed = results[names.indexOf("with a compressed bomb")];
    expect([bombed?.status, bombed?.state]).toEqual([200, "delivered"]);
    for (const [i, result] of results.entries()) {
      if (i !== names.indexOf("with a compressed bomb")) expect(result.status, names[i]).toBeNull();
    }
    expect(good.messages).toHaveLength(2);
    await good.stop();
  });

  const attempted = ({ attempts }: { attempts: number }) => attempts > 0;

  /** Consents first, and then turns hostile. */
  async function startHostile(behave: (socket: Socket) => void): Promise<string> {
    const server = createServer((socket) => {
      let text = "";
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        text += chunk.toString("utf8");
        const [head = "", body = ""] = text.split("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? -1);
        if (Buffer.byteLength(body) < length) return;
        if (!body.includes("webhook.challenge")) return behave(socket);
        const answer = consent({ body }).body ?? "";
        socket.end(`${OK}content-length: ${answer.length}\r\n\r\n${answer}`);
      });
    });
    servers.push(server);
    await listen(server, 0, "127.0.0.1");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  }
});

function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 50);
  socket.on("close", () => clearInterval(timer));
}

function flood(socket: Socket, chunk: string): void {
  const go = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", go);
  go();
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, "listening");
}

/** Resident bytes of a process. */
function memoryOf({ pid }: BoardProcess): number {
  const status = `/proc/${pid}/status`;
  const kilobytes = existsSync(status)
    ? /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(status, "utf8"))?.[1]
    : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Number(kilobytes) * 1024;
}
