import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { ON_MONGODB, startBoard } from "../../support/boards/board.ts";
import { call, eventually, register } from "../../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";
import { type Answer, type EventHost, eventHost, newSecret } from "../../support/clients/event-hosts.ts";

const DAY_MS = 86_400_000;
/** The board's clock, so that weeks pass in a moment. */
let now = Date.now();
const board = useTestBoard({}, { clock: () => now });
const me = usePublisher(board, "Listener");
const writer = usePublisher(board, "Writer");
let host: EventHost;
let topics = 0;
beforeAll(async () => {
  host = await eventHost(board, me.key);
});
afterAll(() => host.close());

/** A topic that nothing else matches, and a post that does. */
function aTopic() {
  topics += 1;
  const tag = `topic-${topics}`;
  const topic = { name: "post.matched", arguments: { tags: tag } };
  const post = (title: string, fields: object = {}) =>
    write(board, writer.key, { title, tags: [tag], ...fields });
  return { topic, tag, post };
}

const poll = (params: object, by = host) => by.ask("events/poll", params);
/** Polls until so many events are there. */
const polled = (params: object, count: number) =>
  eventually(
    () => poll(params),
    ({ events }) => events.length >= count,
  );
const titles = ({ events }: Answer) => events.map(({ data }: Answer) => data.title);

describe("events/list", () => {
  it("lists both events to anybody, the one that needs no arguments first, with schemas of both sides", async () => {
    const nobody = await eventHost(board, null);
    expect(nobody.client.getServerCapabilities()?.["extensions"]).toEqual({
      "io.modelcontextprotocol/events": {},
    });
    const { events } = await nobody.ask("events/list");
    expect(events.map(({ name }: Answer) => name)).toEqual(["post.replied", "post.matched"]);
    for (const { delivery, inputSchema, payloadSchema, description } of events) {
      expect(delivery).toEqual(["poll", "push", "webhook"]);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(payloadSchema.required).toContain("post_id");
      expect(description).toMatch(/\.$/);
    }
    const fieldsOf = ({ inputSchema }: Answer) => Object.keys(inputSchema.properties).join(" ");
    expect(events.map(fieldsOf)).toEqual([
      "thread",
      "q kind tags near radius_km after before timezone verified publisher thread include_replies include_expired include_syndicated",
    ]);
    expect(events.map(({ description }: Answer) => description)).toEqual([
      "Somebody replied to a post of yours, or in the thread that you name.",
      "A new post answers a saved search: by its words or its meaning, and by every filter. At least one criterion.",
    ]);
    expect(events[0].inputSchema.properties.thread).toEqual({
      type: "string",
      description: "Replies in this thread only: the id of a post.",
    });
    expect(Object.keys(events[0].payloadSchema.properties).join(" ")).toBe(
      "post_id kind title url starts_at ends_at place publisher flags parent_id content_notice",
    );
    expect(events[0].payloadSchema.required).not.toContain("parent_id");
    await nobody.close();
  });

  it("is declared under both keys of the capabilities, and not at the reading door", async () => {
    const discovered = async (path: string) => {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const answer = await fetch(board.url + path, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "server/discover",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta } }),
      });
      return ((await answer.json()) as Answer).result.capabilities;
    };
    expect(await discovered("/mcp")).toMatchObject({
      events: {},
      extensions: { "io.modelcontextprotocol/events": {} },
    });
    expect(await discovered("/mcp/data")).toMatchObject({ events: {} });
    expect(Object.keys(await discovered("/mcp/readonly")).sort()).toEqual(["prompts", "resources", "tools"]);
    const reader = await eventHost(board, me.key, "/mcp/readonly");
    // The SDK's client has a code of its own for what an HTTP server answers to unknown methods.
    for (const method of ["list", "poll", "stream", "subscribe", "unsubscribe"])
      expect((await reader.refused(`events/${method}`)).code).toBe("CLIENT_HTTP_NOT_IMPLEMENTED");
    await reader.close();
  });

  it("leaves out push where a stream could not be cancelled, and refuses it there", async () => {
    const old = await eventHost(board, me.key, "/mcp", "2025-11-25");
    const { events } = await old.ask("events/list");
    expect(events[0].delivery).toEqual(["poll", "webhook"]);
    const { topic } = aTopic();
    expect((await old.refused("events/stream", topic)).code).toBe(-32601);
    expect((await poll(topic, old)).events).toEqual([]);
    await old.close();
  });
});

