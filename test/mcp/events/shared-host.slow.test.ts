import { expect, it } from "vitest";
import { eventually, register } from "../../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";
import { eventHost, newSecret, startHostWebhook } from "../../support/clients/event-hosts.ts";

const board = useTestBoard({ WEBHOOK_ALLOW: "127.0.0.1" });
const writer = usePublisher(board, "Writer");

it("fifty people at one host of agents, with a hundred subscriptions, do not wait for each other", async () => {
  let underWay = 0;
  let most = 0;
  const webhook = await startHostWebhook(() => {
    underWay += 1;
    most = Math.max(most, underWay);
    setTimeout(() => {
      underWay -= 1;
    }, 300);
    return { delayMs: 300 };
  });
  for (let person = 0; person < 50; person += 1) {
    const host = await eventHost(board, (await register(board, `Person ${person}`)).key);
    for (const topic of ["a", "b"]) {
      await host.ask("events/subscribe", {
        name: "post.matched",
        arguments: { tags: `shared,${topic}` },
        delivery: { mode: "webhook", url: webhook.url, secret: newSecret() },
      });
    }
    await host.close();
  }
  await write(board, writer.key, { title: "For all", tags: ["shared"] });
  const told = await eventually(
    async () => new Set(webhook.messages.map(({ headers }) => headers["x-mcp-subscription-id"])).size,
    (count) => count === 100,
    60_000,
  );
  expect(told).toBe(100);
  expect(webhook.messages).toHaveLength(100);
  // Two at once would take fifteen seconds.
  expect(most).toBeGreaterThan(8);
  expect(most).toBeLessThanOrEqual(17);
  await webhook.stop();
});
