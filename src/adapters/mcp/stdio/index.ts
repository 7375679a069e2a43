import { finished } from "node:stream";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { METHODS } from "../../../domain/events/names.ts";
import { NAME_TWICE, nameTwice } from "../../calls/name-twice.ts";
import { type ReadMessage, readMessage, refused } from "../messages.ts";
import { type McpParts, mcpServers } from "../server.ts";

/** Stands in for the address in the limits: all use of this process counts as one caller. */
const LOCAL = "stdio";

/** After stdin ends, the process waits this long for answers under way. */
const DRAIN_MS = 10_000;

/** No message needs more: a post has at most 64 KiB. */
const LINE_CHARS_MAX = 4 * 1024 * 1024;
/** Both ends of a longer line are kept, since its id stands in one of them. */
const END_CHARS = 1_000;
const WRONG = "Not JSON, or longer than 4 MiB: send one message a line.";

/** The board has nothing that it would tell there: what changes comes by MCP Events. */
const LISTEN = "subscriptions/listen";
/** These are answered only when the stream ends, so nobody waits for that. */
const STREAMS: readonly string[] = [LISTEN, METHODS.stream];

export interface StdioOptions {
  /** Every call that needs a key gets this one. */
  apiKey: string | null;
  /** Leaves out every tool that changes anything. */
  readOnly: boolean;
}

/**
 * Serves a board of this process over stdin and stdout, in every revision of the protocol.
 * @returns once stdin has ended and every request before that is answered
 */
export async function serveOverStdio(parts: McpParts, { apiKey, readOnly }: StdioOptions): Promise<void> {
  const serverFor = mcpServers(parts, { surface: readOnly ? "reading" : "tools", answers: "text" });
  const transport = new StdioTransport({ refuse: LISTEN });
  const handle = serveStdio(() => serverFor({ apiKey, address: LOCAL, client: LOCAL }), {
    transport,
    onerror: (error) => parts.logger.debug({ err: error }, "stdio"),
  });
  await transport.ended;
  await handle.close();
}

/**
 * Answers every request over stdin and stdout as an SDK transport: also one from before the end of stdin, so that `printf
 * '…' | agent-board stdio` prints something, and one with a fault in it. The SDK's own transport drops these, and their
 * senders wait for ever.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  /** Resolves when stdin has ended and no answer is outstanding. */
  readonly ended: Promise<void>;
  readonly #owed = new Set<string | number>();
  readonly #refused: string | undefined;
  /** A line has begun so, and its end has not come yet. */
  #line = "";
  #isClosed = false;
  #inputEnded = false;
  #settle = () => {};

  /** @param options.refuse  a method that is answered as unknown, whatever the SDK makes of it */
  constructor({ refuse }: { refuse?: string } = {}) {
    this.#refused = refuse;
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  async start(): Promise<void> {
    // A host that is gone breaks the pipe.
    process.stdout.on("error", (error) => {
      this.onerror?.(error);
      void this.close();
    });
    process.stdin.setEncoding("utf8").on("data", (chunk: string) => this.#take(chunk));
    finished(process.stdin, { writable: false }, () => this.#inputIsOver());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(serializeMessage(message), (error) => (error == null ? resolve() : reject(error)));
    });
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return;
    if (message.id !== undefined) this.#forget(message.id);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    process.stdin.pause();
    this.onclose?.();
    this.#settle();
  }

  #take(chunk: string): void {
    for (const [nth, part] of chunk.split("\n").entries()) {
      if (nth > 0) this.#endLine();
      this.#line += part;
      if (this.#line.length > LINE_CHARS_MAX)
        this.#line = `${this.#line.slice(0, END_CHARS)}\0${this.#line.slice(-END_CHARS)}`;
    }
  }

  /** Reads the line so far: a batch has several messages, and a byte order mark is white space. */
  #endLine(): void {
    const text = this.#line.trim();
    this.#line = "";
    for (const { message, refusal } of text === "" ? [] : messagesIn(text)) {
      if (message !== undefined) this.#receive(message);
      else if (refusal !== undefined) this.#answer(refusal);
    }
  }

  #receive(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      if (message.method === this.#refused) return void this.#answer(unknownMethod(message.id));
      if (!STREAMS.includes(message.method)) this.#owed.add(message.id);
    }
    this.onmessage?.(message);
    const cancelled = cancelledBy(message);
    if (cancelled !== undefined) this.#forget(cancelled);
  }

  #answer(refusal: JSONRPCMessage): void {
    this.send(refusal).catch((error: Error) => this.onerror?.(error));
  }

  #forget(id: string | number): void {
    this.#owed.delete(id);
    this.#closeWhenDone();
  }

  #inputIsOver(): void {
    this.#inputEnded = true;
    // The last line needs no end of its own.
    this.#endLine();
    setTimeout(() => void this.close(), DRAIN_MS).unref();
    this.#closeWhenDone();
  }

  #closeWhenDone(): void {
    if (this.#inputEnded && this.#owed.size === 0) void this.close();
  }
}

const unknownMethod = (id: string | number) =>
  refused(id, ProtocolErrorCode.MethodNotFound, "Method not found").refusal;

/** Finds the id of the request that a message cancels. A cancelled request gets no answer. */
export function cancelledBy(message: JSONRPCMessage): string | number | undefined {
  if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") return undefined;
  return (message.params as { requestId?: string | number } | undefined)?.requestId;
}

function messagesIn(text: string): ReadMessage[] {
  try {
    const sent: unknown[] = [JSON.parse(text)].flat();
    if (nameTwice(text) !== null)
      return sent.map((each) => refused(Object(each).id, ProtocolErrorCode.InvalidRequest, NAME_TWICE));
    return sent.length === 0 ? [readMessage(null)] : sent.map((each) => readMessage(each));
  } catch {
    const [, id = "null"] = FIRST.exec(text) ?? LAST.exec(text) ?? [];
    return [refused(JSON.parse(id), ProtocolErrorCode.ParseError, WRONG)];
  }
}

/** Matches the id in a text that is no JSON, either before anything nested in it or at its very end. */
const ID = '"id"\\s*:\\s*("[^"\\\\\\p{Cc}]{1,200}"|0|-?[1-9]\\d{0,14})';
const FIRST = new RegExp(`^\\{[^{[]*?${ID}\\s*[,}]`, "u");
const LAST = new RegExp(`${ID}\\s*\\}$`, "u");
