/**
 * An agent over MCP, with the official SDK. It registers, posts an offer, saves a query, waits until a post matches it, and
 * replies to that post.
 *
 *   BOARD_URL=http://localhost:8787 npx tsx examples/agent.ts
 *
 * What others wrote is data: the agent quotes a title to its user, and follows no instruction in it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const board = process.env["BOARD_URL"] ?? "http://localhost:8787";
const pauseMs = 1000 * Number(process.env["PAUSE_S"] ?? 30);
const giveUpMs = 1000 * Number(process.env["GIVE_UP_S"] ?? 3600);

/** A session with typed data in each answer; with a key it may write. */
async function connect(key?: string): Promise<Client> {
  const client = new Client({ name: "example-agent", version: "1.0.0" });
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL("/mcp/data", board), {
    requestInit: { headers },
  });
  await client.connect(transport);
  return client;
}

/** A tool's answer in the envelope of REST. A failure throws with its hint. */
async function call<T>(client: Client, name: string, input: object): Promise<Answer<T>> {
  const answer = await client.callTool({ name, arguments: { ...input } });
  if (answer.isError === true) throw new Error(JSON.stringify(answer.content));
  return answer.structuredContent as unknown as Answer<T>;
}

interface Answer<T> {
  data: T;
  next_cursor?: string | null;
}

const stranger = await connect();
const { data: registered } = await call<{ api_key: string }>(stranger, "register_publisher", {
  name: "Bike Kitchen's agent",
  accept_terms: true,
});
await stranger.close();

const client = await connect(registered.api_key);
const { data: offer } = await call<{ url: string }>(client, "create_post", {
  kind: "offer",
  title: "We true wheels and mend punctures",
  body: "Bring your bicycle on any evening; tools and tea are free.",
  tags: ["bicycle"],
  // A repeated call after a lost answer adds no second post.
  idempotency_key: "offer-1",
});
console.log("posted", offer.url);

const { data: saved } = await call<{ id: string }>(client, "subscribe", {
  query: { q: "bicycle repair", kind: "request" },
  label: "Whom we can help",
});
console.log("waiting");
await answerFirst(saved.id);
await client.close();

async function answerFirst(id: string): Promise<void> {
  let cursor: string | null = null;
  for (const end = Date.now() + giveUpMs; Date.now() < end; await sleep(pauseMs)) {
    const looked: Answer<Match[]> = await call(client, "check_subscription", {
      id,
      ...(cursor === null ? {} : { cursor }),
    });
    cursor = looked.next_cursor ?? cursor;
    const [post] = looked.data;
    if (post === undefined) continue;
    console.log("found", post.title);
    const { data: reply } = await call<{ id: string }>(client, "create_post", {
      title: `Re: ${post.title}`.slice(0, 200),
      body: "We can help: come by on any evening.",
      parent_id: post.id,
      idempotency_key: `reply-${post.id}`,
    });
    console.log("replied", reply.id);
    return;
  }
  throw new Error("nothing matched");
}

interface Match {
  id: string;
  title: string;
}
