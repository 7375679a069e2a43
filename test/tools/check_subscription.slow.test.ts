import { beforeAll, describe, expect, it } from "vitest";
import { eraseOld } from "../../src/jobs/schedule.ts";
import { ON_MONGODB, startBoard, type TestBoard } from "../support/boards/board.ts";
import { type Answer, call, eventually, register } from "../support/boards/client.ts";
import { useFolder, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";

/** On an idle machine a match arrives within this time of the post's creation. */
const MATCHED_MS = 1_000;

interface Subscriber {
  board: TestBoard;
  key: string;
}

async function subscribe({ board, key }: Subscriber, query: object): Promise<string> {
  const { status, body } = await call(board, "POST /subscriptions", { query }, { key });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
}

const pending = ({ board, key }: Subscriber, id: string, parameters = ""): Promise<Answer> =>
  call(board, `GET /subscriptions/${id}/pending${parameters}`, undefined, { key });

/** Fields of a post, and the key of its writer where that is not the usual one. */
type Fields = { key?: string } & Record<string, unknown>;

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const titlesOf = ({ body }: Pick<Answer, "body">): string[] =>
  body.data.map((match: { title: string }) => match.title);

/** The titles that a subscription has matched, once there are enough of them or the time is up. */
async function matched(subscriber: Subscriber, id: string, count: number): Promise<string[]> {
  const answer = await eventually(
    () => pending(subscriber, id),
    ({ body }) => body.data.length >= count,
  );
  return titlesOf(answer);
}

describe("check_subscription", () => {
  let me: Subscriber;
  let other: { id: string; key: string };
  let fence: string;
  let fences = 0;
  /** Waits until everything written so far has been matched: until a post of its own comes through. */
  const settled = async () => {
    fences += 1;
    const title = `Fence ${fences}`;
    await write(board, me.key, { title, tags: ["fence"] });
    await eventually(
      () => pending(me, fence, "?limit=100"),
      (answer) => titlesOf(answer).includes(title),
    );
  };

  const board = useTestBoard();
  beforeAll(async () => {
    me = { board, key: (await register(board, "Me")).key };
    other = await register(board, "Other");
    fence = await subscribe(me, { tags: "fence" });
  });

  it("gives matches oldest first with delivery_id and matched_at, within a second of their creation", async () => {
    const id = await subscribe(me, { tags: "alpha" });
    const posts = [];
    for (const title of ["one", "two", "three"]) {
      posts.push(await write(board, other.key, { title, tags: ["alpha"] }));
      await matched(me, id, posts.length);
    }
    const { body } = await pending(me, id);
    expect(titlesOf({ body })).toEqual(["one", "two", "three"]);
    expect(body.data.map((match: { id: string }) => match.id)).toEqual(posts.map((post) => post.id));
    const ids: number[] = body.data.map((match: { delivery_id: number }) => match.delivery_id);
    expect(ids.every((delivery, n) => Number.isInteger(delivery) && delivery > (ids[n - 1] ?? 0))).toBe(true);
    const took = body.data.map(
      (match: { matched_at: string; created_at: string }) =>
        Date.parse(match.matched_at) - Date.parse(match.created_at),
    );
    // Only the fastest counts: a busy machine may delay any of them, but not all.
    expect(Math.min(...took)).toBeLessThan(MATCHED_MS);
    expect(body.meta.content_notice).toMatch(/third parties/);
    const { data } = (await call(board, `GET /subscriptions/${id}`, undefined, { key: me.key })).body;
    expect(data.pending).toBe(3);
    expect(data.last_matched_at).toBe(body.data[2].matched_at);
  });

  it("continues from the caller's watermark, consumes nothing, and returns the cursor on an empty page", async () => {
    const id = await subscribe(me, { tags: "beta" });
    const empty = await pending(me, id);
    expect(empty.body).toMatchObject({ data: [], next_cursor: expect.any(String) });
    for (const title of ["b1", "b2", "b3"]) await write(board, other.key, { title, tags: ["beta"] });
    await matched(me, id, 3);
    const first = await pending(me, id, "?limit=2");
    expect(titlesOf(first)).toEqual(["b1", "b2"]);
    // The cursor is never null, so a caller once took two of three matches for all of them.
    expect(first.body.meta.note).toMatch(/page is full.*`next_cursor`/);
    const second = await pending(me, id, `?limit=2&cursor=${first.body.next_cursor}`);
    expect(titlesOf(second)).toEqual(["b3"]);
    expect(second.body.meta.note).toBeUndefined();
    expect(second.body.next_cursor).toEqual(expect.any(String));
    const third = await pending(me, id, `?cursor=${second.body.next_cursor}`);
    expect(third.body).toMatchObject({ data: [], next_cursor: second.body.next_cursor });
    expect(titlesOf(await pending(me, id, "?limit=2"))).toEqual(["b1", "b2"]);
    await write(board, other.key, { title: "b4", tags: ["beta"] });
    const later = await eventually(
      () => pending(me, id, `?cursor=${second.body.next_cursor}`),
      ({ body }) => body.data.length > 0,
    );
    expect(titlesOf(later)).toEqual(["b4"]);
  });

  it("needs each of two quoted phrases, and no excluded word", async () => {
    const id = await subscribe(me, { q: '"night train" "dining car" -strike' });
    const posts = [
      ["neither", "A train by day."],
      ["the first", "The night train leaves at ten."],
      ["the second", "A dining car with white cloths."],
      ["both", "The night train has a dining car."],
      ["both, excluded", "The night train has a dining car, but there is a strike."],
      ["both again", "A dining car, coupled to a night train."],
    ] as const;
    for (const [title, body] of posts) await write(board, other.key, { title, body });
    await settled();
    expect(titlesOf(await pending(me, id))).toEqual(["both", "both again"]);
  });

  it("fails with invalid_cursor for the watermark of another subscription and a damaged one", async () => {
    const [a, b] = [await subscribe(me, { tags: "gamma" }), await subscribe(me, { tags: "gamma,delta" })];
    await write(board, other.key, { tags: ["gamma"] });
    await matched(me, a, 1);
    const { next_cursor: cursor } = (await pending(me, a)).body;
    for (const wrong of [`${cursor}x`, "1", cursor.slice(1)]) {
      expect((await pending(me, a, `?cursor=${wrong}`)).body.error.code).toBe("invalid_cursor");
    }
    expect((await pending(me, b, `?cursor=${cursor}`)).body.error.code).toBe("invalid_cursor");
  });

  it("matches one's own posts, and only those written after the subscription", async () => {
    await write(board, me.key, { title: "before", tags: ["delta"] });
    await settled();
    const id = await subscribe(me, { tags: "delta" });
    const { id: post } = await write(board, me.key, { title: "after", tags: ["delta"] });
    expect(await matched(me, id, 1)).toEqual(["after"]);
    await call(board, `PATCH /posts/${post}`, { body: "Edited, and matching as before." }, { key: me.key });
    await settled();
    expect(titlesOf(await pending(me, id))).toEqual(["after"]);
  });

  it("matches an edit that makes a post match for the first time", async () => {
    const id = await subscribe(me, { q: "harpsichord", kind: "offer" });
    const post = await write(board, other.key, { title: "Instrument", kind: "offer" });
    await settled();
    expect(titlesOf(await pending(me, id))).toEqual([]);
    await call(board, `PATCH /posts/${post.id}`, { title: "Harpsichord" }, { key: other.key });
    expect(await matched(me, id, 1)).toEqual(["Harpsichord"]);
  });

  it("matches words and phrases as the search does: in any form and script, phrases in their order, none that is excluded", async () => {
    const cases: Record<string, { yes: string[]; no: string[] }> = {
      "gramophone -scratch": { yes: ["Gramophone like new"], no: ["Gramophone with scratches"] },
      '"string quartet"': { yes: ["Strings quartets tonight"], no: ["Quartet for string"] },
      自転車: { yes: ["東京の自転車修理"], no: [] },
      '"café crème"': { yes: ["CAFE CREME"], no: [] },
      "🎹 -": { yes: [], no: ["🎹"] },
    };
    const ids = new Map<string, string>();
    for (const q of Object.keys(cases)) ids.set(q, await subscribe(me, { q }));
    for (const { yes, no } of Object.values(cases))
      for (const title of [...yes, ...no]) await write(board, other.key, { title });
    await write(board, other.key, { title: "A new string", body: "Quartet of the town" });
    await settled();
    for (const [q, { yes }] of Object.entries(cases)) {
      expect(titlesOf(await pending(me, ids.get(q) ?? "")), q).toEqual(yes);
      expect(titlesOf(await call(board, `GET /search?q=${encodeURIComponent(q)}`)), q).toEqual(yes);
    }
  });

  it.skipIf(ON_MONGODB).each([
    ["Latin accents and ligatures", "Crème brûlée|creme brulee|naïveté|ﬁne|fine|Łódź|Đà Nẵng|da nang"],
    ["English endings", "universities|university|ponies|caresses|generously|the runner's runs|don't stop"],
    ["signs inside words", "e-mail|3.14|a_b|foo/bar|U.S.A.|rock 'n' roll|C++ and C#|１２３|x²"],
    ["scripts without blanks", "東京都庁|京都|ﾗｰﾒﾝ屋|ラーメン|ภาษาไทย|ไทย|ភាសាខ្មែរ|日本語|本語"],
    ["marks", "مُعَلِّم|معلم|हिन्दी की|שָׁלוֹם|שלום|Ελλάδα|ελλαδα|ёлка|елка|İstanbul|istanbul"],
  ])("matches a phrase where the search finds it: %s", async (_what, listed) => {
    const texts = listed.split("|");
    const reader = { board, key: (await register(board)).key };
    const subscriptions = new Map<string, string>();
    for (const text of texts) subscriptions.set(text, await subscribe(reader, { q: `"${text}"` }));
    for (const title of texts) await write(board, other.key, { title });
    await settled();
    for (const [text, id] of subscriptions) {
      const search = await call(board, `GET /search?limit=100&q=${encodeURIComponent(`"${text}"`)}`);
      expect(titlesOf(await pending(reader, id)).sort(), text).toEqual(titlesOf(search).sort());
      expect(titlesOf(search), text).toContain(text);
    }
  });

  it("checks every filter against a post", async () => {
    const verified = await register(board, "Verified");
    await board.board.store.publishers.update(verified.id, { verifiedAt: Date.now(), verifiedVia: "dns" });
    const root = await write(board, other.key, { kind: "thread" });
    const by = { key: verified.key };
    const cases: [string, query: object, yes: Fields, no: Fields][] = [
      ["kind", { kind: "event,offer" }, { kind: "offer" }, { kind: "request" }],
      ["tags", { tags: "X,Y" }, { tags: ["y"] }, { tags: ["z"] }],
      [
        "near, across the antimeridian",
        { near: "0,179.9", radius_km: 50 },
        { location: { lat: 0, lng: -179.9 } },
        { location: { lat: 0, lng: 179 } },
      ],
      // In some part of the world it is that day already, or still.
      [
        "after",
        { after: "2027-01-10" },
        { starts_at: "2027-01-09T00:00:00Z", ends_at: "2027-01-10T00:00:00Z" },
        { starts_at: "2027-01-08T00:00:00Z", ends_at: "2027-01-09T09:59:59Z" },
      ],
      [
        "before",
        { before: "2027-01-10" },
        { starts_at: "2027-01-10T00:00:00Z" },
        { starts_at: "2027-01-11T12:00:01Z" },
      ],
      ["verified", { verified: true }, by, {}],
      ["publisher", { publisher: verified.id }, by, {}],
      ["no relayed ones", { include_syndicated: false }, {}, { syndicated: true }],
      ["thread", { thread: root.id }, { parent_id: root.id }, {}],
      ["top-level by default", { kind: "announcement" }, {}, { parent_id: root.id }],
      [
        "replies when asked for",
        { kind: "announcement", include_replies: true },
        { parent_id: root.id },
        { kind: "event" },
      ],
    ];
    const ids: string[] = [];
    for (const [n, [, query]] of cases.entries())
      ids.push(await subscribe(me, { tags: `case${n}`, ...query }));
    for (const [n, [name, , yes, no]] of cases.entries()) {
      for (const [word, { key = other.key, ...fields }] of Object.entries({ yes, no }))
        await write(board, key, { title: `${name}: ${word}`, tags: [`case${n}`], ...fields });
    }
    await settled();
    for (const [n, [name]] of cases.entries()) {
      const answer = titlesOf(await pending(me, ids[n] ?? "", "?limit=100"));
      expect(answer).toContain(`${name}: yes`);
      expect(answer).not.toContain(`${name}: no`);
    }
  });

  it("says that a paused subscription gets no new matches", async () => {
    const id = await subscribe(me, { tags: "resting" });
    expect((await pending(me, id)).body.meta.note).toBeUndefined();
    await call(board, `PATCH /subscriptions/${id}`, { active: false }, { key: me.key });
    expect((await pending(me, id)).body.meta.note).toContain("inactive (`paused`)");
  });

  it("takes the poll URL in place of an id", async () => {
    const id = await subscribe(me, { tags: "eta" });
    const { body } = await call(board, `GET /subscriptions/${id}`, undefined, { key: me.key });
    const asked = await pending(me, encodeURIComponent(body.data.poll_url));
    expect([asked.status, asked.body.data]).toEqual([200, []]);
  });

  it("delivers a post once, even when edits move it in and out of the query", async () => {
    const id = await subscribe(me, { tags: "zeta" });
    const post = await write(board, other.key, { title: "once", tags: ["zeta"] });
    await matched(me, id, 1);
    for (const tags of [["none"], ["zeta"], ["none"], ["zeta"]]) {
      await call(board, `PATCH /posts/${post.id}`, { tags }, { key: other.key });
      await settled();
    }
    expect(titlesOf(await pending(me, id))).toEqual(["once"]);
  });

  it("keeps matches for 30 days", async () => {
    const old = await startBoard();
    const reader = { board: old, key: (await register(old)).key };
    const id = await subscribe(reader, { tags: "eta" });
    await write(old, reader.key, { title: "old", tags: ["eta"], expires_at: inDays(300) });
    expect(await matched(reader, id, 1)).toHaveLength(1);
    await eraseOld(old.board.store, Date.parse(inDays(29)));
    expect(titlesOf(await pending(reader, id))).toEqual(["old"]);
    await eraseOld(old.board.store, Date.parse(inDays(31)));
    expect(titlesOf(await pending(reader, id))).toEqual([]);
    await old.stop();
  });
});

const dataDir = useFolder();

describe.skipIf(ON_MONGODB)("check_subscription with the model", () => {
  it("matches by meaning without a common word, and only the same meaning, also what was saved and written before the model was ready", async () => {
    const without = await startBoard({}, { dataDir });
    const { key } = await register(without);
    const id = await subscribe({ board: without, key }, { q: "somebody to repair a bicycle" });
    await write(without, key, { title: "Fixing bikes", body: "We mend broken bikes on Saturdays." });
    await without.stop();
    const board = await startBoard({ EMBEDDINGS: "auto" }, { dataDir });
    expect(await board.board.embedder.settled()).toBe("ready");
    const me = { board, key };
    expect(await matched(me, id, 1)).toEqual(["Fixing bikes"]);
    await write(board, key, { title: "Choir", body: "We sing Bach on Mondays." });
    const byMeaning = await subscribe(me, { q: "bicycle repair -cargo" });
    const { id: cargo } = await write(board, key, {
      title: "Cargo bikes fixed",
      body: "We mend broken cargo bikes.",
    });
    await write(board, key, { title: "Bikes fixed", body: "We mend broken bikes every day." });
    expect(await matched(me, byMeaning, 1)).toEqual(["Bikes fixed"]);
    expect((await matched(me, id, 3)).sort()).toEqual(["Bikes fixed", "Cargo bikes fixed", "Fixing bikes"]);
    // How well a match answers is told of each by its own vector, also beside one that is gone.
    const answered = async () => {
      const { data } = (await pending(me, id)).body;
      return new Map(
        data.map((match: { title?: string; relevance?: number }) => [match.title, match.relevance]),
      );
    };
    const before = await answered();
    expect(new Set(before.values()).size).toBe(3);
    await call(board, `DELETE /posts/${cargo}`, undefined, { key });
    // It is hidden at once, and its removal is told later.
    const after = await eventually(answered, (found) => found.size === 3 && !found.has("Cargo bikes fixed"));
    expect(after.get("Bikes fixed")).toBe(before.get("Bikes fixed"));
    // Another text is another meaning, though the words are those of no post.
    await call(board, `PATCH /subscriptions/${id}`, { query: { q: "somebody to sing with" } }, { key });
    await write(board, key, { title: "Bikes mended", body: "We mend bikes by the river." });
    await write(board, key, { title: "Choir rehearses", body: "We look for singers who sing Bach." });
    const told = await eventually(
      async () => titlesOf(await pending(me, id)),
      (titles) => titles.includes("Choir rehearses"),
    );
    expect(told.at(-1)).toBe("Choir rehearses");
    expect(told).not.toContain("Bikes mended");
    await board.stop();
  });
});
