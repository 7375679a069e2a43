import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ON_MONGODB, startBoard } from "../../support/boards/board.ts";
import { call, eventually, register } from "../../support/boards/client.ts";
import { waitersAt } from "../../support/boards/settled.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";
import { type Answer, type EventHost, eventHost, hostOver } from "../../support/clients/event-hosts.ts";
import { stdioCommand } from "../../support/clients/stdio.ts";

const board = useTestBoard();
const me = usePublisher(board, "Listener");
const writer = usePublisher(board, "Writer");
let topics = 0;

function aTopic() {
  topics += 1;
  const tag = `stream-${topics}`;
  const topic = { name: "post.matched", arguments: { tags: tag } };
  const post = (title: string) => write(board, writer.key, { title, tags: [tag] });
  return { topic, tag, post };
}

const first = (host: EventHost, type: string, count = 1): Promise<Answer> =>
  eventually(
    async () => host.told.filter((told) => told.type === type),
    ({ length }) => length >= count,
    40_000,
  );

describe("events/stream", () => {
  it("says that it is active, then tells each event with its cursor, under the id of its request", async () => {
    const { topic, post } = aTopic();
    const host = await eventHost(board, me.key);
    const { cancel, ended } = host.stream(topic);
    const [active] = await first(host, "active");
    expect(active).toMatchObject({ truncated: false, cursor: expect.any(String) });
    const posts = [await post("one"), await post("two")];
    const events = await first(host, "event", 2);
    expect(events.map(({ eventId }: Answer) => eventId)).toEqual(posts.map(({ id }) => `evt_${id}`));
    const ids = host.told.map((told) => told._meta["io.modelcontextprotocol/subscriptionId"]);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toEqual(expect.any(Number));
    expect(host.told[0].type).toBe("active");
    cancel();
    await ended;
    await waitersAt(board, 0);
    // It goes on where it ended, and a lost place is told of.
    const again = await eventHost(board, me.key);
    again.stream({ ...topic, cursor: events[0].cursor });
    const [{ cursor: from }] = await first(again, "active");
    const { events: rest } = await again.ask("events/poll", { ...topic, cursor: from });
    expect(rest.map(({ eventId }: Answer) => eventId)).toEqual([posts[1]?.id].map((id) => `evt_${id}`));
    expect((await first(again, "event"))[0].eventId).toBe(events[1].eventId);
    const lost = await eventHost(board, me.key);
    lost.stream({ ...topic, cursor: "lost" });
    expect((await first(lost, "active"))[0].truncated).toBe(true);
    await Promise.all([host.close(), again.close(), lost.close()]);
    await waitersAt(board, 0);
  });

  it("gives more than one page of what came before, where a poll gives fifty, or a hundred at most", async () => {
    const { topic, post } = aTopic();
    const host = await eventHost(board, me.key);
    const { cursor } = await host.ask("events/poll", topic);
    for (let n = 0; n < 101; n += 1) await post(`post ${n}`);
    host.stream({ ...topic, cursor, maxEvents: 30 });
    const events = await first(host, "event", 101);
    expect(events.map(({ data }: Answer) => data.title)).toEqual(
      Array.from({ length: 101 }, (_, n) => `post ${n}`),
    );
    for (const [asked, given] of [
      [undefined, 50],
      [1_000, 100],
    ]) {
      const page = await host.ask("events/poll", { ...topic, cursor, maxEvents: asked });
      expect([page.events.length, page.hasMore]).toEqual([given, true]);
    }
    await host.close();
    await waitersAt(board, 0);
  });

  it("ends with its closing result when the board stops", async () => {
    const stopping = await startBoard();
    const { key } = await register(stopping);
    const host = await eventHost(stopping, key);
    const { ended } = host.stream(aTopic().topic);
    await first(host, "active");
    await waitersAt(stopping, 1);
    stopping.board.services.waits.stop();
    expect(await ended).toMatchObject({
      _meta: { "io.modelcontextprotocol/subscriptionId": expect.any(Number) },
    });
    await host.close();
    await stopping.stop();
  });

  it("ends by itself after an hour", async () => {
    const { waits } = board.board.services;
    const matchesAfter = waits.matchesAfter.bind(waits);
    // Here an hour has a tenth of a second.
    const spy = vi
      .spyOn(waits, "matchesAfter")
      .mockImplementation((who, from, { seconds, line }) =>
        matchesAfter(who, from, { seconds: seconds / 36_000, line }),
      );
    onTestFinished(() => spy.mockRestore());
    const host = await eventHost(board, me.key);
    expect(await host.stream(aTopic().topic).ended).toHaveProperty("_meta");
    expect(spy.mock.calls.map(([, , { seconds }]) => seconds)).toEqual([3_600]);
    await host.close();
  });

  it("cannot be one of a batch", async () => {
    const stream = { jsonrpc: "2.0", id: 1, method: "events/stream", params: aTopic().topic };
    const answer = await fetch(`${board.url}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${me.key}` },
      body: JSON.stringify([stream, { ...stream, id: 2 }]),
    });
    expect(await answer.text()).toContain("-32601");
  });

  it("refuses the 51st of a publisher before it begins, beside calls that wait; hang-ups leave nothing", async () => {
    const { topic, post } = aTopic();
    const many = await register(board, "Many");
    const more = await register(board, "More");
    const hosts = await Promise.all([eventHost(board, many.key), eventHost(board, more.key)]);
    const open = async (host: EventHost, count: number) => {
      // The streams find what this made. Where each had to make it, they would wait for each other, and a slow store gives up.
      await host.ask("events/poll", topic);
      const before = host.told.filter(({ type }) => type === "active").length;
      const streams = Array.from({ length: count }, () => host.stream(topic));
      await first(host, "active", before + count);
      return streams;
    };
    const hangUp = new AbortController();
    for (const name of ["Waits", "Waits too"]) {
      const { key } = await register(board, name);
      const asked = { headers: { authorization: `Bearer ${key}` }, signal: hangUp.signal };
      for (let n = 0; n < 30; n += 1)
        fetch(`${board.api}/publishers/me/inbox?wait_s=50`, asked).catch(() => null);
    }
    const [one, two] = await Promise.all(hosts.map((host, at) => open(host, at === 0 ? 50 : 10)));
    await waitersAt(board, 120);
    const refused = await hosts[0]?.refused("events/stream", topic);
    expect(refused).toMatchObject({ code: -32013, data: { limit: "streams", max: 50 } });
    await post("for all");
    for (const [at, host] of hosts.entries()) await first(host as EventHost, "event", at === 0 ? 50 : 10);
    for (const { cancel } of [...(one ?? []), ...(two ?? [])]) cancel();
    await waitersAt(board, 60);
    hangUp.abort();
    await waitersAt(board, 0);
    await Promise.all(hosts.map((host) => host.close()));
  });
});

