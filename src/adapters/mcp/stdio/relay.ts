import { SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { refused } from "../messages.ts";
import { cancelledBy, type StdioOptions, StdioTransport } from "./index.ts";

/**
 * Relays every message between stdin/stdout and the board at a URL, whatever revision they speak: the client's
 * transport takes the headers it needs from the message itself.
 *
 * @param url  `https://board.example`, or the address of its tool server
 * @param log  called with one line for each message that could not be relayed
 * @returns once stdin has ended and every request before that is answered
 */
export async function relayOverStdio(
  url: URL,
  options: StdioOptions,
  log: (line: string) => void,
): Promise<void> {
  const headers = options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` };
  const far = new StreamableHTTPClientTransport(toolServerOf(url, options.readOnly), {
    requestInit: { headers },
  });
  const near = new StdioTransport();
  const underWay = new Map<string | number, AbortController>();

  const answer = (message: JSONRPCMessage) => {
    if ("id" in message && message.id !== undefined && !("method" in message)) underWay.delete(message.id);
    near.send(message).catch((error: Error) => log(`stdout: ${error.message}`));
  };
  const hand = async (request: JSONRPCRequest) => {
    const abort = new AbortController();
    underWay.set(request.id, abort);
    const isOpen = () => underWay.get(request.id) === abort && !abort.signal.aborted;
    try {
      await far.send(request, {
        requestSignal: abort.signal,
        onRequestStreamEnd: () => {
          if (isOpen()) answer(unreachable(request.id));
        },
      });
    } catch (error) {
      if (!isOpen()) return;
      log(`${request.method}: ${error instanceof Error ? error.message : String(error)}`);
      answer(refusalIn(error, request.id) ?? unreachable(request.id));
    }
  };

  far.onmessage = (message) => {
    if (isJSONRPCResultResponse(message)) {
      // The answer to a handshake sets the revision that later requests name in their headers.
      const { protocolVersion } = message.result as { protocolVersion?: unknown };
      if (typeof protocolVersion === "string") far.setProtocolVersion(protocolVersion);
    }
    answer(message);
  };
  near.onmessage = (message) => {
    const cancelled = cancelledBy(message);
    if (isJSONRPCRequest(message)) void hand(message);
    else if (cancelled !== undefined) {
      // Aborting a request over HTTP cancels it.
      underWay.get(cancelled)?.abort();
      underWay.delete(cancelled);
    } else far.send(message).catch((error: Error) => log(error.message));
  };
  near.onerror = (error) => log(`stdin: ${error.message}`);

  await far.start();
  await near.start();
  await near.ended;
  await far.close();
}

/** Gives `/mcp` of a site, or the address itself if it has a path; `readOnly` adds `/readonly`. */
function toolServerOf(url: URL, readOnly: boolean): URL {
  const path = url.pathname === "/" ? "/mcp" : url.pathname.replace(/\/$/, "");
  return new URL(readOnly && !path.endsWith("/readonly") ? `${path}/readonly` : path, url);
}

/** Takes the board's own JSON-RPC error from an HTTP failure, under the id of the request; null if there is none. */
function refusalIn(error: unknown, id: string | number): JSONRPCMessage | null {
  if (!(error instanceof SdkHttpError) || typeof error.data["text"] !== "string") return null;
  try {
    const answer: unknown = { ...JSON.parse(error.data["text"]), id };
    return isJSONRPCErrorResponse(answer) ? answer : null;
  } catch {
    return null;
  }
}

const unreachable = (id: string | number): JSONRPCMessage =>
  refused(
    id,
    ProtocolErrorCode.InternalError,
    "The board cannot be reached. Try again later; the reason is on stderr.",
  ).refusal;
