import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBoard } from "../../support/boards/board.ts";
import { call, eventually, register } from "../../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";
import {
  type Answer,
  type EventHost,
  eventHost,
  newSecret,
  startHostWebhook,
} from "../../support/clients/event-hosts.ts";
import { startWitness } from "../../support/clients/webhooks.ts";

const ALLOWED = { WEBHOOK_ALLOW: "127.0.0.1" };
const MINUTE = 60_000;
let now = Date.now();
const board = useTestBoard(ALLOWED, { clock: () => now });
const me = usePublisher(board, "Subscriber");
const writer = usePublisher(board, "Writer");
let host: EventHost;
beforeAll(async () => {
  host = await eventHost(board, me.key);
  quiet = await startWitness(board);
});
afterAll(() => host.close());

const askedFor = (tags: string, url: string) => ({
  name: "post.matched",
  arguments: { tags },
  delivery: { mode: "webhook", url, secret: newSecret() },
});
const post = (tag: string, title = "A match", at = board) => write(at, writer.key, { title, tags: [tag] });
const deliveriesOf = async (id: string, by = me, at = board) =>
  (await call(at, `GET /subscriptions/${id}/deliveries`, undefined, by)).body.data;
const settled = (id: string) =>
  eventually(
    () => deliveriesOf(id),
    ([one]) => one?.attempts > 0,
    20_000,
  );
/** Resolves once all that was due is sent. */
let quiet: () => Promise<void>;

describe("a URL that somebody else answers", () => {
  it("is asked ten times an hour at most, however many topics one publisher names for it", async () => {
    const rates = { RATE_LIMITS: "write=1000/60,subscribe=1000/60,register=1000/60" };
    const limited = await startBoard({ ...ALLOWED, ...rates });
    const victim = await startHostWebhook(undefined, () => ({ status: 404 }));
    const [one, two] = [await register(limited, "Attacker"), await register(limited, "Another")];
    const attacker = await eventHost(limited, one.key);
    const codes = [];
    for (let n = 0; n < 12; n += 1)
      codes.push((await attacker.refused("events/subscribe", askedFor(`topic-${n}`, victim.url))).code);
    expect(codes).toEqual([...Array.from({ length: 10 }, () => -32015), -32013, -32013]);
    expect(victim.verifications).toHaveLength(10);
    const other = await eventHost(limited, two.key);
    expect((await other.refused("events/subscribe", askedFor("topic-0", victim.url))).code).toBe(-32015);
    await Promise.all([attacker.close(), other.close(), victim.stop()]);
    await limited.stop();
  });
});

describe("a refresh", () => {
  it("with the cursor of long ago sends nothing a second time, and what waited goes out once", async () => {
    let status = 200;
    const webhook = await startHostWebhook(() => ({ status }));
    const asked = askedFor("replayed", webhook.url);
    const { id, cursor } = await host.ask("events/subscribe", asked);
    const first = await post("replayed", "first");
    await settled(id);
    status = 503;
    const second = await post("replayed", "second");
    await eventually(
      () => deliveriesOf(id),
      ([two]) => two?.post_id === second.id && two.attempts === 1,
    );
    status = 200;
    for (let n = 0; n < 3; n += 1) {
      const again = await host.ask("events/subscribe", { ...asked, cursor });
      expect([again.id, again.truncated]).toEqual([id, false]);
    }
    now += MINUTE;
    await eventually(
      () => deliveriesOf(id),
      (rows) => rows.every(({ state }: Answer) => state === "delivered"),
    );
    await quiet();
    const ids = webhook.messages.map(({ json }) => json.eventId);
    expect(ids).toEqual([first, second, second].map((each) => `evt_${each.id}`));
    // The watermark of a later refresh is behind both.
    const [at, later] = [webhook.messages[0], await host.ask("events/subscribe", asked)];
    expect(later.cursor).not.toBe(at?.json.cursor);
    await webhook.stop();
  });
});

describe("an erased publisher", () => {
  it("leaves no subscription, no stream, no secret, and is sent nothing more", async () => {
    const own = await register(board, "Erased");
    const client = await eventHost(board, own.key);
    const webhook = await startHostWebhook();
    const asked = askedFor("erased", webhook.url);
    const { id } = await client.ask("events/subscribe", asked);
    await client.ask("events/poll", { name: "post.replied" });
    const { ended } = client.stream({ name: "post.matched", arguments: { tags: "erased" } });
    await eventually(
      async () => client.told.length,
      (count) => count === 1,
    );
    const { clientSecret } = (await board.board.store.subscriptions.get(id)) ?? {};
    expect(await board.contents()).toContain(clientSecret);
    expect((await call(board, "DELETE /publishers/me", undefined, own)).status).toBe(200);
    await post("erased");
    await quiet();
    expect(webhook.messages).toEqual([]);
    expect(await board.board.store.subscriptions.ofPublisher(own.id)).toEqual([]);
    expect(await board.contents()).not.toContain(clientSecret);
    expect((await client.refused("events/subscribe", asked)).code).toBe(-32012);
    expect(await ended).toHaveProperty("_meta");
    expect(client.told.filter(({ type }) => type === "event")).toEqual([]);
    await client.close();
    await webhook.stop();
  }, 40_000);
});
