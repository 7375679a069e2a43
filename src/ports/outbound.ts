/** This is the only way out of the board: requests to addresses that others chose. */
export interface Outbound {
  /**
   * Tells why this URL may not be called, judged by its text alone (scheme, port, credentials, address literals); null if
   * it may. What its name resolves to is checked again at every call.
   */
  refusal(url: string): string | null;
  /** Sends one request without redirects, decompression or proxies, within bounded time and size. */
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  /**
   * Looks up TXT records of a name, chunks joined; at most 20 of 1,000 characters. Null when DNS does not say whether there
   * are any.
   */
  txt(name: string): Promise<string[] | null>;
  close(): Promise<void>;
}

export interface OutboundRequest {
  method: "GET" | "POST";
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** The answer's body has at most this many bytes; more is a failure. */
  maxBytes: number;
  timeoutMs: number;
  /** False: the operator's exemptions from the guard do not count. The default is true. */
  exemptions?: boolean;
}

export interface OutboundAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export class OutboundError extends Error {
  /** The reason is `blocked` when the policy forbids a request, `failed` when it was tried and did not work. */
  readonly reason: "blocked" | "failed";

  constructor(reason: "blocked" | "failed", message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "OutboundError";
    this.reason = reason;
  }
}
