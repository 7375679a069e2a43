import type { Operation } from "../../src/board/operation.ts";
import type { TestBoard } from "../../test/support/boards/board.ts";
import { call, eventually, register } from "../../test/support/boards/client.ts";
import type { Webhook } from "../../test/support/clients/webhooks.ts";
import { distinctText } from "../../test/support/texts/texts.ts";

/** The examples of operations have these ids. A run puts real ones in their place. */
export const EXAMPLE_IDS = {
  post: "7fKm3Qx9Rt",
  publisher: "pub_4yTq8WnZ2kPv6R",
  subscription: "sub_4yTq8WnZ2kPv6R",
} as const;
type Kind = keyof typeof EXAMPLE_IDS;

/** An answer has these `data`. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into any member of any answer
type Data = any;

/** A run needs to know this of an operation. */
type Runnable = Pick<Operation, "outcomes" | "effect" | "examples" | "name">;
/** Puts real ids into a text with ids of examples. */
type WithRealIds = (text: string) => string;

/**
 * Calls every operation once with its first example. Creating comes first, then reading, writing and erasing, so that
 * each example finds what it names.
 *
 * @param publisher  id of the publisher whose key the calls carry
 * @param ask  makes the call
 * @param once  what else happens on the board, once there is a post or a subscription
 */
export async function runExamples<Operation extends Runnable>(
  operations: readonly Operation[],
  publisher: string,
  ask: (operation: Operation, real: WithRealIds) => Promise<Data>,
  once: { [kind in Kind]?: (id: string) => Promise<void> } = {},
): Promise<void> {
  const ids = new Map<Kind, string>([["publisher", publisher]]);
  const real = (text: string) =>
    [...ids].reduce((changed, [kind, id]) => changed.replaceAll(EXAMPLE_IDS[kind], id), text);
  for (const operation of inRunningOrder(operations)) {
    const { id } = await ask(operation, real);
    const kind = operation.outcomes.includes("created") ? kindOf(id) : undefined;
    if (kind === undefined || ids.has(kind)) continue;
    ids.set(kind, id);
    await once[kind]?.(id);
  }
}

/** Takes the first example of an operation, with real ids. */
export const exampleOf = ({ examples }: Runnable, real: WithRealIds): Record<string, unknown> =>
  JSON.parse(real(JSON.stringify(examples[0])));

/**
 * An input as REST takes it. Fields that the path does not name go into the query of a GET, or else into the body.
 * @param route  method and path, such as `GET /posts/{id}`
 */
export function requestOf(route: string, { ...input }: Record<string, unknown>) {
  const request = route.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = String(input[name]);
    delete input[name];
    return value;
  }) as `${string} ${string}`;
  if (Object.keys(input).length === 0) return { request, body: undefined };
  if (!route.startsWith("GET ")) return { request, body: input };
  const query = new URLSearchParams(input as Record<string, string>);
  return { request: `${request}?${query}` as const, body: undefined };
}

/** An example without an id comes first among those that create, and last among those that erase: it erases the most. */
function inRunningOrder<Operation extends Runnable>(operations: readonly Operation[]): Operation[] {
  const turn = ({ outcomes, effect, examples }: Runnable) => {
    const hasId = Object.values(EXAMPLE_IDS).some((id) => JSON.stringify(examples).includes(id));
    if (outcomes.includes("created")) return hasId ? 1 : 0;
    if (effect === "erases") return hasId ? 4 : 5;
    return effect === "reads" ? 2 : 3;
  };
  return [...operations].sort((a, b) => turn(a) - turn(b));
}

/** Posts have ids without a prefix. */
function kindOf(id: string): Kind | undefined {
  const prefix = /^(\w+)_/.exec(id)?.[1];
  if (prefix === undefined) return "post";
  return (Object.keys(EXAMPLE_IDS) as Kind[]).find((kind) => EXAMPLE_IDS[kind].startsWith(`${prefix}_`));
}

/** The example of `redeliver` names the seventh delivery. */
const OFFERS = 7;

/**
 * Runs the examples on a board with some activity: the post gets a reply, the subscription a webhook and seven delivered
 * matches. The caller is a publisher without a domain, so no example needs the DNS.
 */
export async function runStory<Operation extends Runnable>(
  board: TestBoard,
  webhook: Webhook,
  operations: readonly Operation[],
  ask: (operation: Operation, real: WithRealIds, key: string) => Promise<Data>,
): Promise<void> {
  const own = await register(board, "Bike Kitchen Amsterdam");
  const other = await register(board, "Ana's agent");
  const write = async (post: object) => {
    const { status } = await call(board, "POST /posts", post, other);
    if (status !== 201) throw new Error(`a post of the story was answered with ${status}`);
  };
  const askAsOwn = async (operation: Operation, real: WithRealIds) => {
    const { publishers } = board.board.store;
    // A key registers nobody, and only a verified publisher recovers one; its domain is never asked for a proof here.
    const isRecovery = operation.name === "recover_publisher";
    const site = { domain: "bikekitchen.example", verifyToken: "token", verifiedAt: Date.now() };
    if (isRecovery) await publishers.update(own.id, site);
    const data = await ask(operation, real, operation.name === "register_publisher" ? "" : own.key);
    if (isRecovery) await publishers.update(own.id, { domain: null, verifyToken: null, verifiedAt: null });
    if (data.id === own.id && "api_key" in data) own.key = data.api_key;
    return data;
  };
  await runExamples(operations, own.id, askAsOwn, {
    post: (id) => write({ title: "We come", body: "With two bikes.", parent_id: id }),
    async subscription(id) {
      const read = (path: string) => call(board, `GET /subscriptions/${id}${path}`, undefined, own);
      await call(board, `PATCH /subscriptions/${id}`, { webhook_url: webhook.url }, own);
      await eventually(
        () => read(""),
        ({ body }) => body.data.webhook_verified,
      );
      for (let i = 0; i < OFFERS; i += 1) {
        const { body } = distinctText(i);
        const location = { lat: 52.36, lng: 4.9 };
        await write({ title: `Road bike, ${i + 1} of ${OFFERS}`, body, kind: "offer", location });
      }
      const isDelivered = ({ state }: Data) => state === "delivered";
      await eventually(
        () => read("/deliveries"),
        ({ body }) => body.data.length === OFFERS && body.data.every(isDelivered),
      );
      await board.flush();
    },
  });
}
