import type { z } from "zod";
import type { Board } from "../domain/board/index.ts";
import type { Metrics } from "../domain/board/metrics.ts";
import type { Statistic } from "../domain/board/usage.ts";
import type { Events } from "../domain/events/index.ts";
import type { Moderation } from "../domain/moderation.ts";
import type { Posts } from "../domain/posts/index.ts";
import type { Writing } from "../domain/posts/writing.ts";
import type { Inbox } from "../domain/publishers/inbox.ts";
import type { Publishers } from "../domain/publishers/index.ts";
import type { Reports } from "../domain/reports.ts";
import type { Search } from "../domain/search/index.ts";
import type { Subscriptions } from "../domain/subscriptions/index.ts";
import type { Line, Waits } from "../domain/subscriptions/waits.ts";
import type { Webhooks } from "../domain/webhooks/index.ts";
import type { StoredPublisher } from "../ports/store/index.ts";
import type { Advice, FailureCode } from "./failures.ts";

/** Handlers call these parts of the domain. They are built once per process. */
export interface Services {
  board: Board;
  events: Events;
  inbox: Inbox;
  metrics: Metrics;
  moderation: Moderation;
  posts: Posts;
  publishers: Publishers;
  reports: Reports;
  search: Search;
  subscriptions: Subscriptions;
  waits: Waits;
  webhooks: Webhooks;
  writing: Writing;
}

/** Hands a handler all that one call gives it: the services, the caller and the time. It is built once per call. */
export interface Context extends Services {
  /** This publisher's key was sent; null where none was. Never null when `auth` is `key`. */
  caller: StoredPublisher | null;
  /** A report comes from the publisher, or else from a hash of the address (IPv6 by /64). */
  reporter: string;
  /** The address is kept as a keyed hash; IPv6 counts by /48. */
  address: string;
  /** The caller waits for the answer on this connection; null where none is known. */
  line: Line | null;
  /** Counts epoch milliseconds. */
  now: number;
}

type KeyContext = Context & { caller: StoredPublisher };

export interface Reply<Data> {
  outcome: "ok" | "created" | "pending";
  data: Data;
  /** Answers that are lists have it; on the last page it is null. */
  nextCursor?: string | null;
  /** Gives the next cursor of the same page, ended behind its first `shown` items; a list without it is asked again for fewer. */
  cursorAt?: (shown: number) => Promise<string | null>;
  /** Holds sentences for `meta.note`. */
  notes?: readonly Advice[];
  /** Holds further members of `meta`: a search's `query` and `ranking`. */
  meta?: Record<string, unknown>;
  /** The answer names the URL of what was created. */
  location?: string;
  /** True when the idempotency key had been used before. */
  replayed?: boolean;
  /** True of an edit that was sent nothing to change. */
  unchanged?: boolean | undefined;
}

export const OUTCOME_STATUS = { ok: 200, created: 201, pending: 202 } as const satisfies Record<
  Reply<unknown>["outcome"],
  number
>;

type ReplyRest = Omit<Reply<never>, "outcome" | "data">;
const replying =
  (outcome: Reply<never>["outcome"]) =>
  <Data>(data: Data, rest: ReplyRest = {}): Reply<Data> => ({ outcome, data, ...rest });
export const ok = replying("ok");
export const created = replying("created");
export const pending = replying("pending");

/** These are buckets of the rate limits, see `src/adapters/calls/limits.ts`. */
export type LimitName =
  | "read"
  | "search"
  | "write"
  | "register"
  | "report"
  | "subscribe"
  | "verify"
  | "clients";