describe("a silent stream", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("has a heartbeat with its cursor every 25 s", async () => {
    const host = await eventHost(board, me.key);
    const { topic, post } = aTopic();
    host.stream(topic);
    const [{ cursor }] = await first(host, "active");
    vi.advanceTimersByTime(24_999);
    await post("before its first heartbeat");
    const [event] = await first(host, "event");
    vi.advanceTimersByTime(1);
    const [beat] = await first(host, "heartbeat");
    expect(host.told.map(({ type }) => type)).toEqual(["active", "event", "heartbeat"]);
    expect(beat.cursor).toBe(event.cursor);
    expect(beat.cursor).not.toBe(cursor);
    vi.advanceTimersByTime(25_000);
    expect((await first(host, "heartbeat", 2))[1].cursor).toBe(event.cursor);
    await host.close();
    await waitersAt(board, 0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends with its next heartbeat after its publisher deletes it, or is suspended, and says so", async () => {
    const bad = await register(board, "Suspended soon");
    const leaving = await register(board, "Deletes");
    const rotates = await register(board, "Rotates");
    const hosts = await Promise.all([bad, leaving, rotates].map(({ key }) => eventHost(board, key)));
    const [suspended, deleted, rotated] = hosts as [EventHost, EventHost, EventHost];
    const ends = hosts.map((host) => host.stream({ name: "post.replied" }).ended);
    for (const host of hosts) await first(host, "active");
    await board.board.services.moderation.act("suspend", bad.id, "test", Date.now());
    const [row] = (await call(board, "GET /subscriptions", undefined, leaving)).body.data;
    await call(board, `DELETE /subscriptions/${row.id}`, undefined, leaving);
    await call(board, "POST /publishers/me/rotate-key", {}, rotates);
    vi.advanceTimersByTime(25_000);
    for (const answer of await Promise.all(ends)) expect(answer).toHaveProperty("_meta");
    const over = (host: EventHost) => host.told.filter(({ type }) => type === "terminated");
    expect(over(suspended)).toMatchObject([{ error: { code: -32012 } }]);
    expect(over(deleted)).toMatchObject([{ error: { code: -32011 } }]);
    expect(over(rotated)).toEqual([]);
    await Promise.all(hosts.map((host) => host.close()));
  });
});

describe.skipIf(ON_MONGODB)("over stdio", () => {
  let own: string;
  beforeAll(() => {
    own = join(board.dataDir, "stdio");
  });
  const started = (args: string[], key = me.key, revision?: string) => {
    const command = stdioCommand(own, args, { BOARD_API_KEY: key });
    return hostOver(new StdioClientTransport({ ...command, stderr: "ignore" }), revision);
  };

  it("a relay carries polls and streams, and cancels them", async () => {
    const { topic, post } = aTopic();
    const host = await started(["--url", board.url]);
    const { cursor } = await host.ask("events/poll", topic);
    const { cancel } = host.stream(topic);
    await first(host, "active");
    const { id } = await post("relayed");
    expect((await first(host, "event"))[0].eventId).toBe(`evt_${id}`);
    const { events } = await host.ask("events/poll", { ...topic, cursor });
    expect(events).toMatchObject([{ eventId: `evt_${id}` }]);
    cancel();
    await waitersAt(board, 0);
    await host.close();
  });

  it.each(["2026-07-28", "2025-11-25"])(
    "a board of its own has several streams on one pipe: %s",
    async (revision) => {
      const local = await startBoard({}, { dataDir: own, idle: true });
      const { key } = await register(local, `Local ${revision}`);
      await local.stop();
      const host = await started([], key, revision);
      const tag = `pipe-${revision}`;
      const [wide, narrow] = [
        host.stream({ name: "post.matched", arguments: { tags: `${tag},other` } }),
        host.stream({ name: "post.matched", arguments: { tags: tag } }),
      ];
      await first(host, "active", 2);
      const made = await host.client.callTool({
        name: "create_post",
        arguments: { title: "A post on the pipe", body: "It is told twice.", tags: [tag] },
      });
      expect(made.isError).not.toBe(true);
      const events = await first(host, "event", 2);
      expect(new Set(events.map(({ eventId }: Answer) => eventId)).size).toBe(1);
      narrow.cancel();
      const { cursor } = events[0];
      expect(cursor).toEqual(expect.any(String));
      wide.cancel();
      await host.close();
    },
  );
});
