/**
 * Every name and number that the draft of MCP Events (SEP-3415) gives stands here, and where hosts differ from it, so that
 * a change of the draft is an edit here.
 */

export const METHODS = {
  list: "events/list",
  poll: "events/poll",
  stream: "events/stream",
  subscribe: "events/subscribe",
  unsubscribe: "events/unsubscribe",
} as const;

export const NOTIFICATIONS = {
  active: "notifications/events/active",
  event: "notifications/events/event",
  heartbeat: "notifications/events/heartbeat",
  terminated: "notifications/events/terminated",
} as const;

export const EVENTS_EXTENSION = "io.modelcontextprotocol/events";

/** ChatGPT and the AI SDK look for the first, the draft has the second. */
export const EVENT_CAPABILITIES = { events: {}, extensions: { [EVENTS_EXTENSION]: {} } };

export const DELIVERY_MODES = ["poll", "push", "webhook"] as const;

/** In `_meta` of what a stream tells it names the id of its request. */
export const SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId";

/** JSON-RPC errors have these codes, as hosts know them: those of the sketch. */
export const CODES = {
  notFound: -32011,
  forbidden: -32012,
  resourceExhausted: -32013,
  unsupported: -32014,
  callbackEndpointError: -32015,
} as const;

export const SUBSCRIPTION_HEADER = "x-mcp-subscription-id";

/** Hosts refuse a message whose `webhook-id` is another. */
export const webhookIdOf = ({ eventId }: { eventId: string }): string => eventId;

/** Asks for consent. */
export const verificationOf = (challenge: string, token: string) => ({
  id: `msg_verification_${token}`,
  body: JSON.stringify({ type: "verification", challenge }),
});

/** The protocol has these words for what went wrong at a webhook; the receiver's own are never repeated. */
export type DeliveryProblem =
  | "challenge_failed"
  | "connection_refused"
  | "timeout"
  | "tls_error"
  | "http_4xx"
  | "http_5xx";