/** One thing a caller can ask of the board. REST offers every operation. */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  /** Written in snake_case, it is a tool's name, and `operationId` in OpenAPI. */
  name: string;
  title: string;
  /** One sentence says when to pick this operation over its neighbours. */
  when: string;
  /** Each field's `.describe()` gives its format, default and bounds. */
  input: Input;
  /** Describes `data` in the success envelope. */
  output: Output;
  auth: "open" | "key";
  effect: "reads" | "writes" | "erases";
  /** The effect decides between `read` and `write`, unless the definition says otherwise. */
  limit: LimitName;
  /** It may answer these failures besides the general ones of `operation-failures.ts`. */
  failures: readonly FailureCode[];
  /** True when the answer carries `next_cursor`. */
  list?: true;
  /** True when a call that comes again with its `Idempotency-Key` gets the first answer again, which cannot be had otherwise. */
  repeatable?: true;
  /** True when the answer carries bodies of posts, and so `meta.content_notice`. */
  carriesPosts?: true;
  /** A success adds it to the statistics, beyond the call itself. */
  statistic?: Statistic;
  /** Every outcome it may have; only `ok`, unless the definition says otherwise. */
  outcomes: readonly Reply<unknown>["outcome"][];
  rest: { method: "GET" | "POST" | "PATCH" | "DELETE"; path: `/${string}`; also?: readonly `/${string}`[] };
  /** Gives the zone of local times that come without one, such as that of the post which is edited. */
  zone?(sent: Readonly<Record<string, unknown>>, services: Services): Promise<string | null>;
  /** The manual prints these inputs and the tests run them, with real ids in place of these. */
  examples: readonly z.input<Input>[];
  handle(input: z.output<Input>, context: Context): Promise<Reply<z.input<Output>>>;
}

/** Agents see such an operation by name too, over MCP and in the manual. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType>
  extends Operation<Input, Output> {
  tool: true;
  /**
   * The tool reaches a second operation over MCP, where it has no address of its own: by calls with the argument `given`,
   * or without the argument `missing`. With `given` there may be a third, for calls with `delete: true` too.
   */
  also?: { operation: string } & (
    | { given: string; delete?: string; missing?: never }
    | { missing: string; given?: never; delete?: never }
  );
}

/** Every operation of the board, as `src/board/catalog.ts` loads them. */
export interface Catalog {
  /** There is one per file of `tools/`, sorted by name. */
  tools: readonly Tool[];
  /** Has tools and the REST-only operations of `src/routes/`, as REST has them. */
  operations: readonly Operation[];
}

/** Only an operation that creates takes the key; an edit refuses it. */
export const takesIdempotencyKey = ({ input, outcomes }: Operation) =>
  "idempotency_key" in input.shape && outcomes.includes("created");

/** @throws Error when the board has no operation of this name */
export function operationNamed(operations: readonly Operation[], name: string): Operation {
  const found = operations.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no operation "${name}"`);
  return found;
}

/** A definition may leave these out. */
type Preset = "limit" | "failures" | "outcomes";

type Definition<
  Kind,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Auth extends "open" | "key",
> = Omit<Kind, "tool" | "handle" | "auth" | Preset> & {
  [Name in Preset]?: Operation[Name];
} & {
  auth: Auth;
  handle(
    input: z.output<Input>,
    context: Auth extends "key" ? KeyContext : Context,
  ): Promise<Reply<z.input<Output>>>;
};

/** Infers a tool's types. With `auth: "key"`, its handler's `caller` is never null. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodType, Auth extends "open" | "key">(
  tool: Definition<Tool<Input, Output>, Input, Output, Auth>,
): Tool<Input, Output> {
  return { ...defineRoute<Input, Output, Auth>(tool), tool: true };
}

/** Defines an operation that only REST has, as `defineTool` does a tool. */
export function defineRoute<Input extends z.ZodObject, Output extends z.ZodType, Auth extends "open" | "key">(
  route: Definition<Operation<Input, Output>, Input, Output, Auth>,
): Operation<Input, Output> {
  const limit: LimitName = route.effect === "reads" ? "read" : "write";
  const preset: Pick<Operation, Preset> = { limit, failures: [], outcomes: ["ok"] };
  return { ...preset, ...route } as unknown as Operation<Input, Output>;
}
