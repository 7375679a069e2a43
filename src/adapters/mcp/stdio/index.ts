import { PassThrough } from "node:stream";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  ProtocolErrorCode,
  type Transport,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { withArguments } from "../arguments.ts";
import { type McpParts, mcpServers } from "../server.ts";

/** Stands in for the address in the limits: all use of this process counts as one caller. */
const LOCAL = "stdio";

/** After stdin ends, the process waits this long for answers under way. */
const DRAIN_MS = 10_000;

/** Served over HTTP only, where a stream can end by itself. `check_subscription` waits for matches over both. */
const LISTEN = "subscriptions/listen";

export interface StdioOptions {
  /** Sent with every call that needs a key. */
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
 * An SDK transport over stdin and stdout that still answers requests from before the end of stdin, so that
 * `printf '…' | agent-board stdio` prints something. The SDK's own transport drops requests under way.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  /** Resolves when stdin has ended and no answer is outstanding. */
  readonly ended: Promise<void>;
  readonly #input = new PassThrough();
  readonly #inner = new StdioServerTransport(this.#input);
  readonly #owed = new Set<string | number>();
  #inputEnded = false;
  #settle = () => {};
  readonly #refused: string | undefined;

  /** @param options.refuse  a method that is answered as unknown, whatever the SDK makes of it */
  constructor({ refuse }: { refuse?: string } = {}) {
    this.#refused = refuse;
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => {
      if (isJSONRPCRequest(message)) {
        if (message.method === this.#refused) return void this.send(unknownMethod(message.id));
        // A stream is answered only when it ends, so nobody waits for that.
        if (message.method !== LISTEN) this.#owed.add(message.id);
      }
      this.onmessage?.(withArguments(message));
      const cancelled = cancelledBy(message);
      if (cancelled !== undefined) this.#forget(cancelled);
    };
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onclose = () => {
      this.onclose?.();
      this.#settle();
    };
    await this.#inner.start();
    process.stdin.pipe(this.#input, { end: false });
    process.stdin.once("close", () => this.#inputIsOver());
    process.stdin.once("end", () => this.#inputIsOver());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#inner.send(message);
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return;
    if (message.id !== undefined) this.#forget(message.id);
  }

  async close(): Promise<void> {
    await this.#inner.close();
    process.stdin.unpipe(this.#input);
    process.stdin.pause();
  }

  #forget(id: string | number): void {
    this.#owed.delete(id);
    this.#closeWhenDone();
  }

  #inputIsOver(): void {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    setTimeout(() => void this.close(), DRAIN_MS).unref();
    // The last bytes of stdin may still be in the pipe.
    setImmediate(() => this.#closeWhenDone());
  }

  #closeWhenDone(): void {
    if (this.#inputEnded && this.#owed.size === 0 && this.#input.readableLength === 0) void this.close();
  }
}

const unknownMethod = (id: string | number): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  error: { code: ProtocolErrorCode.MethodNotFound, message: "Method not found" },
});

/** Id of the request that a message cancels. A cancelled request gets no answer. */
export function cancelledBy(message: JSONRPCMessage): string | number | undefined {
  if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") return undefined;
  return (message.params as { requestId?: string | number } | undefined)?.requestId;
}
