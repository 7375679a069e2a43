import type { Server } from "node:http";
import { FAILURES } from "../../board/failures.ts";

const UNREAD = {
  code: "invalid_request",
  message: "This is no request of HTTP that the board can read.",
  hint: "See how your client writes the address and the headers.",
};
/** They go by the parser's code; what is not here is 400. */
const OTHERS: Record<string, { status: string; error: typeof UNREAD }> = {
  HPE_INVALID_URL: {
    status: "400 Bad Request",
    error: {
      code: "invalid_query",
      message: FAILURES.invalid_query.message,
      hint: "The address holds characters that must be percent-encoded: send café as caf%C3%A9, and a blank as %20.",
    },
  },
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    error: {
      ...UNREAD,
      message: "The address and the headers are longer than 16 KiB.",
      hint: "Send fewer of them.",
    },
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: "408 Request Timeout",
    error: { ...UNREAD, message: "The request did not end in time.", hint: "Send it again, faster." },
  },
};

/** Answers requests that Node's parser refuses, such as an address with letters that are not ASCII, in the form of the API. */
export function answerBrokenRequests(server: Server, docs: string): void {
  server.on("clientError", (problem: NodeJS.ErrnoException, socket) => {
    if (problem.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const { status, error } = OTHERS[problem.code ?? ""] ?? { status: "400 Bad Request", error: UNREAD };
    const body = JSON.stringify({ ok: false, error: { ...error, issues: [] }, meta: { docs } });
    const head = [
      `HTTP/1.1 ${status}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
  });
}
