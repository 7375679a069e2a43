import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOutbound } from "../../src/outbound/guarded-fetch.ts";
import { openNames } from "../../src/outbound/names.ts";
import { type Outbound, OutboundError } from "../../src/ports/outbound.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
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

  /** One of each sort: `outbound.slow.test.ts` shows the guard all forms. */
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

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, "listening");
}
