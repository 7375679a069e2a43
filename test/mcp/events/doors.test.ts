import { describe, expect, it } from "vitest";
import { call, eventually } from "../../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";
import {
  type Answer,
  type EventHost,
  eventHost,
  newSecret,
  startHostWebhook,
} from "../../support/clients/event-hosts.ts";
import { decide, RawHost } from "../../support/clients/sign-in.ts";
import { startWitness } from "../../support/clients/webhooks.ts";

const board = useTestBoard({ SIGN_IN: "on", WEBHOOK_ALLOW: "127.0.0.1" });
const me = usePublisher(board, "Subscriber");
const writer = usePublisher(board, "Writer");

/** The token of a host that signed in as the publisher. */
async function signedIn(): Promise<string> {
  const host = await RawHost.register(board);
  const back = await decide(host.start(), { key: me.key });
  return (await host.exchange(back.searchParams.get("code") ?? "")).body.access_token;
}

describe.each(["/mcp", "/mcp/data", "/mcp/me"])("%s", (path) => {
  const opened = async (): Promise<EventHost> =>
    eventHost(board, path === "/mcp/me" ? await signedIn() : me.key, path);

  it("declares events, and carries the same ids by poll, stream and webhook", async () => {
    const host = await opened();
    const capabilities = host.client.getServerCapabilities()?.["extensions"];
    expect(capabilities).toEqual({ "io.modelcontextprotocol/events": {} });
    const tags = `door${path.replaceAll("/", "-")}`;
    const topic = { name: "post.matched", arguments: { tags } };
    const webhook = await startHostWebhook();
    const delivery = { mode: "webhook", url: webhook.url, secret: newSecret() };
    const { id } = await host.ask("events/subscribe", { ...topic, delivery });
    const { cursor } = await host.ask("events/poll", topic);
    const { cancel } = host.stream(topic);
    await eventually(
      async () => host.told.length,
      (count) => count === 1,
    );
    const wanted = [];
    for (const title of ["one", "two"])
      wanted.push(`evt_${(await write(board, writer.key, { title, tags: [tags] })).id}`);
    const idsOf = (events: readonly Answer[]) => events.map(({ eventId }: Answer) => eventId);
    const streamed = () => host.told.filter(({ type }) => type === "event");
    await expect.poll(() => idsOf(streamed())).toEqual(wanted);
    await expect
      .poll(() => new Set(idsOf(webhook.messages.map(({ json }) => json))))
      .toEqual(new Set(wanted));
    expect(idsOf((await host.ask("events/poll", { ...topic, cursor })).events)).toEqual(wanted);
    // Rows are the publisher's own, whoever made them.
    const { body } = await call(board, "GET /subscriptions", undefined, me);
    expect(body.data.map((row: Answer) => row.id)).toContain(id);
    cancel();
    expect(await host.ask("events/unsubscribe", { ...topic, delivery })).toMatchObject({});
    await host.close();
    await webhook.stop();
  });
});

it("a host that was signed out subscribes, polls and streams no more, and its webhook is told nothing", async () => {
  const host = await eventHost(board, await signedIn(), "/mcp/me");
  const webhook = await startHostWebhook();
  const topic = { name: "post.matched", arguments: { tags: "signed-out" } };
  const delivery = { mode: "webhook", url: webhook.url, secret: newSecret() };
  await host.ask("events/subscribe", { ...topic, delivery });
  const rotated = await call(board, "POST /publishers/me/rotate-key", { sign_out_hosts: true }, me);
  me.key = rotated.body.data.api_key;
  await expect(host.ask("events/poll", topic)).rejects.toThrow();
  await expect(host.ask("events/subscribe", { ...topic, delivery })).rejects.toThrow();
  await write(board, writer.key, { tags: ["signed-out"] });
  await (await startWitness(board))();
  expect(webhook.messages).toEqual([]);
  await host.close();
  await webhook.stop();
});
