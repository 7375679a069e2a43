import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { useTestBoard } from "../support/boards/use.ts";
import { exactRequest } from "../support/clients/exact-request.ts";

const board = useTestBoard();

const ask = (path: string, headers: Record<string, string>) => exactRequest(board.url + path, { headers });
const post = (path: string, headers: Record<string, string>, sent: object) =>
  exactRequest(board.url + path, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify(sent),
  });

describe("answers", () => {
  it.each(["/", "/openapi.json", "/llms.txt", "/feed.xml", "/api/v1/metrics"])(
    "of %s are compressed by brotli or gzip, and equal what goes out plain",
    async (path) => {
      const plain = await ask(path, {});
      const brotli = await ask(path, { "Accept-Encoding": "gzip, br" });
      const gzip = await ask(path, { "Accept-Encoding": "gzip" });
      expect(plain.headers["content-encoding"]).toBeUndefined();
      for (const { headers } of [plain, brotli, gzip]) expect(headers["vary"]).toMatch(/Accept-Encoding/);
      if (plain.body.length < 1024) {
        expect(gzip.headers["content-encoding"]).toBeUndefined();
        return;
      }
      expect([brotli, gzip].map(({ headers }) => headers["content-encoding"])).toEqual(["br", "gzip"]);
      expect(brotli.body.length).toBeLessThan(plain.body.length / 1.5);
      if (path === "/api/v1/metrics") return; // It shows the time of the request.
      expect(brotliDecompressSync(brotli.body).equals(plain.body)).toBe(true);
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    },
  );

  it("go out plain up to 1,023 bytes", async () => {
    const path = (chars: number) => `/api/v1/search?q=${"x".repeat(chars)}`;
    const length = async (chars: number) => (await ask(path(chars), {})).body.length;
    const [one, two] = [await length(1), await length(2)];
    expect(two - one).toBeGreaterThan(0);
    const within = 1 + Math.floor((1_023 - one) / (two - one));
    for (const chars of [within, within + 1]) {
      const { headers } = await ask(path(chars), { "Accept-Encoding": "gzip" });
      expect([await length(chars), headers["content-encoding"]]).toEqual(
        chars === within ? [expect.any(Number), undefined] : [expect.any(Number), "gzip"],
      );
    }
  });

  it("have one tag however they are encoded, and a 304 names the encoding among what it varies by", async () => {
    const compressed = await ask("/llms.txt", { "Accept-Encoding": "br" });
    const plain = await ask("/llms.txt", {});
    const tag = String(compressed.headers["etag"]);
    expect(plain.headers["etag"]).toBe(tag);
    const known = await ask("/llms.txt", { "Accept-Encoding": "br", "If-None-Match": tag });
    expect([known.status, known.body.length]).toEqual([304, 0]);
    expect(known.headers["vary"]).toMatch(/Accept-Encoding/);
  });

  it("to whoever registers stay plain: they show a key beside text that another may have chosen", async () => {
    const args = { name: "Cellists of the town", description: "x".repeat(480), accept_terms: true };
    const rest = await post("/api/v1/publishers", { "Accept-Encoding": "gzip" }, args);
    expect(rest.status).toBe(201);
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call" };
    const params = { name: "register_publisher", arguments: { ...args, name: "Violists of the town" } };
    const headers = { "Accept-Encoding": "gzip", Accept: "application/json, text/event-stream" };
    const mcp = await post("/mcp/data", headers, { ...call, params });
    for (const answer of [rest, mcp]) {
      expect(answer.body.length).toBeGreaterThan(1024);
      expect(answer.body.toString()).toContain("bbk_");
      expect(answer.headers["content-encoding"]).toBeUndefined();
    }
  });
});
