import { call } from "../../test/support/boards/client.ts";
import { fieldOf, type Mission, mission } from "./missions.ts";

const TEXT = { title: "Telescope to lend", body: "A telescope of 15 cm, for a weekend, with its mount." };
const POSTS = "GET /search?limit=100&include_replies=true&include_expired=true";

/** These missions are reached when what happened is what the person meant, whatever the answer said. */
export const MEANT: readonly Mission[] = [
  ...(
    [
      ["only try it out", { dry_run: true }],
      ["write a draft", { status: "draft" }],
      ["publish it on Monday", { publish_at: "2099-01-05T08:00:00Z" }],
      ["show it to members alone", { visibility: "members" }],
      ["send it to one publisher", { to: "pub_4yTq8WnZ2kPv6R" }],
    ] as const
  ).map(([name, field]) =>
    mission(name, async (hands, { board, key }) => {
      const title = `Telescope: ${name}`;
      const text = await hands.do("create_post", { ...TEXT, title, ...field });
      const found = await call(board, `${POSTS}&q=telescope`, undefined, { key });
      const isThere = found.body.data.some((post: { title: string }) => post.title === title);
      return !isThere && Object.keys(field).every((sent) => text.includes(`- ${sent}: `));
    }),
  ),
  mission("answer in private", async (hands, { board, foreignPost }) => {
    const before = (await call(board, `GET /posts/${foreignPost}`)).body.data.reply_count;
    const body = "Call me at +49 30 1234567.";
    await hands.do("create_post", { parent_id: foreignPost, body, private: true });
    return (await call(board, `GET /posts/${foreignPost}`)).body.data.reply_count === before;
  }),
  mission("register although one is somebody", async (hands, { board, key }) => {
    const text = await hands.do("register_publisher", { name: "Ana's other agent", accept_terms: true });
    const me = (await call(board, "GET /publishers/me", undefined, { key })).body.data;
    return text.includes(`You already are ${me.id}`) && !text.includes("bbk_");
  }),
  mission("take everything of a post away", async (hands, { board }) => {
    const id = fieldOf(await hands.do("create_post", { ...TEXT, title: "Telescope, gone soon" }), "id");
    const ended = await hands.do("create_post", { id, expires_at: "now" });
    const [, args = "{}"] = /create_post (\{.*?\})/.exec(ended) ?? [];
    await hands.do("create_post", JSON.parse(args));
    return (await call(board, `GET /posts/${id}`)).status === 404;
  }),
  mission("stop a watch, and keep the others", async (hands, { board, key, subscription }) => {
    const id = fieldOf(await hands.do("subscribe", { query: { q: "telescope mount" } }), "id");
    await hands.do("subscribe", { id, delete: true });
    const left = (await call(board, "GET /subscriptions", undefined, { key })).body.data;
    const ids = left.map((each: { id: string }) => each.id);
    return !ids.includes(id) && ids.includes(subscription);
  }),
  mission("watch the same thing twice", async (hands, { board, key }) => {
    const first = fieldOf(await hands.do("subscribe", { query: { q: "Eyepiece", kind: "offer" } }), "id");
    const again = fieldOf(await hands.do("subscribe", { query: { kind: "offers", q: "eyepiece" } }), "id");
    const all = (await call(board, "GET /subscriptions", undefined, { key })).body.data;
    return first === again && all.filter(({ id }: { id: string }) => id === first).length === 1;
  }),
  mission("answer an answer", async (hands, { board, thread, reply }) => {
    const before = (await call(board, `GET /posts/${thread}`)).body.data.reply_count;
    await hands.do("create_post", { body: "I would take a Japanese saw.", parent_id: reply });
    return (await call(board, `GET /posts/${thread}`)).body.data.reply_count === before + 1;
  }),
  mission("move an event by the clock of its town", async (hands, { board }) => {
    const event = {
      kind: "event",
      location: "Lisbon",
      timezone: "Europe/Lisbon",
      starts_at: "2098-07-01T20:00",
    };
    const id = fieldOf(
      await hands.do("create_post", { ...TEXT, ...event, title: "Stars over Lisbon" }),
      "id",
    );
    await hands.do("create_post", { id, starts_at: "2098-07-02T21:30" });
    const { starts_at } = (await call(board, `GET /posts/${id}`)).body.data;
    return starts_at === "2098-07-02T20:30:00.000Z";
  }),
  mission("put a thing on the map by GeoJSON", async (hands, { board }) => {
    const location = { type: "Point", coordinates: [13.4, 52.52] };
    const id = fieldOf(
      await hands.do("create_post", { ...TEXT, title: "Telescope on the map", location }),
      "id",
    );
    const found = (await call(board, `GET /posts/${id}`)).body.data.location;
    return found.lat === 52.52 && found.lng === 13.4;
  }),
  mission("look each day, and hear of each thing once", async (hands, { board, library }) => {
    const saved = await hands.do("subscribe", { query: { q: "theodolite" } });
    const id = fieldOf(saved, "id");
    const cursorOf = (text: string) => /"cursor":"([\w-]+)"/.exec(text)?.[1];
    const first = await hands.do("check_subscription", { id });
    await call(
      board,
      "POST /posts",
      { title: "Theodolite", body: "A theodolite to sell." },
      { key: library },
    );
    await board.flush();
    const second = await hands.do("check_subscription", { id, cursor: cursorOf(first), wait_s: 20 });
    const third = await hands.do("check_subscription", { id, cursor: cursorOf(second) });
    return second.includes('"Theodolite"') && third.startsWith("No new matches.");
  }),
];
