import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, eventually, register } from "../../../support/boards/client.ts";
import { waitersAt } from "../../../support/boards/settled.ts";
import { usePublisher, useTestBoard } from "../../../support/boards/use.ts";
import { write } from "../../../support/boards/writing.ts";
import { type Answer, type EventHost, eventHost } from "../../../support/clients/event-hosts.ts";

/**
 * The rows of the scenario `events-push` of the conformance suite, each by its id without `sep-9999-stream-`. The board has
 * no answer to one of them: it never tells `notifications/events/error`, since a store that is away for a while holds an
 * event back and loses none (`error-is-recoverable`).
 */
const board = useTestBoard();
const me = usePublisher(board, "Host");
const writer = usePublisher(board, "Writer");
const TOPIC = { name: "post.matched", arguments: { tags: "row" } };
const HEARTBEAT_MS = 30_000;

/** A stream as it is on the wire, read frame by frame. */
async function rawStream(id: string | number, params: object) {
  const hangUp = new AbortController();
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const answer = await fetch(`${board.url}/mcp`, {
    method: "POST",
    signal: hangUp.signal,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${me.key}`,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "events/stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method: "events/stream", params: { ...params, _meta } }),
  });
  const read = { text: "", ended: false };
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) read.text += Buffer.from(chunk).toString("utf8");
    read.ended = true;
  })().catch(() => {});
  const frames = (): Answer[] =>
    read.text
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice(6)));
  const until = (method: string, count = 1) =>
    eventually(
      async () => frames().filter((frame) => frame.method === `notifications/events/${method}`),
      ({ length }) => length >= count,
      HEARTBEAT_MS,
    );
  return { answer, read, reading, frames, until, hangUp: () => hangUp.abort() };
}

describe("events-push", () => {
  let host: EventHost;
  let stream: Awaited<ReturnType<typeof rawStream>>;
  let began: number;
  let beatMs: number;
  const posted: { id: string }[] = [];
  beforeAll(async () => {
    host = await eventHost(board, me.key);
    began = performance.now();
    stream = await rawStream("stream-1", TOPIC);
    await stream.until("active");
    await stream.until("heartbeat");
    beatMs = performance.now() - began;
    for (const title of ["One", "Two"]) posted.push(await write(board, writer.key, { title, tags: ["row"] }));
    await stream.until("event", 2);
  }, 60_000);
  afterAll(async () => {
    stream.hangUp();
    await host.close();
  });
  const refused = async (params: object, by = host) => (await by.refused("events/stream", params)).code;
  const events = () => stream.frames().filter(({ method }) => method?.endsWith("/event"));

  it("implemented", () => expect(stream.answer.headers.get("content-type")).toContain("text/event-stream"));
  it("error-before-open", async () => {
    expect(await refused({ name: "no.such" })).toBe(-32011);
    expect(await refused({ name: "post.matched" })).toBe(-32602);
    const nobody = await eventHost(board, null);
    expect(await refused(TOPIC, nobody)).toBe(-32012);
    await nobody.close();
    const wrong = await rawStream(7, { name: "no.such" });
    await wrong.reading;
    expect(JSON.parse(wrong.read.text)).toMatchObject({ id: 7, error: { code: -32011 } });
  });
  it("active-confirmation", () => {
    expect(stream.frames()[0]).toMatchObject({
      method: "notifications/events/active",
      params: { cursor: expect.any(String), truncated: false },
    });
  });
  it("subscription-id-meta", () => {
    for (const { params } of stream.frames())
      expect(params._meta["io.modelcontextprotocol/subscriptionId"]).toBe("stream-1");
  });
  it("event-notification", () => {
    expect(events().map(({ params }) => params)).toEqual(
      posted.map(({ id }) => ({
        eventId: `evt_${id}`,
        name: "post.matched",
        timestamp: expect.any(String),
        data: expect.objectContaining({ post_id: id }),
        cursor: expect.any(String),
        _meta: expect.anything(),
      })),
    );
  });
  it("gap-resends-active", async () => {
    const lost = await rawStream(2, { ...TOPIC, cursor: "lost" });
    const [active] = await lost.until("active");
    expect(active.params).toMatchObject({ truncated: true, cursor: expect.any(String) });
    await write(board, writer.key, { title: "Three", tags: ["row"] });
    expect(await lost.until("event")).toHaveLength(1);
    lost.hangUp();
  });
  it("heartbeat-required", async () => expect((await stream.until("heartbeat")).length).toBeGreaterThan(0));
  it("heartbeat-carries-cursor", async () => {
    const [[active], [beat]] = [await stream.until("active"), await stream.until("heartbeat")];
    expect(beat.params.cursor).toBe(active.params.cursor);
    const { events: after } = await host.ask("events/poll", { ...TOPIC, cursor: beat.params.cursor });
    expect(after.slice(0, 2).map(({ eventId }: Answer) => eventId)).toEqual(
      posted.map(({ id }) => `evt_${id}`),
    );
  });
  it("heartbeat-interval", () => expect(beatMs).toBeLessThan(HEARTBEAT_MS));
  it("heartbeat-not-sse-comment", () => expect(stream.read.text).not.toMatch(/^:/m));
  it("carries-only-event-notifications", () => {
    for (const { method } of stream.frames()) expect(method).toMatch(/^notifications\/events\//);
  });
  it("cancel-stops-delivery", async () => {
    await waitersAt(board, 1);
    const other = await rawStream(3, { name: "post.matched", arguments: { tags: "hung" } });
    await other.until("active");
    await waitersAt(board, 2);
    other.hangUp();
    await waitersAt(board, 1);
    await write(board, writer.key, { title: "Unheard", tags: ["hung"] });
    expect(other.frames()).toHaveLength(1);
  });
  it("exempt-from-concurrency-cap", async () => {
    const own = await register(board, "Many streams");
    const many = await eventHost(board, own.key);
    const open = Array.from({ length: 40 }, () => many.stream(TOPIC));
    await eventually(
      async () => many.told.length,
      (count) => count === 40,
      20_000,
    );
    // Other calls of the same address go on.
    expect((await call(board, "GET /publishers/me", undefined, own)).status).toBe(200);
    expect((await many.ask("events/poll", TOPIC)).events).toEqual([]);
    for (const { cancel } of open) cancel();
    await many.close();
  });
  it("terminated-ends-subscription", async () => {
    const own = await register(board, "Suspended");
    const ends = await eventHost(board, own.key);
    const { ended } = ends.stream(TOPIC);
    await eventually(
      async () => ends.told.length,
      (count) => count === 1,
    );
    await board.board.services.moderation.act("suspend", own.id, "test", Date.now());
    await ended;
    expect(ends.told.at(-1)).toMatchObject({ type: "terminated", error: { code: -32012 } });
    await ends.close();
  }, 40_000);
  it("final-result-shape and final-result-timing", async () => {
    board.board.services.waits.stop();
    await stream.reading;
    expect(stream.read.ended).toBe(true);
    expect(stream.frames().at(-1)).toEqual({
      jsonrpc: "2.0",
      id: "stream-1",
      result: expect.objectContaining({ _meta: expect.any(Object) }),
    });
  });
});
