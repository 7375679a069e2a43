import {
  isSpecType,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { withArguments } from "./arguments.ts";

/** Gives a message as the SDK reads it, or the answer to one that it would answer wrongly or not at all. */
export interface ReadMessage {
  message?: JSONRPCMessage;
  refusal?: JSONRPCErrorResponse;
}

/**
 * Reads one message of JSON-RPC, as parsed from JSON. Parameters that are null or an empty list count as none: some
 * languages write an empty object so.
 */
export function readMessage(sent: unknown): ReadMessage {
  if (typeof sent !== "object" || sent === null)
    return refused(null, ProtocolErrorCode.InvalidRequest, NO_REQUEST);
  const { params, ...bare } = sent as Record<string, unknown>;
  const hasNone = params === undefined || params === null || (Array.isArray(params) && params.length === 0);
  const message: unknown = withArguments(hasNone ? bare : sent);
  const needed = NEEDED[String(bare["method"])];
  const isMessage = isSpecType.JSONRPCMessage(message);
  if (isMessage && (needed === undefined || needed.isMet(message))) return { message };
  const { id } = bare;
  if ((id === undefined && typeof bare["method"] === "string") || "result" in bare || "error" in bare)
    return {};
  if (isMessage) return refused(id, ProtocolErrorCode.InvalidParams, needed?.said ?? "");
  return isSpecType.JSONRPCMessage(bare)
    ? refused(id, ProtocolErrorCode.InvalidParams, "`params` must be an object, and so must its `_meta`.")
    : refused(id, ProtocolErrorCode.InvalidRequest, NO_REQUEST);
}

/** @param id  of the request as sent; null in the answer unless it is a text or a number */
export function refused(id: unknown, code: number, message: string): Required<Pick<ReadMessage, "refusal">> {
  const readable = typeof id === "string" || typeof id === "number" ? id : null;
  // The SDK's type knows no null, which JSON-RPC has for an id that cannot be read.
  return { refusal: { jsonrpc: "2.0", id: readable as string, error: { code, message } } };
}

const NO_REQUEST =
  'Not a request of JSON-RPC 2.0: send {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, with a text or a whole number as `id`, and `params` as an object if there are any.';

const namesRevision = (message: unknown) =>
  PROTOCOL_VERSION_META_KEY in Object((message as { params?: { _meta?: unknown } }).params?._meta);

/** The SDK refuses parameters of these methods in words of its validator, some of them as an internal error. */
const NEEDED: Readonly<Record<string, { isMet: (message: unknown) => boolean; said: string }>> = {
  initialize: {
    // A message of a revision without a handshake names it, and is told that there is no such method.
    isMet: (message) => isSpecType.InitializeRequest(message) || namesRevision(message),
    said: '`params` needs `protocolVersion` (text, such as "2025-11-25"), `capabilities` (an object) and `clientInfo` (an object with the texts `name` and `version`).',
  },
  "tools/call": {
    isMet: isSpecType.CallToolRequest,
    said: "`params` needs `name` (text: one from tools/list); `arguments` must be an object.",
  },
};
