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

export const mission = (
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
export const fieldOf = (text: string, name: string) =>
  new RegExp(`^${name}: (\\S+)`, "m").exec(text)?.[1] ?? "";

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
  mission("sell a thing with price and contact", async (hands) => {
    const posted = await hands.do("create_post", {
      kind: "offer",
      title: "Touring bike, 56 cm",
      body: "Steel frame, new tyres.",
      location: "Berlin",
      price: 240,
      currency: "EUR",
      contact: "ana@bikes.example",
    });
    const told = /Readers do not see `price`, `currency`, `contact`/.test(posted);
    const body = "Steel frame, new tyres. 240 EUR, write to ana@bikes.example.";
    const changed = await hands.do("create_post", { id: fieldOf(posted, "id"), body });
    const found = await hands.do("search", { q: "touring bike", near: "Berlin" });
    return (
      told &&
      changed.includes("Changed.") &&
      /"Touring bike, 56 cm"\n.*"Berlin" 0 km[\s\S]*240 EUR/.test(found)
    );
  }),
  mission("publish a weekly series", async (hands) => {
    const texts: string[] = [];
    for (let week = 1; week <= 12; week += 1) {
      const starts_at = new Date(Date.UTC(2098, 8, 7 * week, 17)).toISOString();
      const body = "We knit together; wool and tea are there, beginners are welcome.";
      const session = {
        kind: "event",
        title: "Knitting circle",
        body,
        tags: ["knitting"],
        location: "Leipzig",
        starts_at,
      };
      texts.push(await hands.do("create_post", session));
    }
    const found = await hands.do("search", { tags: "knitting", sort: "soonest" });
    const isWhole = texts.every((text) => /^Published\.$/m.test(text) && !text.includes("Nearly the same"));
    return isWhole && found.includes("Posts 1–12 of 12");
  }),
  mission("all that is on in a town in fourteen days", async (hands) => {
    const day = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10);
    const window = { kind: "event", near: "Berlin", after: day(0), before: day(14) };
    const texts = await hands.toTheEnd(await hands.do("search", { ...window, sort: "soonest", limit: 5 }));
    const counted = Number(/Posts 1–\d+ of (\d+)/.exec(texts[0] ?? "")?.[1]);
    const items = texts.flatMap((text) => [...text.matchAll(RESULT)]);
    return counted > 10 && items.length === counted && new Set(items.map(([, id]) => id)).size === counted;
  }),
  mission("a seller waits for replies", async (hands, { board, library }) => {
    const posted = await hands.do("create_post", {
      kind: "offer",
      title: "Accordion for sale",
      body: "48 basses.",
    });
    const news = await hands.do("check_subscription");
    const reply = { body: "I would take it on Friday.", parent_id: fieldOf(posted, "id") };
    const cursor = /^Next look: check_subscription (\{.*\})$/m.exec(news)?.[1] ?? "{}";
    await call(board, "POST /posts", reply, { key: library });
    const heard = await hands.do("check_subscription", { ...JSON.parse(cursor), wait_s: 10 });
    return /"Re: Accordion for sale"[\s\S]*I would take it on Friday\.[\s\S]*a reply to your post/.test(
      heard,
    );
  }),
  mission(
    "a lost key",
    async (hands) => {
      const refused = await hands.do("create_post", {
        title: "Help",
        body: "Nothing works.",
        api_key: "bbk_lost",
      });
      const registered = await hands.do("register_publisher", { name: "Ana again", accept_terms: true });
      const again = { title: "Back again", body: "With a new key.", api_key: fieldOf(registered, "api_key") };
      return (
        /registers again with `register_publisher`/.test(refused) &&
        /Published\./.test(await hands.do("create_post", again))
      );
    },
    "none",
  ),
  mission("reply without a title", async (hands, { thread }) => {
    const replied = await hands.do("create_post", {
      parent: thread,
      body: "A Japanese pull saw, cheap and sharp.",
    });
    return replied.includes('titled "Re: Which saw for a beginner?"');
  }),
  mission("another publisher's posts", async (hands, { publisher }) => {
    const found = await hands.do("search", { q: "drill to lend" });
    const id = /by "Kreuzberg Tool Library" (pub_\w+)/.exec(found)?.[1];
    const theirs = await hands.do("search", { publisher: id, kind: "offer" });
    return id === publisher && /^1\. `\w+` offer "Drill to lend"$/m.test(theirs);
  }),
  mission("questions in German, Japanese and Arabic", async (hands) => {
    const posts = [
      ["Lastenrad zu verleihen", "Für Umzüge, mit Anhänger.", "Lastenrad"],
      ["中古の自転車を売ります", "駅の近くで受け取れます。", "自転車"],
      ["دراجة للبيع", "دراجة في حالة جيدة قرب المحطة.", "دراجة"],
    ] as const;
    const found: boolean[] = [];
    for (const [title, body, q] of posts) {
      await hands.do("create_post", { kind: "offer", title, body });
      found.push((await hands.do("search", { q, kind: "offer" })).includes(JSON.stringify(title)));
    }
    return found.every(Boolean);
  }),
];

/** Such a result needs no second look: title, day and hour, place, publisher with its id, and some of the body. */
const RESULT =
  /^\d+\. `([\w-]+)` \w+ "[^"…]+"\n +\w{3} \d{4}-\d\d-\d\d \d\d:\d\d.* \| "[^"…]+".* \| by "[^"…]+".* pub_\w{14}.*\n +> \S+/gm;
