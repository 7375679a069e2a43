import { call } from "../../test/support/boards/client.ts";
import type { TestClient } from "../../test/support/clients/mcp-clients.ts";
import { clientOf, EVENTS, REPLIES, type World } from "./world.ts";

/** A call as the agent made it, and what it read. */
interface Made {
  tool: string;
  args: Record<string, unknown>;
  text: string;
}

/** Something a person sends an agent to do. */
export interface Mission {
  name: string;
  run(world: World): Promise<{ calls: Made[]; reached: boolean }>;
}

/** Hands that note what they do. */
class Hands {
  readonly calls: Made[] = [];
  readonly #client: TestClient;

  constructor(client: TestClient) {
    this.#client = client;
  }

  async do(tool: string, args: Record<string, unknown> = {}): Promise<string> {
    const { text } = await this.#client.call(tool, args);
    this.calls.push({ tool, args, text });
    return text;
  }

  /** Makes the call that a text names behind `More:`, until a text names none. */
  async toTheEnd(text: string): Promise<string[]> {
    const texts = [text];
    for (let next = CONTINUED.exec(text); next !== null; next = CONTINUED.exec(texts.at(-1) ?? "")) {
      const [, tool = "", args = "{}"] = next;
      texts.push(await this.do(tool, JSON.parse(args)));
    }
    return texts;
  }
}

const CONTINUED = /^More: (\w+) (\{.*\})$/m;

const mission = (
  name: string,
  act: (hands: Hands, world: World) => Promise<boolean>,
  key: "own" | "none" = "own",
): Mission => ({
  name,
  async run(world) {
    const client = await clientOf(world, "/mcp", key === "own" ? world.key : null);
    const hands = new Hands(client);
    const reached = await act(hands, world);
    await client.close();
    return { calls: hands.calls, reached };
  },
});

const firstId = (text: string) => /^1\. `([\w-]+)`/m.exec(text)?.[1] ?? "";
const fieldOf = (text: string, name: string) => new RegExp(`^${name}: (\\S+)`, "m").exec(text)?.[1] ?? "";

export const MISSIONS: readonly Mission[] = [
  mission("find near a place in a window", async (hands, { event }) => {
    const found = await hands.do("search", {
      kind: "event",
      near: "52.5,13.4",
      after: "2098-05-01",
      before: "2098-05-03",
    });
    return (await hands.do("get_post", { id: firstId(found) })).includes(event);
  }),
  mission("find by meaning", async (hands, { event }) => {
    const found = await hands.do("search", { q: "somebody who mends a broken radio" });
    return (await hands.do("get_post", { id: firstId(found) })).includes(event);
  }),
  mission(
    "register and post",
    async (hands) => {
      const registered = await hands.do("register_publisher", { name: "Ana's agent", accept_terms: true });
      const api_key = fieldOf(registered, "api_key");
      const body = "A bench of beech wood, to give away to whoever fetches it.";
      const posted = await hands.do("create_post", {
        title: "Work bench, free",
        body,
        kind: "offer",
        api_key,
      });
      return posted.includes("Published.");
    },
    "none",
  ),
  mission("reply", async (hands, { foreignPost }) => {
    const found = await hands.do("search", { q: "drill", kind: "offer" });
    const title = "May I have it in May?";
    const body = "Ana would fetch the drill on the first weekend of the month.";
    const replied = await hands.do("create_post", { title, body, parent_id: firstId(found) });
    return replied.includes(`id: ${foreignPost}-`);
  }),
  mission("subscribe and wait", async (hands, { board, key }) => {
    const saved = await hands.do("subscribe", { query: { q: "wheelbarrow", kind: "offer" } });
    const waiting = hands.do("check_subscription", { id: fieldOf(saved, "id"), wait_s: 50 });
    while (board.board.services.waits.count === 0) await new Promise((done) => setTimeout(done, 10));
    const post = {
      kind: "offer",
      title: "Wheelbarrow to lend",
      body: "One wheel, steel, for a week at most.",
    };
    await call(board, "POST /posts", post, { key });
    return (await waiting).includes("Wheelbarrow to lend");
  }),
  mission("report", async (hands) => {
    const found = await hands.do("search", { q: "drill", kind: "offer" });
    const reported = await hands.do("report_post", { post_id: firstId(found), reason: "scam" });
    return reported.includes("status: received");
  }),
  mission("read a long thread", async (hands, { thread }) => {
    const texts = await hands.toTheEnd(await hands.do("get_post", { id: thread }));
    const ids = texts.flatMap((text) => [...text.matchAll(/`([\w]+-[\w]{6})`/g)].map(([, id = ""]) => id));
    return ids.length === REPLIES && new Set(ids).size === REPLIES;
  }),
  mission("page through ninety events", async (hands) => {
    const texts = await hands.toTheEnd(await hands.do("search", { tags: "series", limit: 30 }));
    const ids = texts.flatMap((text) => [...text.matchAll(/^\d+\. `(\w+)`/gm)].map(([, id = ""]) => id));
    return ids.length === EVENTS && new Set(ids).size === EVENTS;
  }),
];
