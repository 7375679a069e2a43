import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type { TestBoard } from "../boards/board.ts";
import { call, eventually, register } from "../boards/client.ts";
import { write } from "../boards/writing.ts";
import { type Received, type Response, startReceiver } from "./receiver.ts";

/** A message that reached a webhook, body parsed. */
export interface Message extends Received {
  /** When it arrived, epoch milliseconds. */
  at: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any member of any message
  json: any;
}

export interface Webhook {
  url: string;
  challenges: Message[];
  /** Everything but challenges. */
  messages: Message[];
  stop(): Promise<void>;
}

/** Consents to a challenge in the documented way. */
export const consent = ({ body }: Pick<Received, "body">): Response => ({ body: JSON.parse(body).challenge });

/** A webhook that consents by default, and answers everything else with `answer`. */
export async function startWebhook(
  answer: (message: Message) => Response = () => ({}),
  toChallenge: (request: Received) => Response = consent,
): Promise<Webhook> {
  const challenges: Message[] = [];
  const messages: Message[] = [];
  // Each has its own path: systems reuse ports, and a board may still try to reach the port's previous owner.
  const own = `/${randomUUID()}`;
  const receiver = await startReceiver((request) => {
    if (!request.path.endsWith(own)) return { status: 404 };
    const message = { ...request, at: Date.now(), json: JSON.parse(request.body) };
    if (message.json.type === "webhook.challenge") {
      challenges.push(message);
      return toChallenge(request);
    }
    messages.push(message);
    return answer(message);
  });
  return { url: receiver.url + own, challenges, messages, stop: receiver.stop };
}

/** Saves a query with a webhook and waits for its consent. */
export async function subscribeTo(
  board: Pick<TestBoard, "api">,
  key: string,
  webhook: Pick<Webhook, "url">,
  query: object,
): Promise<{ id: string; secret: string }> {
  const { body } = await call(board, "POST /subscriptions", { query, webhook_url: webhook.url }, { key });
  const { id, secret } = body.data;
  await eventually(
    () => call(board, `GET /subscriptions/${id}`, undefined, { key }),
    (answer) => answer.body.data.webhook_verified,
  );
  return { id, secret };
}

/**
 * A webhook of its own, by which a test knows that nothing more comes to another: once two posts, one after the other, reached
 * it, everything that was due before them has been sent.
 * @returns writes the two posts, and resolves when both arrived
 */
export async function startWitness(board: Pick<TestBoard, "api">): Promise<() => Promise<void>> {
  const { key } = await register(board, "Witness");
  const webhook = await startWebhook();
  await subscribeTo(board, key, webhook, { tags: "witnessed" });
  return async () => {
    for (let posts = 0; posts < 2; posts += 1) {
      const { id } = await write(board, key, { tags: ["witnessed"] });
      const hasCome = async () => webhook.messages.some(({ json }) => json.data.post.id === id);
      await eventually(hasCome, (has) => has);
    }
  };
}

/** The shell verification as docs/webhooks.md prints it. */
export function documentedShell(): string {
  const page = readFileSync(new URL("../../../docs/webhooks.md", import.meta.url), "utf8");
  return /```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
}
