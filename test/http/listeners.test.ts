import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measureTimes, startAdmin } from "../../src/adapters/http/prometheus.ts";
import { boundedInFlight, lineOf } from "../../src/adapters/http/requests.ts";

const registry = new Registry();

async function ask(port: number, path: string, { method = "GET", host = "localhost" } = {}) {
  const sent = request({ port, host: "127.0.0.1", path, method, headers: { host } }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  answer.resume();
  await once(answer, "close");
  return answer.statusCode;
}

describe("the public listener", () => {
  /** Waits for news at `/wait`. */
  const server = createServer((asked, response: ServerResponse & { locals?: object }) => {
    response.locals = {};
    if (asked.url === "/wait") lineOf(response as never).rest();
    response.writeHead(asked.url === "/none" ? 404 : 200).end();
  });
  let port: number;
  beforeAll(async () => {
    measureTimes(server, registry);
    await once(server.listen(0, "127.0.0.1"), "listening");
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => server.close());

  it("measures each answer by its method and the first digit of its status, but none that waited", async () => {
    const methods = ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "TRACE"];
    for (const method of methods) await ask(port, "/", { method });
    await ask(port, "/none");
    await ask(port, "/wait");
    const counted = [
      ...(await registry.metrics()).matchAll(/_count\{method="(\w+)",status="(\dxx)"\} (\d+)/g),
    ];
    expect(counted.map(([, ...figures]) => figures.join(" ")).sort()).toEqual(
      [...methods.slice(0, -1), "other"]
        .map((method) => `${method} 2xx 1`)
        .concat("GET 4xx 1")
        .sort(),
    );
  });
});

describe("requests under way", () => {
  it("are a thousand at most; one that ends, or waits for news, makes room for one, once", () => {
    const handle = boundedInFlight();
    const enter = () => {
      const response = Object.assign(new EventEmitter(), { locals: {} as { leave?: () => void } });
      handle({} as never, response as never, () => {});
      return response;
    };
    const [waits, ends] = Array.from({ length: 1_000 }, enter);
    expect(enter).toThrow("more to do than it can");
    for (const leaving of [() => waits?.locals.leave?.(), () => ends?.emit("close")]) {
      leaving();
      enter();
      expect(enter).toThrow("more to do than it can");
    }
    waits?.emit("close");
    expect(enter).toThrow("more to do than it can");
  });
});

describe("the operator's listener", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1:9464", 200],
    ["127.0.0.1", "localhost", 200],
    ["127.0.0.1", "[::1]:9464", 200],
    ["127.0.0.1", "127.0.0.1.evil.example", 403],
    ["localhost", "evil.example", 403],
    ["0.0.0.0", "board:9464", 200],
  ])("at %s answers who asks for %s with %i", async (at, host, status) => {
    const admin = await startAdmin(registry, { port: 0, host: at }, () => {});
    expect(await ask(admin.port, "/metrics?x=1", { host })).toBe(status);
    if (status === 200) {
      expect(await ask(admin.port, "/", { host })).toBe(404);
      expect(await ask(admin.port, "/metrics", { host, method: "POST" })).toBe(404);
    }
    await admin.stop();
  });
});
