/**
 * Subscribes to events of a board by the AI SDK, with a webhook of its own. Prints a line of JSON for each thing that happens:
 * `{ listed }`, `{ subscribed }`, `{ event }`, `{ refreshed }`, `{ unsubscribed }` or `{ failed }`; the last three on the words
 * `refresh` and `unsubscribe` on stdin.
 *
 *   node events.mjs '{"url": "http://127.0.0.1:8787/mcp", "key": "bbk_…", "arguments": {"q": "road bike"}}'
 */

import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { createMCPClient, experimental_createMCPEventWebhook as createWebhook } from "@ai-sdk/mcp";

const { url, key, arguments: args } = JSON.parse(process.argv[2]);
const say = (what) => console.log(JSON.stringify(what));

const rows = new Map();
const store = {
  get: async (name) => rows.get(name),
  getById: async (id) => [...rows.values()].find((row) => row.id === id),
  set: async (row) => void rows.set(row.key, row),
  update: async (name, patch) => void rows.set(name, { ...rows.get(name), ...patch }),
  delete: async (name) => void rows.delete(name),
};
const webhook = createWebhook({
  store,
  onEvent: async ({ event }) => say({ event }),
  onError: (error) => say({ failed: String(error) }),
});
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method, headers } = request;
  const body = Buffer.concat(chunks);
  const answer = await webhook(new Request(`http://127.0.0.1${request.url}`, { method, headers, body }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));

const client = await createMCPClient({
  transport: { type: "http", url, headers: { authorization: `Bearer ${key}` } },
  experimental_events: { store },
});
const events = client.experimental_events;
try {
  const { events: listed } = await events.list();
  say({ listed: listed.map(({ name }) => name) });
  const { id } = await events.subscribe({
    name: "post.matched",
    arguments: args,
    delivery: {
      mode: "webhook",
      url: `http://127.0.0.1:${server.address().port}/hook`,
      allowInsecureLocalhost: true,
    },
  });
  say({ subscribed: id });
  for await (const word of createInterface({ input: process.stdin })) {
    if (word === "refresh") say({ refreshed: (await events.refresh({ id })).id });
    if (word === "unsubscribe") {
      await events.unsubscribe({ id });
      say({ unsubscribed: id });
      break;
    }
  }
} catch (error) {
  say({ failed: String(error) });
}
await client.close();
server.close();
