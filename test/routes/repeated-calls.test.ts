import { describe, expect, it } from "vitest";
import { call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";

/** Two processes on one store, with one clock. */
let now = Date.UTC(2026, 10, 20, 12, 0, 0, 345);
const settings = { SITE_URL: "http://board.example", TRUST_PROXY: "1" };
const one = useTestBoard(settings, { clock: () => now });
const two = useTestBoard(settings, () => ({
  clock: () => now,
  dataDir: one.dataDir,
}));
let keys = 0;
/** A key that nobody sent before. */
const fresh = () => {
  keys += 1;
  return { "idempotency-key": `call-${keys}` };
};
const REGISTRATION = { name: "Twice", accept_terms: true };

describe("a call that is sent again with its Idempotency-Key", () => {
  it("registers once: the second process gives the first answer, key and all", async () => {
    const options = { headers: fresh() };
    const first = await call(one, "POST /publishers", REGISTRATION, options);
    const again = await call(two, "POST /publishers", REGISTRATION, options);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const { crier_url } = first.body.data;
    expect([first, again].map(({ headers }) => headers.get("location"))).toEqual([crier_url, crier_url]);
  });

  it("gives the new key to who holds the old one, which opens nothing else", async () => {
    const { key } = await register(one);
    const options = { key, headers: fresh() };
    const first = await call(one, "POST /publishers/me/rotate-key", {}, options);
    for (const board of [one, two]) {
      const again = await call(board, "POST /publishers/me/rotate-key", {}, options);
      expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    }
    expect((await call(one, "POST /publishers/me/rotate-key", {}, { key })).status).toBe(401);
    expect((await call(one, "POST /publishers/me/rotate-key", {}, { key, headers: fresh() })).status).toBe(
      401,
    );
    expect((await call(one, "GET /publishers/me", undefined, { key: first.body.data.api_key })).status).toBe(
      200,
    );
  });

  it("saves a query once, and replaces its secret once", async () => {
    const { key } = await register(one);
    const options = { key, headers: fresh() };
    const body = { query: { q: "kayak" } };
    const first = await call(one, "POST /subscriptions", body, options);
    const again = await call(two, "POST /subscriptions", body, options);
    expect([again.status, again.body.data]).toEqual([first.status, first.body.data]);
    const { id } = first.body.data;
    // The same header on another route is another call.
    const secret = await call(one, `POST /subscriptions/${id}/rotate-secret`, {}, options);
    expect(secret.body.data.secret).toMatch(/^whsec_/);
    const second = await call(two, `POST /subscriptions/${id}/rotate-secret`, {}, options);
    expect(second.body.data).toEqual(secret.body.data);
    const third = await call(two, `POST /subscriptions/${id}/rotate-secret`, {}, { key });
    expect(third.body.data.secret).not.toBe(secret.body.data.secret);
  });

  it("is carried out once when it comes five times at the same moment, to two processes", async () => {
    const options = { headers: fresh() };
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) => call(n % 2 ? one : two, "POST /publishers", REGISTRATION, options)),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.data.api_key)).size).toBe(1);
  });

  it("is another call with another key, body, program, address or publisher", async () => {
    const headers = fresh();
    const ids = new Set<string>();
    const registered = async (body: object, more: Record<string, string>) => {
      const { data } = (await call(one, "POST /publishers", body, { headers: { ...headers, ...more } })).body;
      ids.add(data.id);
    };
    await registered(REGISTRATION, {});
    await registered(REGISTRATION, fresh());
    await registered({ ...REGISTRATION, name: "Another" }, {});
    await registered(REGISTRATION, { "user-agent": "another/1" });
    await registered(REGISTRATION, { "x-forwarded-for": "203.0.113.9" });
    expect(ids.size).toBe(5);
    const owners = [await register(one), await register(one)];
    const saved = [];
    for (const { key } of owners) {
      const { body } = await call(one, "POST /subscriptions", { query: { q: "canoe" } }, { key, headers });
      saved.push(body.data.id);
    }
    expect(saved[0]).not.toBe(saved[1]);
  });

  it("keeps no failure, and nothing beyond ten minutes", async () => {
    const options = { headers: fresh() };
    expect((await call(one, "POST /publishers", { name: "X" }, options)).status).toBe(400);
    expect(
      (await call(one, "POST /publishers", { name: "X" }, options)).headers.get("idempotency-replayed"),
    ).toBeNull();
    const first = await call(one, "POST /publishers", REGISTRATION, options);
    now += 599_000;
    expect((await call(two, "POST /publishers", REGISTRATION, options)).body.data).toEqual(first.body.data);
    now += 2_000;
    const late = await call(two, "POST /publishers", REGISTRATION, options);
    expect([late.status, late.body.data.id === first.body.data.id]).toEqual([201, false]);
  });

  it("leaves no API key in the database", async () => {
    const { body } = await call(one, "POST /publishers", REGISTRATION, { headers: fresh() });
    expect(await one.contents()).not.toContain(body.data.api_key);
  });
});

