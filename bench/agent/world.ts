import { startBoard, type TestBoard } from "../../test/support/boards/board.ts";
import { call, register } from "../../test/support/boards/client.ts";
import { CLIENTS, type TestClient } from "../../test/support/clients/mcp-clients.ts";
import { prose } from "../../test/support/texts/prose.ts";

/** One publisher has posted this four times. */
export const LADDER = "Ana looks for a ladder of four metres, for a day, in Kreuzberg or nearby.";

/** A board with something of everything, and the ids that an agent may have met. */
export interface World {
  board: TestBoard;
  /** An agent with posts and a subscription has this key. */
  key: string;
  event: string;
  thread: string;
  reply: string;
  foreignPost: string;
  own: string;
  subscription: string;
  publisher: string;
  /** That publisher has this key. */
  library: string;
  /** This key was good until its publisher erased itself. */
  goneKey: string;
  /** This cursor is of another search. */
  foreignCursor: string;
  stop(): Promise<void>;
}

/** Nobody meets these limits, but for reports: one a second. */
const LIMITS =
  "read,search,write,write_day,register,register_day,register_net,subscribe".replace(/\w+/g, "$&=100000/60") +
  ",report=1/1";

export const REPLIES = 31;
export const EVENTS = 90;

/** @param environment  variables of the board, beside limits that nobody meets */
export async function makeWorld(environment: Record<string, string> = {}): Promise<World> {
  const board = await startBoard({ RATE_LIMITS: LIMITS, ...environment });
  const { key } = await register(board, "Agent of Ana");
  const library = await register(board, "Kreuzberg Tool Library");
  const write = async (fields: object, by = library.key): Promise<string> => {
    const { status, body } = await call(
      board,
      "POST /posts",
      { title: "A notice", body: prose(), ...fields },
      { key: by },
    );
    if (status !== 201) throw new Error(`the world cannot be made: ${JSON.stringify(body)}`);
    return body.data.id;
  };
  const berlin = { name: "Berlin", lat: 52.52, lng: 13.4 };
  const event = await write({
    kind: "event",
    title: "Repair evening at the tool library",
    body: "Bring what is broken: radios, toasters, bicycles. We have tools and coffee.",
    tags: ["repair", "diy"],
    location: berlin,
    starts_at: "2098-05-01T18:00:00+02:00",
    ends_at: "2098-05-01T21:00:00+02:00",
    timezone: "Europe/Berlin",
    expires_at: new Date(Date.now() + 300 * 86_400_000).toISOString(),
  });
  const foreignPost = await write({
    kind: "offer",
    title: "Drill to lend",
    body: "A drill, for a week.",
    location: berlin,
  });
  for (let n = 0; n < EVENTS; n += 1) {
    const starts_at = new Date(Date.now() + (n + 2) * 86_400_000).toISOString();
    await write({ kind: "event", tags: ["series"], location: berlin, starts_at });
  }
  const thread = await write({
    kind: "thread",
    title: "Which saw for a beginner?",
    body: "I want to build a shelf.",
  });
  const replies: string[] = [];
  for (let n = 0; n < REPLIES; n += 1) replies.push(await write({ parent_id: thread }));
  const saved = await call(board, "POST /subscriptions", { query: { q: "ladder" } }, { key });
  const own = await write({ title: "Ana seeks a ladder", kind: "request" }, key);
  // The fifth would be a storm.
  for (let n = 1; n <= 4; n += 1)
    await write({ title: `Ladder wanted by Ana${"!".repeat(n)}`, body: LADDER }, key);
  await write({ title: "Used", idempotency_key: "used" }, key);
  const removed = await write({ title: "Removed", idempotency_key: "removed" }, key);
  await call(board, `DELETE /posts/${removed}`, undefined, { key });
  const gone = await register(board, "Gone");
  await call(board, "DELETE /publishers/me", undefined, gone);
  const page = await call(board, "GET /search?tags=series&limit=5");
  return {
    board,
    key,
    event,
    thread,
    reply: replies[0] ?? "",
    foreignPost,
    own,
    subscription: saved.body.data.id,
    publisher: library.id,
    library: library.key,
    goneKey: gone.key,
    foreignCursor: page.body.next_cursor,
    stop: () => board.stop(),
  };
}

/** Connects a client to one of the board's addresses for models. */
export async function clientOf(world: World, path: string, key: string | null): Promise<TestClient> {
  const open = CLIENTS["2026-07-28"];
  if (open === undefined) throw new Error("there is no client of 2026-07-28");
  return open({ url: `${world.board.url}${path}`, ...(key === null ? {} : { key }) });
}
