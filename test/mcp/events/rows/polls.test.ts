import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../../../support/boards/use.ts";
import { write } from "../../../support/boards/writing.ts";
import { type Answer, type EventHost, eventHost } from "../../../support/clients/event-hosts.ts";

/**
 * The rows of the scenarios `events-discovery` and `events-poll` of the conformance suite (pull request 504 of
 * modelcontextprotocol/conformance), each by its id without `sep-9999-`. The board has no answer to two of them: both its
 * events can be polled (`poll-mode-unsupported`), and both can be replayed (`truncated-false-when-no-replay`).
 */
const DAY_MS = 86_400_000;
let now = Date.now();
const board = useTestBoard({}, { clock: () => now });
const me = usePublisher(board, "Host");
const writer = usePublisher(board, "Writer");
const TOPIC = { name: "post.matched", arguments: { tags: "row" } };
let host: EventHost;
let listed: Answer;
/** The first poll, one that is quiet, and one with two posts; all go on from the first cursor. */
let first: Answer;
let again: Answer;
let quiet: Answer;
let page: Answer;
const poll = (changes: object = {}) => host.ask("events/poll", { ...TOPIC, ...changes });
const refused = async (changes: object) => (await host.refused("events/poll", { ...TOPIC, ...changes })).code;

beforeAll(async () => {
  host = await eventHost(board, me.key);
  listed = await host.ask("events/list");
  first = await poll({ cursor: null });
  again = await poll();
  quiet = await poll({ cursor: first.cursor });
  for (const title of ["One", "Two"]) await write(board, writer.key, { title, tags: ["row"] });
  page = await eventually(
    () => poll({ cursor: first.cursor }),
    ({ events }) => events.length === 2,
  );
});
afterAll(() => host.close());

describe("events-discovery", () => {
  const settings = () => {
    const { extensions }: Answer = host.client.getServerCapabilities();
    return extensions["io.modelcontextprotocol/events"];
  };
  it("capability-events-object", () => expect(settings()).toBeTypeOf("object"));
  it("capability-list-changed-flag", () => expect(settings()).not.toHaveProperty("listChanged"));
  it("capability-empty-settings", () => expect(settings()).toEqual({}));
  it("list-implemented", () => expect(listed.events).toHaveLength(2));
  it("list-pagination", () => expect(listed).not.toHaveProperty("nextCursor"));
  it("descriptor-name", () => {
    const names = listed.events.map(({ name }: Answer) => name);
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[a-z.]+$/);
  });
  it("descriptor-description", () => {
    for (const { description } of listed.events) expect(description.length).toBeGreaterThan(20);
  });
  it("descriptor-delivery-subset", () => {
    for (const { delivery } of listed.events) {
      expect(delivery.length).toBeGreaterThan(0);
      expect(["poll", "push", "webhook"]).toEqual(expect.arrayContaining(delivery));
    }
  });
  it("descriptor-input-schema", () => {
    const [replied, matched] = listed.events.map(({ inputSchema }: Answer) =>
      new Ajv2020({ strict: false }).compile(inputSchema),
    );
    expect([replied({}), replied({ q: "x" })]).toEqual([true, false]);
    expect([matched({ q: "road bike" }), matched({ tag: "x" })]).toEqual([true, false]);
  });
  it("descriptor-payload-schema", () => {
    for (const { payloadSchema } of listed.events)
      expect(payloadSchema).toMatchObject({ type: "object", required: expect.any(Array) });
  });
  it("descriptor-meta", () => {
    for (const event of listed.events) expect(event._meta ?? {}).toBeTypeOf("object");
  });
  it("error-not-found", async () => {
    expect(await host.refused("events/poll", { name: "no.such" })).toMatchObject({
      code: -32011,
      data: { kind: "event" },
    });
  });
  it("error-server-range", async () => {
    const code = await refused({ name: "no.such" });
    expect(code).toBeGreaterThanOrEqual(-32099);
    expect(code).toBeLessThanOrEqual(-32000);
  });
  it("fallback-method-not-found", async () => {
    const answer = await fetch(`${board.url}/mcp/readonly`, {
      method: "POST",
      headers: { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "events/list" }),
    });
    expect(await answer.text()).toContain("-32601");
  });
});

