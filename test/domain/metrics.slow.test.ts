import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { measured } from "../../src/adapters/http/measured.ts";
import { measureTimes, startAdmin } from "../../src/adapters/http/prometheus.ts";
import { buildApp } from "../../src/app.ts";
import { ON_MONGODB, startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { mcpClient } from "../support/clients/mcp-clients.ts";
import { startReceiver } from "../support/clients/receiver.ts";
import { subscribeTo } from "../support/clients/webhooks.ts";

const DAY_MS = 86_400_000;

// biome-ignore lint/suspicious/noExplicitAny: tests look into any member of the answer
async function metricsOf(board: TestBoard): Promise<any> {
  await board.flush();
  const { status, body } = await call(board, "GET /metrics");
  expect(status).toBe(200);
  return body.data;
}

/** A search from an address, as a proxy forwards it. */
const searchFrom = (board: TestBoard, address: string, query: string) =>
  call(board, `GET /search?${query}`, undefined, { headers: { "x-forwarded-for": address } });

describe("GET /metrics", () => {
  const now = Date.UTC(2026, 10, 20, 12);
  const board = useTestBoard({}, { clock: () => now });

  it("counts searches, not their further pages, and those that found nothing", async () => {
    const { key } = await register(board);
    for (const _ of [1, 2]) await write(board, key);
    // A call that is sent again, and one that fails, are no further post.
    const sent = { title: "Once", body: "Written once.", idempotency_key: "once" };
    for (const body of [sent, sent, {}]) await call(board, "POST /posts", body, { key });
    const first = await call(board, "GET /search?limit=1&sort=newest");
    await call(board, `GET /search?limit=1&sort=newest&cursor=${first.body.next_cursor}`);
    await call(board, "GET /search?q=nothinglikethis");
    await fetch(`${board.url}/feed.xml?q=nothinglikethis`);
    // Searches on the page count as well.
    for (const query of ["q=nothinglikethis", "sort=newest"]) {
      const page = await fetch(`${board.url}/search?${query}`, { headers: { accept: "text/html" } });
      expect(page.status).toBe(200);
    }
    const { metrics, routes_7d, series_30d } = await metricsOf(board);
    expect(metrics).toMatchObject({
      ...{ searches_7d: 4, searches_per_day_7d: 0.6, zero_result_rate_7d: 0.5 },
      ...{ posts_7d: 3, registrations_7d: 1 },
    });
    expect(routes_7d).toMatchObject({ search: 5, "feed.xml": 1, create_post: 5, register_publisher: 1 });
    expect(series_30d.at(-1)).toMatchObject({ searches: 4, zero_results: 2, posts: 3, registrations: 1 });
  });

  it("names every job of the store", async () => {
    const names = (await metricsOf(board)).health.jobs.map(({ name }: { name: string }) => name);
    // Without the job that only one store has.
    expect(names.filter((name: string) => name !== "prune-scratch")).toEqual([
      ...["erase-old", "finish-erasures", "remove-lapsed", "poll-feeds", "embed-missing", "count-unread"],
      "recheck-domains",
    ]);
  });

  it("names clients only by names of its own choice, over REST and MCP", async () => {
    const agents = ["claude-code/2.1.0 (cli)", "curl/8.5.0", "SecretCorp-Agent/1.0 (jane@example.org)"];
    const input = { name: "x", accept_terms: true };
    for (const agent of agents)
      await call(board, "POST /publishers", input, { headers: { "user-agent": agent } });
    const client = await mcpClient({ url: `${board.url}/mcp` });
    await client.call("about");
    await client.close();
    const data = await metricsOf(board);
    expect(data.registration_clients).toMatchObject({ "claude-code": 1, curl: 1, other: 1 });
    expect(Object.values(data.mcp.clients_30d)).toEqual([1]);
    expect(data.mcp.tools_7d).toEqual({ about: 1 });
    expect(JSON.stringify(data)).not.toContain("SecretCorp");
  });
});

describe("deliveries", () => {
  it("are counted with their success", async () => {
    // Time stands still, so that what failed is not sent again.
    const now = Date.UTC(2026, 10, 20, 12);
    const board = await startBoard({ WEBHOOK_ALLOW: "127.0.0.1" }, { clock: () => now });
    expect((await metricsOf(board)).metrics).toMatchObject({
      deliveries_7d: 0,
      delivery_success_rate_7d: null,
    });
    let status = 200;
    const receiver = await startReceiver(({ body }) => {
      const { challenge } = JSON.parse(body);
      return challenge === undefined ? { status } : { body: challenge };
    });
    const { key } = await register(board);
    await subscribeTo(board, key, receiver, { tags: "pushed" });
    await write(board, key, { tags: ["pushed"] });
    const attempted = (n: number) =>
      eventually(
        () => metricsOf(board),
        ({ series_30d: days }) => days.at(-1).deliveries + days.at(-1).delivery_failures === n,
      );
    await attempted(1);
    status = 500;
    await write(board, key, { tags: ["pushed"] });
    const { metrics, series_30d } = await attempted(2);
    expect(series_30d.at(-1)).toMatchObject({ deliveries: 1, delivery_failures: 1 });
    expect(metrics).toMatchObject({ deliveries_7d: 1, delivery_success_rate_7d: 0.5 });
    await board.stop();
    await receiver.stop();
  });
});

describe("unmet demand", () => {
  const QUERY = "q=zeppelin+flights&kind=offer&tags=airship&near=47.66,9.48";
  const now = Date.UTC(2026, 10, 20, 12);
  const board = useTestBoard({ TRUST_PROXY: "1" }, { clock: () => now });
  const demand = async () => (await metricsOf(board)).unmet_demand;

  it("is given in single words, kinds, tags and whole degrees once three callers looked for it", async () => {
    for (const n of [1, 1, 2, 3, 4]) await searchFrom(board, `203.0.113.${n}`, QUERY);
    expect(await demand()).toEqual({
      zero_result_searches_30d: 5,
      terms: [
        { term: "flights", searches: 2 },
        { term: "zeppelin", searches: 2 },
      ],
      kinds: [{ kind: "offer", searches: 2 }],
      places: [{ near: "48,9", searches: 2 }],
      tags: [{ tag: "airship", searches: 2 }],
    });
  });

  it("leaves no search text, key or address in the database, the metrics or the log", async () => {
    const private_ = await startBoard({ TRUST_PROXY: "1" }, { clock: () => now });
    const { key } = await register(private_);
    const query = "q=unheardofword+anotherstrangeword&tags=curioustag&near=12.3456,65.4321";
    for (const address of ["198.51.100.71", "198.51.100.72"]) {
      for (let n = 0; n < 3; n += 1) await searchFrom(private_, address, query);
    }
    await call(private_, `GET /search?${query}`, undefined, { key });
    // Three callers have now searched for each word, so the words may be shown, but not the query.
    for (const last of [73, 74, 75]) await searchFrom(private_, `198.51.100.${last}`, "q=together+apart");
    const shown = JSON.stringify(await metricsOf(private_));
    // Counters are written without waiting for a majority, and documents are read as a majority has them.
    const contents = await eventually(
      () => private_.contents(),
      (bytes) => bytes.includes("unmet:term:together"),
    );
    expect(contents.includes("unmet:term:together")).toBe(true);
    for (const where of [shown, contents, private_.logs.join("\n")]) {
      expect(where).not.toMatch(/unheardofword[ +]|together[ +]apart|12\.3456|65\.4321|198\.51\.100\.7[1-5]/);
      expect(where).not.toContain(key.slice(0, 20));
    }
    await private_.stop();
  });
});

describe("weekly active seekers", () => {
  it("are estimated over days without keeping who they are", async () => {
    let now = Date.UTC(2026, 10, 20, 12);
    // By the key, addresses fall into the same buckets in each run.
    const fixed = { TRUST_PROXY: "1", SECRET_KEY: "k".repeat(32) };
    const board = await startBoard(fixed, { clock: () => now });
    const estimate = async () => (await metricsOf(board)).north_stars.weekly_active_seekers;
    for (let n = 0; n < 60; n += 1) await searchFrom(board, `198.51.100.${n}`, "kind=event");
    const first = await estimate();
    expect(Math.abs(first - 60)).toBeLessThanOrEqual(6);
    now += DAY_MS;
    for (let n = 0; n < 60; n += 1) await searchFrom(board, `198.51.100.${n}`, "kind=event");
    expect(await estimate()).toBe(first);
    now += 7 * DAY_MS;
    expect(await estimate()).toBe(0);
    await board.stop();
  });
});

describe.skipIf(ON_MONGODB)("the admin listener", () => {
  it("gives Prometheus answers, times, work and the process, what the dashboard asks for included, where it is told to listen", async () => {
    const board = await startBoard();
    const registry = measured(board.board);
    const server = createServer(buildApp(board.board));
    measureTimes(server, registry);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
    const admin = await startAdmin(registry, { port: 0, host: "127.0.0.1" }, () => {});
    const { key } = await register({ api });
    await write({ api }, key);
    await call({ api }, "GET /posts/nothing");
    await call({ api }, "GET /search?q=secretword");

    const response = await fetch(`http://127.0.0.1:${admin.port}/metrics`);
    expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    const text = await response.text();
    expect(text).toContain('board_answers_total{operation="create_post",status="201"} 1');
    expect(text).toContain('board_answers_total{operation="get_post",status="404"} 1');
    expect(text).toMatch(/http_request_duration_seconds_count\{method="GET",status="4xx"\} 1/);
    expect(text).toMatch(/^board_posts_active \d+$/m);
    expect(text).toMatch(/^board_work_waiting\{kind="embed"\} \d+$/m);
    expect(text).toContain("process_resident_memory_bytes");
    expect(text).not.toMatch(/secretword|bbk_/);
    expect((await fetch(`http://127.0.0.1:${admin.port}/`)).status).toBe(404);
    const statusAs = async (host: string, port: number) => {
      const sent = request({ port, path: "/metrics", headers: { host } }).end();
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      return answer.resume().statusCode;
    };
    expect(await statusAs("evil.example", admin.port)).toBe(403);
    // Prometheus on another machine asks by whatever name that machine has.
    const open = await startAdmin(registry, { port: 0, host: "0.0.0.0" }, () => {});
    expect(await statusAs("board:9464", open.port)).toBe(200);
    const dashboard = JSON.parse(readFileSync("packaging/grafana.json", "utf8"));
    const asked = dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
      targets.flatMap(({ expr }) => expr.match(/\b(board|http|process|nodejs)_\w+/g) ?? []),
    );
    expect(asked.length).toBeGreaterThan(12);
    const served = new Set([...text.matchAll(/^(?:# TYPE )?(\w+)/gm)].map(([, name]) => name));
    expect(asked.filter((name: string) => !served.has(name))).toEqual([]);
    await open.stop();
    // The same figures are not on the public listener.
    expect(await (await fetch(`${api.replace("/api/v1", "")}/metrics`)).text()).not.toContain(
      "board_answers_total",
    );
    await admin.stop();
    await new Promise((resolve) => server.close(resolve).closeAllConnections());
    await board.stop();
  });
});