describe("If-Match", () => {
  const post = { title: "A rowing boat of oak", body: "With two oars.", kind: "offer" };
  const written = async () => {
    const { key } = await register(one);
    const { id } = (await call(one, "POST /posts", post, { key })).body.data;
    const tag = async (path: string) =>
      (await call(one, `GET ${path}`, undefined, { key })).headers.get("etag") ?? "";
    const change = (request: `${string} ${string}`, headers: Record<string, string>, body?: object) =>
      call(one, request, body, { key, headers });
    return { key, id, tag, change };
  };

  it("fails with precondition_failed for an older version of a post, and changes nothing", async () => {
    const { id, tag, change, key } = await written();
    const seen = await tag(`/posts/${id}`);
    expect((await change(`PATCH /posts/${id}`, { "if-match": seen }, { title: "By the first" })).status).toBe(
      200,
    );
    const second = await change(`PATCH /posts/${id}`, { "if-match": seen }, { title: "By the second" });
    expect([second.status, second.body.error.code]).toEqual([412, "precondition_failed"]);
    expect((await change(`DELETE /posts/${id}`, { "if-match": seen })).status).toBe(412);
    expect((await call(one, `GET /posts/${id}`, undefined, { key })).body.data.title).toBe("By the first");
    const present = await tag(`/posts/${id}`);
    expect(
      (await change(`PATCH /posts/${id}`, { "if-match": `"other", ${present}` }, { title: "Third" })).status,
    ).toBe(200);
    expect((await change(`DELETE /posts/${id}`, { "if-match": "*" })).status).toBe(200);
    expect((await change(`DELETE /posts/${id}`, { "if-match": "*" })).status).toBe(404);
  });

  it("lets one of two changes at the same moment pass", async () => {
    const { id, tag, change } = await written();
    const seen = await tag(`/posts/${id}`);
    const answers = await Promise.all(
      ["One", "Two"].map((title) => change(`PATCH /posts/${id}`, { "if-match": seen }, { title })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it("holds for publishers and subscriptions", async () => {
    const { change, tag } = await written();
    const saved = await change("POST /subscriptions", {}, { query: { q: "oar" } });
    for (const [path, first, second] of [
      ["/publishers/me", { description: "One" }, { description: "Two" }],
      [`/subscriptions/${saved.body.data.id}`, { label: "One" }, { label: "Two" }],
    ] as const) {
      const seen = await tag(path);
      expect((await change(`PATCH ${path}`, { "if-match": seen }, first)).status, path).toBe(200);
      expect((await change(`PATCH ${path}`, { "if-match": seen }, second)).status, path).toBe(412);
      expect((await change(`DELETE ${path}`, { "if-match": seen })).status, path).toBe(412);
    }
  });

  it("If-Unmodified-Since holds by whole seconds, and is passed over when it is no date", async () => {
    const { id, change } = await written();
    const at = (ms: number) => ({ "if-unmodified-since": new Date(now + ms).toUTCString() });
    const path = `PATCH /posts/${id}` as const;
    expect((await change(path, at(-1_000), { title: "Too early" })).status).toBe(412);
    expect((await change(path, at(0), { title: "In time" })).status).toBe(200);
    expect((await change(path, at(0), { title: "In the same second" })).status).toBe(200);
    expect((await change(path, { "if-unmodified-since": "yesterday" }, { title: "No date" })).status).toBe(
      200,
    );
    expect((await change(path, { ...at(-1_000), "if-match": "*" }, { title: "The tag counts" })).status).toBe(
      200,
    );
    expect((await change(`DELETE /posts/${id}`, at(-1_000))).status).toBe(412);
  });
});
