import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { call } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";

describe("register_publisher", () => {
  const register = (fields: object) =>
    call(board, "POST /publishers", { name: "Bike Kitchen", accept_terms: true, ...fields });
  const board = useTestBoard();

  it("answers 201 with the publisher, its page as Location, its key and how to verify", async () => {
    const { status, headers, body } = await register({
      description: "Repairs.\nEvery Saturday.",
      url: "https://www.bikes.example/about",
    });
    expect(status).toBe(201);
    const { id } = body.data;
    expect(id).toMatch(/^pub_[2-9A-HJ-NP-Za-km-z]{14}$/);
    expect(headers.get("location")).toBe(`${board.url}/publishers/${id}`);
    expect(body.data).toEqual({
      id,
      name: "Bike Kitchen",
      description: "Repairs.\nEvery Saturday.",
      url: "https://www.bikes.example/about",
      domain: "bikes.example",
      verified: false,
      first_seen: expect.stringMatching(/^20.*Z$/),
      post_count: 0,
      crier_url: `${board.url}/publishers/${id}`,
      api_key: expect.stringMatching(/^bbk_/),
      verify: expect.any(Object),
    });
    const { verify } = body.data;
    const line = `board-verify=${id}:${verify.token}`;
    expect(verify).toEqual({
      domain: "bikes.example",
      token: expect.stringMatching(/^[\w-]{22,}$/),
      dns: { type: "TXT", name: "_board.bikes.example", value: line },
      file: { url: "https://bikes.example/.well-known/board.txt", line },
      next: "Set the TXT record or serve the line in the file, then call POST /publishers/verify.",
    });
  });

  it("gives keys of 42 characters whose last six check the rest", async () => {
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const { body } = await register({});
    const apiKey: string = body.data.api_key;
    expect(apiKey).toMatch(/^bbk_[0-9A-Za-z]{38}$/);
    const sum = [...apiKey.slice(36)].reduce((total, digit) => total * 62 + digits.indexOf(digit), 0);
    expect(sum).toBe(crc32(apiKey.slice(0, 36)));
  });

  it("shows the key once: no later answer has it", async () => {
    const { body } = await register({});
    const { id, api_key: key } = body.data;
    const later = await Promise.all([
      call(board, "GET /publishers/me", undefined, { key }),
      call(board, `GET /publishers/${id}`),
      call(board, "POST /publishers/verify", {}, { key }),
    ]);
    for (const answer of later) expect(JSON.stringify(answer.body)).not.toContain("bbk_");
  });

  it.each([
    [undefined, null],
    ["https://www.example.com/x", "example.com"],
    ["https://shop.example.co.uk", "shop.example.co.uk"],
    ["https://münchen.example/", "xn--mnchen-3ya.example"],
    ["https://EXAMPLE.org.", "example.org"],
    ["https://co.uk", null],
    ["https://github.io", null],
    ["https://alice.github.io", "alice.github.io"],
    ["https://93.184.215.14/", null],
    ["https://[2606:2800:21f:cb07::1]/", null],
    ["https://localhost", null],
  ])("takes from the url %s the domain %s", async (url, domain) => {
    const { status, body } = await register(url === undefined ? {} : { url });
    expect(status).toBe(201);
    expect(body.data.domain).toBe(domain);
    expect(body.data.verify.domain).toBe(domain);
    if (domain === null)
      expect(body.data.verify).toEqual({
        domain: null,
        next: "Send POST /publishers/verify with a `url` on a domain of your own.",
      });
  });

  it("takes an empty description for none", async () => {
    expect((await register({ description: " " })).body.data.description).toBeNull();
  });

  it("takes names of 80 and descriptions of 500 characters, and no more", async () => {
    expect((await register({ name: "ü".repeat(80), description: "🎹".repeat(500) })).status).toBe(201);
    const { body } = await register({ name: "ü".repeat(81), description: "🎹".repeat(501) });
    expect(body.error.issues.map((issue: { path: string }) => issue.path).sort()).toEqual([
      "description",
      "name",
    ]);
  });

  it("names accept_terms among the issues when other fields are wrong too", async () => {
    const { body } = await call(board, "POST /publishers", { name: "" });
    expect(body.error.code).toBe("invalid_request");
    expect(body.error.issues.map((issue: { path: string }) => issue.path).sort()).toEqual([
      "accept_terms",
      "name",
    ]);
  });

  it("fails with already_registered for whoever has a key, and says how to change what is there", async () => {
    const { id, api_key: key } = (await register({ name: 'The "Kitchen"' })).body.data;
    const sent = { name: "Second", accept_terms: true };
    const { status, body } = await call(board, "POST /publishers", sent, { key });
    expect([status, body.error.code, body.error.hint]).toEqual([
      409,
      "already_registered",
      `You already are ${id} "The \\"Kitchen\\"" (this key). Nothing was registered. To change the name: PATCH /publishers/me; the website: POST /publishers/verify with \`url\`; a new key: POST /publishers/me/rotate-key (all over REST, or on the page /join); another publisher: leave the key out.`,
    ]);
  });

  it("fails with invalid_url for a url that is not a web address", async () => {
    expect((await register({ url: "mailto:me@example.org" })).body.error.code).toBe("invalid_url");
  });
});