describe("events-poll", () => {
  it("poll-implemented", () =>
    expect(Object.keys(first)).toEqual(expect.arrayContaining(["events", "cursor"])));
  it("poll-one-subscription-per-request", async () => {
    const mixed = await poll({ cursor: first.cursor, subscriptions: [{ name: "post.replied" }] });
    expect(new Set(mixed.events.map(({ name }: Answer) => name))).toEqual(new Set(["post.matched"]));
  });
  it("poll-bootstraps-subscription", () => expect(page.events).toHaveLength(2));
  it("poll-events-array", () => expect([first.events, quiet.events]).toEqual([[], []]));
  it("poll-response-cursor", () => {
    for (const { cursor } of [first, quiet, page]) expect(cursor).toBeTypeOf("string");
  });
  it("poll-next-poll-ms", () => expect(first.nextPollMs).toBe(30_000));
  it("poll-next-poll-ms-ignored-when-has-more", async () => {
    expect(await poll({ cursor: first.cursor, maxEvents: 1 })).toMatchObject({
      hasMore: true,
      nextPollMs: 0,
    });
  });
  it("poll-has-more", () => expect([quiet.hasMore, page.hasMore]).toEqual([false, false]));
  it("poll-max-events-cap", async () => {
    const half = await poll({ cursor: first.cursor, maxEvents: 1 });
    const rest = await poll({ cursor: half.cursor, maxEvents: 1 });
    expect([half.hasMore, rest.hasMore]).toEqual([true, false]);
    expect([...half.events, ...rest.events]).toEqual(page.events);
  });
  it("poll-stateless-request", async () => {
    const other = await eventHost(board, me.key, "/mcp", "2025-11-25");
    expect((await other.ask("events/poll", { ...TOPIC, cursor: first.cursor })).events).toEqual(page.events);
    await other.close();
  });
  it("poll-errors-are-jsonrpc", async () => {
    const answer = await host.refused("events/poll", { name: "post.matched" });
    expect([answer.code, answer.message]).toEqual([-32602, expect.any(String)]);
  });
  it("poll-invalid-arguments", async () => {
    expect(await refused({ arguments: { tags: "row", limit: 5 } })).toBe(-32602);
    expect(await refused({ arguments: { kind: "furniture" } })).toBe(-32602);
  });
  it("removal-poll-not-found", async () => expect(await refused({ name: "post.painted" })).toBe(-32011));

  const occurrence = () => page.events[0];
  it("occurrence-event-id", () => expect(occurrence().eventId).toMatch(/^evt_\w+$/));
  it("occurrence-name", () => expect(occurrence().name).toBe("post.matched"));
  it("occurrence-timestamp", () => {
    const { timestamp } = occurrence();
    expect(new Date(timestamp).toISOString()).toBe(timestamp);
  });
  it("occurrence-data", () => {
    const ajv = new Ajv2020({ strict: false });
    const validate = ajv.compile(listed.events[1].payloadSchema);
    for (const { data } of page.events) expect([validate(data), validate.errors]).toEqual([true, null]);
  });
  it("occurrence-cursor-optional", () => expect(occurrence()).not.toHaveProperty("cursor"));
  it("occurrence-meta-ungoverned", () => expect(occurrence()._meta ?? {}).toBeTypeOf("object"));
  it("occurrence-event-id-from-upstream", () => {
    for (const { eventId, data } of page.events) expect(eventId).toBe(`evt_${data.post_id}`);
  });

  it("cursor-opaque", async () => {
    const copied = JSON.parse(JSON.stringify(page.cursor));
    expect(await poll({ cursor: copied })).toMatchObject({ events: [], truncated: false });
  });
  it("cursor-null-starts-from-now", async () => {
    expect((await poll({ cursor: null })).events).toEqual([]);
  });
  it("cursor-absent-equals-null", () => {
    expect([again.events, again.truncated, again.hasMore]).toEqual([[], false, false]);
  });
  it("cursor-consistency", async () => {
    for (const changes of [{}, { cursor: null }, { cursor: page.cursor }, { cursor: "lost" }])
      expect((await poll(changes)).cursor).toBeTypeOf("string");
  });
  it("cursor-advances-when-quiet", async () => {
    const later = await poll({ cursor: quiet.cursor });
    expect(later.events).toEqual(page.events);
  });
  it("max-age-ms-floor", async () => {
    expect((await poll({ cursor: first.cursor, maxAgeMs: 600_000 })).events).toEqual(page.events);
    now += 1_000;
    expect((await poll({ cursor: first.cursor, maxAgeMs: 999 })).events).toEqual([]);
  });
  it("max-age-ms-sets-truncated", async () => {
    expect((await poll({ cursor: first.cursor, maxAgeMs: 999 })).truncated).toBe(true);
    expect((await poll({ cursor: first.cursor, maxAgeMs: 600_000 })).truncated).toBe(false);
  });
  it("max-age-ms-ignored-when-cursor-null", async () => {
    expect(await poll({ cursor: null, maxAgeMs: 600_000 })).toMatchObject({ events: [], truncated: false });
  });
  it("replay-ceiling-sets-truncated", async () => {
    now += 29 * DAY_MS;
    expect((await poll({ cursor: first.cursor })).truncated).toBe(false);
    now += 2 * DAY_MS;
    expect(await poll({ cursor: first.cursor })).toMatchObject({ events: [], truncated: true });
  });
  it("truncated-returns-fresh-cursor", async () => {
    const { cursor } = await poll({ cursor: "lost" });
    expect(await poll({ cursor })).toMatchObject({ events: [], truncated: false });
  });
  it("truncated-poll-never-an-error", async () => {
    for (const cursor of ["", "lost", `${page.cursor}x`])
      expect(await poll({ cursor })).toMatchObject({ events: [], truncated: true });
  });
});