describe("events/poll", () => {
  it("begins from now, and gives what came since, in order, each once", async () => {
    const { topic, post } = aTopic();
    await post("before");
    const first = await poll(topic);
    expect(first).toMatchObject({ events: [], truncated: false, hasMore: false, nextPollMs: 30_000 });
    expect(await poll({ ...topic, cursor: null })).toMatchObject({ events: [], truncated: false });
    const [starts_at, ends_at] = ["2099-03-04T18:00:00.000Z", "2099-03-04T20:00:00.000Z"];
    const series = { kind: "event", url: "https://example.org/two", location: "Berlin" };
    const later = "2099-03-11T18:00:00.000Z";
    const written = [await post("one"), await post("two", { ...series, starts_at, ends_at })];
    await post("two", { ...series, starts_at: later });
    const page = await polled({ ...topic, cursor: first.cursor }, 2);
    expect(page.events).toMatchObject(
      written.map(({ id, title }) => ({ eventId: `evt_${id}`, name: "post.matched", data: { title } })),
    );
    expect(page.events[0].data).toEqual({
      post_id: written[0]?.id,
      kind: "announcement",
      title: "one",
      url: written[0]?.url,
      starts_at: null,
      ends_at: null,
      place: null,
      publisher: { id: writer.id, name: "Writer", verified: false },
      flags: [],
      content_notice: expect.stringContaining("third parties"),
    });
    expect(page.events[1].data).toMatchObject({
      ...{ kind: "event", starts_at, ends_at, place: "Berlin" },
      also_on: { starts_at: [later], more: 0 },
    });
    expect(page.events[0]).not.toHaveProperty("cursor");
    const { payloadSchema } = (await host.ask("events/list")).events[1];
    const validate = new Ajv2020({ strict: false }).compile(payloadSchema);
    for (const { data } of page.events) expect([validate(data), validate.errors]).toEqual([true, null]);
    expect(await poll({ ...topic, cursor: page.cursor })).toMatchObject({
      events: [],
      cursor: expect.any(String),
    });
    // Each poll stands alone: the same place gives the same again, as it is now.
    await board.board.store.publishers.update(writer.id, { verifiedAt: now });
    const again = await poll({ ...topic, cursor: first.cursor });
    expect(titles(again)).toEqual(["one", "two"]);
    expect(again.events[0].data.publisher.verified).toBe(true);
    await board.board.store.publishers.update(writer.id, { verifiedAt: null });
  });

  it("tells what changed of a post under an id of its own, and of one that is gone no more than that", async () => {
    const { topic, post } = aTopic();
    const { cursor } = await poll(topic);
    const { id } = await post("moves", { kind: "event", starts_at: "2099-03-04T18:00:00Z" });
    const one = await polled({ ...topic, cursor }, 1);
    const edit = { starts_at: "2099-03-05T18:00:00Z" };
    await call(board, `PATCH /posts/${id}`, edit, { key: writer.key });
    const two = await polled({ ...topic, cursor: one.cursor }, 1);
    await call(board, `DELETE /posts/${id}`, undefined, { key: writer.key });
    const three = await polled({ ...topic, cursor: two.cursor }, 1);
    const [told, moved, gone] = [one, two, three].map(({ events }) => events[0]);
    expect(moved.data).toMatchObject({ post_id: id, title: "moves", change: { what: ["starts_at"] } });
    expect(gone.data).toEqual({ post_id: id, change: expect.objectContaining({ what: ["removed"] }) });
    expect([told.eventId, moved.eventId]).toEqual([`evt_${id}`, expect.stringMatching(`^evt_${id}_\\w+$`)]);
    expect(gone.eventId).toMatch(new RegExp(`^evt_${id}_\\w+$`));
    expect(gone.eventId).not.toBe(moved.eventId);
  });

  it("pages by maxEvents, and says when there is more", async () => {
    const { topic, post } = aTopic();
    const { cursor } = await poll(topic);
    for (const title of ["a", "b", "c"]) await post(title);
    await polled({ ...topic, cursor }, 3);
    const one = await poll({ ...topic, cursor, maxEvents: 2 });
    expect([titles(one), one.hasMore, one.nextPollMs]).toEqual([["a", "b"], true, 0]);
    const two = await poll({ ...topic, cursor: one.cursor, maxEvents: 2 });
    expect([titles(two), two.hasMore]).toEqual([["c"], false]);
    expect(titles(await poll({ ...topic, cursor, maxEvents: 1_000 }))).toEqual(["a", "b", "c"]);
    const asked = vi.spyOn(board.board.services.events, "page");
    onTestFinished(() => asked.mockRestore());
    for (const maxEvents of [undefined, null, 1, 50, 99, 100, 101])
      await poll({ ...topic, cursor, maxEvents });
    expect(asked.mock.calls.map(([, { limit }]) => limit)).toEqual([50, 50, 1, 50, 99, 100, 100]);
    for (const maxEvents of [0, -1, 1.5, "5"])
      expect((await host.refused("events/poll", { ...topic, maxEvents })).code).toBe(-32602);
  });

  it("tells of the next date of a series, under the id of the one that was told, once that is over", async () => {
    const { topic, post } = aTopic();
    const { cursor } = await poll(topic);
    const on = (days: number) => ({ kind: "event", starts_at: new Date(now + days * DAY_MS).toISOString() });
    const dates = [await post("Yoga", on(1)), await post("Yoga", on(8))];
    const told = async () => {
      const { events } = await polled({ ...topic, cursor }, 1);
      return events.map(({ eventId, data }: Answer) => [eventId, data.post_id]);
    };
    const eventId = `evt_${dates[0].id}`;
    expect(await told()).toEqual([[eventId, dates[0].id]]);
    now += 2 * DAY_MS;
    expect(await told()).toEqual([[eventId, dates[1].id]]);
  });

  it("skips what is older than maxAgeMs, and says so; from now on it means nothing", async () => {
    const { topic, post } = aTopic();
    const { cursor } = await poll({ ...topic, maxAgeMs: 5 });
    await post("old");
    await polled({ ...topic, cursor }, 1);
    now += 60_000;
    await post("young");
    await polled({ ...topic, cursor }, 2);
    const some = await poll({ ...topic, cursor, maxAgeMs: 59_999 });
    expect([titles(some), some.truncated]).toEqual([["young"], true]);
    const all = await poll({ ...topic, cursor, maxAgeMs: 60_000 });
    expect([titles(all), all.truncated]).toEqual([["old", "young"], false]);
    // What was skipped lies behind the caller.
    now += 1;
    const none = await poll({ ...topic, cursor, maxAgeMs: 0 });
    expect([none.events, none.truncated]).toEqual([[], true]);
    const after = await poll({ ...topic, cursor: none.cursor, maxAgeMs: 60_000 });
    expect([after.events, after.truncated]).toEqual([[], false]);
  });

  it("calls a lost place truncated, never an error", async () => {
    const [mine, other] = [aTopic(), aTopic()];
    const { cursor } = await poll(mine.topic);
    const { cursor: foreign } = await poll(other.topic);
    for (const lost of [foreign, "made up", `${cursor}x`, "a".repeat(2_000)]) {
      const page = await poll({ ...mine.topic, cursor: lost });
      expect([page.events, page.truncated]).toEqual([[], true]);
      expect(await poll({ ...mine.topic, cursor: page.cursor })).toMatchObject({ truncated: false });
    }
  });

  it("calls a place truncated once what came behind it may be gone, after 30 days", async () => {
    const { topic } = aTopic();
    const begun = now;
    const { cursor } = await poll(topic);
    for (const days of [3, 6, 9, 12, 15, 18, 21, 24, 27]) {
      now = begun + days * DAY_MS;
      await poll(topic);
    }
    now = begun + 30 * DAY_MS - 1;
    expect((await poll({ ...topic, cursor })).truncated).toBe(false);
    now += 1;
    expect((await poll({ ...topic, cursor })).truncated).toBe(true);
  });

  it("tells of replies to one's posts, or in one thread, and never of one's own", async () => {
    const mine = await write(board, me.key, { title: "My offer" });
    const theirs = await write(board, writer.key, { title: "Their thread" });
    const toMe = { name: "post.replied" };
    const inThread = { name: "post.replied", arguments: { thread: theirs.id } };
    const [{ cursor: a }, { cursor: b }] = [await poll(toMe), await poll(inThread)];
    await write(board, me.key, { title: "Mine", parent_id: mine.id });
    await write(board, me.key, { title: "Mine too", parent_id: theirs.id });
    const reply = await write(board, writer.key, { title: "Still there?", parent_id: mine.id });
    const own = await write(board, writer.key, { title: "An answer", parent_id: theirs.id });
    const [page] = [await polled({ ...toMe, cursor: a }, 1)];
    expect(page.events).toMatchObject([
      { eventId: `evt_${reply.id}`, name: "post.replied", data: { parent_id: mine.id } },
    ]);
    expect((await polled({ ...inThread, cursor: b }, 1)).events).toMatchObject([
      { eventId: `evt_${own.id}` },
    ]);
    const { data: rows } = (await call(board, "GET /subscriptions", undefined, me)).body;
    const described = rows.map(({ describes }: Answer) => describes);
    expect(described).toEqual(
      expect.arrayContaining(["Replies to your posts", `Replies to post ${theirs.id}`]),
    );
    // The inbox has the reply once, though a subscription matches it too.
    const inbox = await call(board, "GET /publishers/me/inbox", undefined, me);
    const kinds = inbox.body.data
      .filter(({ post }: Answer) => post.id === reply.id)
      .map(({ type }: Answer) => type);
    expect(kinds).toEqual(["reply"]);
  });

  it("needs a key; a wrong or suspended one is Forbidden, with the reason", async () => {
    const { topic } = aTopic();
    const nobody = await eventHost(board, null);
    for (const method of ["poll", "stream", "subscribe", "unsubscribe"]) {
      expect(await nobody.refused(`events/${method}`, topic)).toMatchObject({
        code: -32012,
        data: { reason: "missing_api_key" },
      });
    }
    await nobody.close();
    const bad = await register(board, "Suspended soon");
    const suspended = await eventHost(board, bad.key);
    await poll(topic, suspended);
    await board.board.services.moderation.act("suspend", bad.id, "test", now);
    expect(await suspended.refused("events/poll", topic)).toMatchObject({
      code: -32012,
      data: { reason: "publisher_suspended" },
    });
    await suspended.close();
  });

  it("says what it does not know, and what there is instead", async () => {
    const said = async (params: object, method = "poll") => {
      const { code, message, data } = await host.refused(`events/${method}`, params);
      return {
        code,
        message: message.replace(/^MCP error -\d+: /, ""),
        ...(data === undefined ? {} : { data }),
      };
    };
    expect(await said({ name: "post.painted" })).toEqual({
      code: -32011,
      message: "No such event. This server has: post.replied, post.matched.",
      data: { kind: "event" },
    });
    expect(await said({ name: "post.replied", arguments: { q: "bike" } })).toEqual({
      code: -32602,
      message: "`arguments` has fields that `post.replied` does not take; it takes: thread.",
    });
    const nowhere = { ...aTopic().topic, delivery: { mode: "webhook", url: "https://hooks.example/" } };
    expect(await said(nowhere, "unsubscribe")).toEqual({
      code: -32011,
      message: "There is no such subscription.",
      data: { kind: "subscription" },
    });
    const pushed = { ...nowhere, delivery: { ...nowhere.delivery, mode: "push", secret: newSecret() } };
    expect(await said(pushed, "subscribe")).toMatchObject({
      message: "`delivery.mode` must be `webhook`.",
      data: { feature: "deliveryMode", value: "push" },
    });
  });

  it("refuses what it does not know: an event, an argument, a criterion that is none, wrong values", async () => {
    const refused = async (params: object) => (await host.refused("events/poll", params)).code;
    expect(await refused({ name: "post.painted" })).toBe(-32011);
    for (const wrong of [
      {},
      { name: 7 },
      { name: "post.matched" },
      { name: "post.matched", arguments: {} },
      { name: "post.matched", arguments: { tag: "bikes" } },
      { name: "post.matched", arguments: { q: "bike", limit: 5 } },
      { name: "post.matched", arguments: { kind: "furniture" } },
      { name: "post.matched", arguments: "bikes" },
      { name: "post.replied", arguments: { thread: 5 } },
      { name: "post.replied", arguments: { q: "bike" } },
      { ...aTopic().topic, cursor: 5 },
      { ...aTopic().topic, cursor: "a".repeat(2_001) },
      { ...aTopic().topic, maxAgeMs: "1" },
    ])
      expect([wrong, await refused(wrong)]).toEqual([wrong, -32602]);
  });

  it("means the same subscription for the same arguments in any order, and another for others and of others", async () => {
    const id = async (args: object) => {
      const before = new Set((await list()).map(({ id }: Answer) => id));
      await poll({ name: "post.matched", arguments: args });
      return (await list()).filter((row: Answer) => !before.has(row.id)).length;
    };
    const list = async () => (await call(board, "GET /subscriptions", undefined, me)).body.data;
    expect(await id({ q: "canoe", near: "52.5,13.4", radius_km: 1 })).toBe(1);
    expect(await id({ radius_km: 1.0, near: "52.5,13.4", q: "canoe" })).toBe(0);
    expect(await id({ q: "canoe", near: "52.5,13.4", radius_km: 2 })).toBe(1);
    expect(await id({ q: "caf\u00e9" })).toBe(1);
    // Texts are compared as they are sent.
    expect(await id({ q: "cafe\u0301" })).toBe(1);
    expect(await id({ q: "café" })).toBe(0);
    const somebody = await register(board);
    const theirs = await eventHost(board, somebody.key);
    await poll({ name: "post.matched", arguments: { q: "café" } }, theirs);
    await theirs.close();
    const { data } = (await call(board, "GET /subscriptions", undefined, somebody)).body;
    expect(data.map(({ query }: Answer) => query.q)).toEqual(["café"]);
  });

  it("keeps its subscription for a week from the last use, and begins anew behind that", async () => {
    const { topic, tag, post } = aTopic();
    const { cursor } = await poll(topic);
    const row = async () =>
      (await call(board, "GET /subscriptions", undefined, me)).body.data.find(
        ({ query }: Answer) => query.tags === tag,
      );
    const { expires_at, event } = await row();
    expect([event, Date.parse(expires_at)]).toEqual(["post.matched", now + 7 * DAY_MS]);
    now += 2 * DAY_MS;
    await poll(topic);
    expect((await row()).expires_at).toBe(expires_at);
    now += 3 * DAY_MS;
    const { cursor: later } = await poll(topic);
    expect(Date.parse((await row()).expires_at)).toBe(now + 7 * DAY_MS);
    const { subscriptions, leases } = board.board.store;
    // The job that removes what has lapsed may run at any minute of the system's clock.
    await leases.acquire("job:remove-lapsed", "test", 365 * DAY_MS, now);
    now += 7 * DAY_MS;
    expect(await subscriptions.removeLapsed(now - 1, 100)).toBeGreaterThanOrEqual(0);
    expect(await row()).toBeDefined();
    await subscriptions.removeLapsed(now, 100);
    expect(await row()).toBeUndefined();
    for (const lost of [cursor, later]) {
      const page = await poll({ ...topic, cursor: lost });
      expect([page.events, page.truncated]).toEqual([[], true]);
    }
    const { cursor: anew } = await poll(topic);
    const { id } = await post("after the lapse");
    expect((await polled({ ...topic, cursor: anew }, 1)).events).toMatchObject([{ eventId: `evt_${id}` }]);
  });

  it("is a saved query like the others: it can be listed, paused and deleted over REST and at /join", async () => {
    const { topic, tag, post } = aTopic();
    const { cursor } = await poll(topic);
    const own = await register(board, "Person");
    const person = await eventHost(board, own.key);
    await poll({ name: "post.replied" }, person);
    const form = (fields: Record<string, string>) =>
      fetch(`${board.url}/join`, {
        method: "POST",
        headers: { origin: board.url },
        body: new URLSearchParams({ api_key: own.key, ...fields }),
      }).then((answer) => answer.text());
    const page = await form({ do: "show" });
    expect(page).toContain("Replies to your posts");
    const [{ id: theirs }] = (await call(board, "GET /subscriptions", undefined, own)).body.data;
    expect(page).toContain(theirs);
    await form({ do: "stop", id: theirs });
    expect((await call(board, "GET /subscriptions", undefined, own)).body.data).toEqual([]);
    await person.close();
    // Whoever saves the same query gets a row of their own.
    expect((await call(board, "POST /subscriptions", { query: { tags: tag } }, me)).status).toBe(201);
    const rows = (await call(board, "GET /subscriptions", undefined, me)).body.data;
    const { id } = rows.find(({ query, event }: Answer) => event !== null && query.tags === tag);
    await call(board, `PATCH /subscriptions/${id}`, { active: false }, me);
    await post("while paused");
    await call(board, `PATCH /subscriptions/${id}`, { active: true }, me);
    const { id: seen } = await post("after it");
    expect((await polled({ ...topic, cursor }, 1)).events).toMatchObject([{ eventId: `evt_${seen}` }]);
    await call(board, `DELETE /subscriptions/${id}`, undefined, me);
    now += 1;
    expect(await poll({ ...topic, cursor })).toMatchObject({ events: [], truncated: true });
  });

  it("admits fifty subscriptions of a publisher, also when more are asked for at once", async () => {
    const many = await register(board, "Many");
    const client = await eventHost(board, many.key);
    const answers: Answer[] = [];
    const asked = async (count: number) => {
      const words = Array.from({ length: count }, (_, n) => `word${answers.length + n}`);
      const polls = words.map((q) => poll({ name: "post.matched", arguments: { q } }, client));
      answers.push(...(await Promise.all(polls.map((answer) => answer.catch((error) => error)))));
      return answers.filter(({ code }) => code !== undefined);
    };
    // Not all 53 at once: one publisher's calls wait for each other, and a slow store gives up after 10 s.
    while (answers.length < 48) expect(await asked(12)).toEqual([]);
    const refused = await asked(5);
    expect(refused).toHaveLength(3);
    expect(refused[0]).toMatchObject({ code: -32013, data: { limit: "subscriptions", max: 50 } });
    await client.close();
  });

  it("says when to come back where the board has too much to do", async () => {
    const full = Object.assign(new Error("too many open files"), { code: "EMFILE" });
    const lease = vi.spyOn(board.board.services.events, "lease").mockRejectedValueOnce(full);
    onTestFinished(() => lease.mockRestore());
    expect(await host.refused("events/poll", aTopic().topic)).toMatchObject({
      code: -32013,
      data: { limit: "overloaded", retryAfterMs: 1_000 },
    });
  });

  it.skipIf(ON_MONGODB)("counts each call against its limit, also one that is refused", async () => {
    const strict = await startBoard({ RATE_LIMITS: "read=3/60,subscribe=2/60" });
    const { key } = await register(strict);
    const client = await eventHost(strict, key);
    const codes = async (method: string, params: object, times: number) => {
      const found = [];
      for (let n = 0; n < times; n += 1) found.push((await client.refused(method, params)).code);
      return found;
    };
    // A key may do four times what an address may; connecting has taken a few of these.
    const polls = await codes("events/poll", { name: 5 }, 13);
    expect([polls[0], polls.at(-1)]).toEqual([-32602, -32013]);
    const sent = {
      ...aTopic().topic,
      delivery: { mode: "webhook", url: "https://127.0.0.1/", secret: newSecret() },
    };
    expect(await codes("events/subscribe", sent, 3)).toEqual([-32602, -32602, -32013]);
    expect((await client.refused("events/poll", {})).data).toMatchObject({
      limit: "rate_limited",
      retryAfterMs: expect.any(Number),
    });
    await client.close();
    await strict.stop();
    const readOnly = await startBoard({ READ_ONLY: "on" }, { dataDir: board.dataDir, idle: true });
    const reader = await eventHost(readOnly, me.key);
    for (const method of ["poll", "stream", "subscribe", "unsubscribe"])
      expect(await reader.refused(`events/${method}`, aTopic().topic)).toMatchObject({
        code: -32012,
        data: { reason: "read_only" },
      });
    await reader.close();
    await readOnly.stop();
  });
});

describe("a wrong parameter of an event", () => {
  const delivery = { mode: "webhook", url: "https://hooks.example/", secret: newSecret() };
  it.each<[path: string, method: string, params: object]>([
    ["params.delivery.url", "unsubscribe", { delivery: { ...delivery, url: 5 } }],
    ["params.delivery.secret", "subscribe", { delivery: { ...delivery, secret: "short" } }],
    ["params.maxEvents", "poll", { maxEvents: 0 }],
    ["arguments.kind.0", "poll", { arguments: { kind: ["poem"] } }],
  ])("is named by its whole path: %s", async (path, method, params) => {
    const asked = host.ask(`events/${method}`, { ...aTopic().topic, ...params });
    await expect(asked).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(`\`${path}\`: `),
    });
  });
});
