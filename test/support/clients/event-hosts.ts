import { createHmac, randomBytes } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { TestBoard } from "../boards/board.ts";
import type { Message, Webhook } from "./webhooks.ts";
import { startWebhook } from "./webhooks.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into any member of any answer
export type Answer = any;

const ANY = z.looseObject({});

/** A secret as hosts choose one. */
export const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString("base64")}`;

/** A host that speaks MCP Events by the SDK's client. */
export interface EventHost {
  client: Client;
  /** @throws ProtocolError of the board */
  ask(method: string, params?: object): Promise<Answer>;
  /** The `code` and `data` of a refusal; fails when there was none. */
  refused(method: string, params?: object): Promise<{ code: number; data: Answer; message: string }>;
  /** Everything that streams told, in order, by `type`: `active`, `event`, `heartbeat`, `terminated`. */
  told: Answer[];
  /** Opens a stream; `ended` is its closing result, or its error. */
  stream(params: object): { ended: Promise<Answer>; cancel(): void };
  close(): Promise<void>;
}

/** @param path  the door, `/mcp` by default */
export async function eventHost(
  { url }: Pick<TestBoard, "url">,
  key: string | null,
  path = "/mcp",
  revision = "2026-07-28",
): Promise<EventHost> {
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(url + path), { requestInit: { headers } });
  return hostOver(transport, revision);
}

/** The same over any transport. */
export async function hostOver(
  transport: Parameters<Client["connect"]>[0],
  revision = "2026-07-28",
): Promise<EventHost> {
  const options = revision === "2026-07-28" ? { versionNegotiation: { mode: { pin: revision } } } : {};
  const client = new Client({ name: "event-host", version: "1" }, options as never);
  await client.connect(transport);
  const told: Answer[] = [];
  client.fallbackNotificationHandler = async ({ method, params }: Answer) => {
    told.push({ type: method.split("/").at(-1), ...params });
  };
  const send = (method: string, params: object, options: object = {}) =>
    client.request({ method, params } as never, ANY, options) as Promise<Answer>;
  return {
    client,
    ask: (method, params = {}) => send(method, params),
    async refused(method, params = {}) {
      try {
        await send(method, params);
      } catch (error) {
        return error as Answer;
      }
      throw new Error(`${method} was not refused`);
    },
    told,
    stream(params) {
      const abort = new AbortController();
      const options = { signal: abort.signal, timeout: 2 ** 31 - 1 };
      const ended = send("events/stream", params, options).catch((error) => error);
      return { ended, cancel: () => abort.abort() };
    },
    close: () => client.close(),
  };
}

export interface HostWebhook extends Webhook {
  /** Questions for consent. */
  verifications: Message[];
}

/** A webhook that answers `verification` with its challenge, unless `toVerification` answers otherwise. */
export async function startHostWebhook(
  answer: Parameters<typeof startWebhook>[0] = () => ({}),
  toVerification: NonNullable<Parameters<typeof startWebhook>[0]> = ({ json }) => ({
    body: JSON.stringify({ challenge: json.challenge }),
  }),
): Promise<HostWebhook> {
  const verifications: Message[] = [];
  const events: Message[] = [];
  const webhook = await startWebhook((message) => {
    const isQuestion = message.json.type === "verification";
    (isQuestion ? verifications : events).push(message);
    return isQuestion ? toVerification(message) : answer(message);
  });
  return { ...webhook, messages: events, verifications };
}

/** Which of the secrets signed a message, by their place. */
export function signersOf({ headers, body }: Message, secrets: readonly string[]): number[] {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const sent = String(headers["webhook-signature"]).split(" ");
  return secrets.flatMap((secret, at) => {
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    return sent.includes(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`) ? [at] : [];
  });
}
