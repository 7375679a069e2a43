/**
 * Receives matches by webhook. SECRET is what the answer to `POST /subscriptions` showed; before that answer there is
 * none, and the receiver only gives its consent.
 *
 *   SECRET=whsec_… PORT=9000 npx tsx examples/webhook-receiver.ts
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

const MAX_BYTES = 256 * 1024;
const secret = process.env["SECRET"];
/** The board sends at least once; a receiver that must not forget keeps these in its database. */
const seen = new Set<string>();

const server = createServer(async (request, response) => {
  const answer = (status: number, body = "") => void response.writeHead(status).end(body);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return answer(413);
    chunks.push(chunk);
  }
  // The signature is over these bytes: they are parsed only afterwards.
  const raw = Buffer.concat(chunks).toString("utf8");
  const message = parsed(raw);
  if (message?.["type"] === "webhook.challenge") return answer(200, String(message["challenge"]));

  if (secret === undefined) return answer(503);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  try {
    new Webhook(secret).verify(raw, headers);
  } catch {
    return answer(401);
  }
  // Answered at once: work that takes long comes later.
  answer(204);
  const id = headers["webhook-id"] ?? "";
  if (seen.has(id)) return;
  seen.add(id);
  const post = (message?.["data"] as { post?: { title: string } } | undefined)?.post;
  // A stranger wrote the title: it is shown, never obeyed.
  if (post !== undefined) console.log("matched", post.title);
});

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

server.listen(Number(process.env["PORT"] ?? 9000), "127.0.0.1", () => {
  console.log("listening", (server.address() as AddressInfo).port);
});
