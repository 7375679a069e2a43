import { describe, expect, it } from "vitest";
import { cleanMultiline } from "../../src/schema/text.ts";
import { ON_MONGODB } from "../support/boards/board.ts";
import { call, register } from "../support/boards/client.ts";
import { writeMany } from "../support/boards/many-posts.ts";
import { useClient, usePublisher, useTestBoard } from "../support/boards/use.ts";
import { found, prose, write } from "../support/boards/writing.ts";
import { idIn } from "../support/clients/mcp-clients.ts";
import { cpuMsOf } from "../support/run/cpu.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ROOT_ID = /^[2-9A-HJ-NP-Za-km-z]{10}$/;

describe("create_post", () => {
  let now = Date.UTC(2026, 10, 20, 12);
  const at = (ms: number) => new Date(now + ms).toISOString();
  const create = (fields: object, headers: Record<string, string> = {}) =>
    call(board, "POST /posts", { title: "A notice", body: prose(), ...fields }, { ...me, headers });

  const board = useTestBoard({}, { clock: () => now });
  const me = usePublisher(board);
  const client = useClient(board, "/mcp", me);

  it("answers 201 with the post and its page as Location", async () => {
    const { status, headers, body } = await create({});
    expect(status).toBe(201);
    expect(body.data.id).toMatch(ROOT_ID);
    expect(headers.get("location")).toBe(body.data.url);
    expect(body.data).toMatchObject({ kind: "announcement", syndicated: false, metadata: {}, tags: [] });
  });

  it("makes the post findable by id, in lists and by search as soon as it answers", async () => {
    now += 1;
    const { id } = await write(board, me.key, { title: "Xylophone for sale" });
    expect((await call(board, `GET /posts/${id}`)).status).toBe(200);
    expect((await found(board, "/posts?limit=1"))[0].id).toBe(id);
    expect((await found(board, "/search?q=xylophones"))[0].id).toBe(id);
  });

  it("brings text to NFC, strips controls, makes titles one line, and keeps tabs and line feeds of bodies", async () => {
    const post = await write(board, me.key, {
      title: "  Cafe\u0301\r\nopen\u0007 now ",
      body: " a\u0000b\tc\r\nd\u009f ",
      tags: [" Ju\u0308rgen\n", "JÜRGEN", "b"],
      location: { name: "Ko\u0308ln\n" },
    });
    expect(post.title).toBe("Café open now");
    expect(post.body).toBe("ab\tc\nd");
    expect(post.tags).toEqual(["jürgen", "b"]);
    expect(post.location.name).toBe("Köln");
    expect((await write(board, me.key, { location: { name: "\u0007" } })).location).toBeNull();
  });

  it("cuts runs of combining marks to thirty, before they cost time", async () => {
    // A text is cleaned several times, and sorting 21,000 marks of two classes took 90 ms each time.
    const pile = "\u0F71\u0F72".repeat(10_400);
    const marks = (text: string) => text.match(/\p{M}+/gu)?.map((run) => [...run].length);
    const { body, title } = await write(board, me.key, {
      title: `Z${"\u0301\u0316".repeat(90)}`,
      body: `a${pile}b`,
    });
    expect([marks(title), marks(body)]).toEqual([[29], [30]]);
    const times = Array.from({ length: 20 }, () => cpuMsOf(() => cleanMultiline(pile)));
    expect(Math.min(...times)).toBeLessThan(30);
    // A Tibetan or Biblical text may have four marks in a row.
    expect(cleanMultiline("ཧཱུྃ שָּׁ")).toBe("ཧཱུྃ שָּׁ".normalize("NFC"));
  });

  it("notes personal data, but no date or price", async () => {
    const { body } = await create({ body: "Write to ada@example.org, or phone +49 30 1234567." });
    expect(body.meta.note).toBe(
      "The post seems to contain a phone number and an e-mail address, and anyone can read it. Edit it if that is not meant.",
    );
    const titled = await create({ title: "Call us: +49 30 1234567" });
    expect(titled.body.meta.note).toContain("The post seems to contain a phone number, and");
    const plain = await create({ body: `On 2026-12-01 from 10:00 to 12:00, 25.00 EUR. ${prose()}` });
    expect(plain.body.meta.note).toBeUndefined();
  });

  it("notes line breaks that came as two characters, unless others came as one", async () => {
    const noteOn = async (body: string) => (await create({ body: `${prose()} ${body}` })).body.meta.note;
    expect(await noteOn("One.\\nTwo.")).toContain("holds `\\n` as two characters");
    expect(await noteOn("In C, \\n\nends a line.")).toBeUndefined();
  });

  it.each([
    ["without dates: 30 days after creation", {}, 30 * DAY_MS],
    ["one day after the end", { starts_at: 2 * DAY_MS, ends_at: 5 * DAY_MS }, 6 * DAY_MS],
    ["30 days after creation with a start alone", { starts_at: 2 * DAY_MS }, 30 * DAY_MS],
    ["one day after a start that is later than that", { starts_at: 40 * DAY_MS }, 41 * DAY_MS],
    [
      "at least one hour ahead for what is long over",
      { starts_at: -9 * DAY_MS, ends_at: -8 * DAY_MS },
      HOUR_MS,
    ],
    ["at most 365 days ahead", { starts_at: 800 * DAY_MS }, 365 * DAY_MS],
  ])("expires by default %s", async (_when, dates, expected) => {
    const fields = Object.fromEntries(Object.entries(dates).map(([name, ms]) => [name, at(ms)]));
    expect((await write(board, me.key, fields)).expires_at).toBe(at(expected));
  });

  it("takes an expiry of up to 365 days, and fails with invalid_expiry for later and past ones", async () => {
    expect((await write(board, me.key, { expires_at: at(365 * DAY_MS) })).expires_at).toBe(at(365 * DAY_MS));
    for (const ms of [365 * DAY_MS + 1, 0]) {
      expect((await create({ expires_at: at(ms) })).body.error.code).toBe("invalid_expiry");
    }
  });

  it("fails with invalid_window for an end before the start, or before creation without a start", async () => {
    expect((await create({ starts_at: at(DAY_MS), ends_at: at(HOUR_MS) })).body.error.code).toBe(
      "invalid_window",
    );
    expect((await create({ ends_at: at(-HOUR_MS) })).body.error.code).toBe("invalid_window");
    expect((await create({ starts_at: at(DAY_MS), ends_at: at(DAY_MS) })).status).toBe(201);
  });

  it("moves a thread's expiry to at least 7 days after its latest reply, and never back", async () => {
    const soon = await write(board, me.key, { kind: "thread", expires_at: at(HOUR_MS) });
    const late = await write(board, me.key, { kind: "thread", expires_at: at(90 * DAY_MS) });
    const offer = await write(board, me.key, { kind: "offer", expires_at: at(2 * HOUR_MS) });
    for (const parent of [soon, late, offer]) await write(board, me.key, { parent_id: parent.id });
    const expiry = async (id: string) => (await call(board, `GET /posts/${id}`)).body.data.expires_at;
    expect(await expiry(soon.id)).toBe(at(7 * DAY_MS));
    expect(await expiry(late.id)).toBe(late.expires_at);
    expect(await expiry(offer.id)).toBe(offer.expires_at);
  });

  it("takes replies to expired threads, which become active again, and to no other expired post", async () => {
    const thread = await write(board, me.key, { kind: "thread", expires_at: at(HOUR_MS) });
    const offer = await write(board, me.key, { kind: "offer", expires_at: at(HOUR_MS) });
    now += HOUR_MS;
    expect((await create({ parent_id: offer.id })).body.error.code).toBe("parent_not_found");
    expect((await create({ parent_id: thread.id })).status).toBe(201);
    expect((await found(board, "/search?kind=thread")).map((post) => post.id)).toContain(thread.id);
  });

  it("makes replies, with ids and thread_url of their root", async () => {
    const root = await write(board, me.key);
    const reply = await write(board, me.key, { parent_id: root.url });
    const keyed = await write(board, me.key, { parent_id: root.id, idempotency_key: "a-reply" });
    await call(board, `DELETE /posts/${keyed.id}`, undefined, me);
    for (const { id } of [reply, keyed])
      expect(id).toMatch(new RegExp(`^${root.id}-[2-9A-HJ-NP-Za-km-z]{6}$`));
    expect(reply).toMatchObject({ parent_id: root.id, thread_url: root.url });
    expect((await call(board, `GET /posts/${root.id}`)).body.data).toMatchObject({
      reply_count: 1,
      last_reply_at: reply.created_at,
    });
  });

  describe("with an idempotency key", () => {
    it("answers a retry with 200 and the first post, whether the key came in the body or as a header", async () => {
      const text = { title: "Once", body: prose() };
      const first = await create({ ...text, idempotency_key: "once-1" });
      const again = await create({ ...text, idempotency_key: "once-1" });
      const byHeader = await create(text, { "idempotency-key": "once-1" });
      expect([first.status, again.status, byHeader.status]).toEqual([201, 200, 200]);
      expect(first.headers.get("idempotency-replayed")).toBeNull();
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(again.body.data).toEqual(first.body.data);
      expect(byHeader.body.data.id).toBe(first.body.data.id);
      const replayed = "This idempotency key was used before; here is the post it made.";
      expect([again.body.meta.note, byHeader.body.meta.note]).toEqual([replayed, replayed]);
      const other = await create({ ...text, title: "Twice", idempotency_key: "once-1" });
      expect([other.status, other.body.data]).toEqual([200, first.body.data]);
      expect(other.body.meta.note).toBe(
        `${replayed} What was sent now differs from the first time and changed nothing; to edit the post: PATCH /posts/${first.body.data.id}.`,
      );
      const [most, more] = [200, 201].map((length) =>
        create(text, { "idempotency-key": "k".repeat(length) }),
      );
      expect([(await most)?.status, (await more)?.status]).toEqual([201, 400]);
    });

    it("writes one post for 20 identical calls at once, and answers exactly one of them with 201", async () => {
      const fields = { title: "Twenty at once", body: prose(), idempotency_key: "twenty" };
      const before = (await call(board, "GET /publishers/me", undefined, me)).body.data.post_count;
      const answers = await Promise.all(Array.from({ length: 20 }, () => create(fields)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
      expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
      expect((await call(board, "GET /publishers/me", undefined, me)).body.data.post_count).toBe(before + 1);
      expect(await found(board, `/search?q=${encodeURIComponent('"Twenty at once"')}`)).toHaveLength(1);
    });

    it("keeps one post per key and publisher, whether sent as a new post, as a reply or in another thread", async () => {
      const root = async () => (await write(board, me.key, { kind: "thread" })).id;
      const [one, two] = [await root(), await root()];
      for (const [idempotency_key, places] of [
        ["anywhere", [undefined, one, two]],
        ["in a thread", [one, two]],
      ] as const) {
        const answers = [];
        for (const parent_id of places) answers.push(await create({ parent_id, idempotency_key }));
        expect(answers.map(({ status }) => status)).toEqual([201, 200, 200].slice(0, places.length));
        expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
      }
      const other = await register(board, "Another");
      // `write` expects a 201.
      await write(board, other.key, { idempotency_key: "anywhere" });
    });

    it("fails with post_not_found when the post was removed, and says to use a new key", async () => {
      const { body } = await create({ idempotency_key: "removed" });
      await call(board, `DELETE /posts/${body.data.id}`, undefined, me);
      const again = await create({ idempotency_key: "removed" });
      expect(again.body.error).toMatchObject({
        code: "post_not_found",
        hint: "The post of this idempotency key was removed. Use a new key.",
      });
    });
  });

  it("computes flags on the text as sent, before invisible characters are removed", async () => {
    const { body } = await create({ title: "Plain\u202Etitle" });
    expect(body.data.flags).toEqual(["hidden_unicode"]);
    expect(body.meta.note).toBe(
      "Readers are warned about this post: hidden_unicode. Edit it if that is not meant.",
    );
  });

  it("notes a near-duplicate by its id, unless it was removed", async () => {
    const fields = { title: "Piano to give away", body: prose() };
    const { id } = await write(board, me.key, fields);
    for (const title of ["Piano to give away!", "Piano: to give away"]) {
      const { status, body } = await create({ ...fields, title });
      expect([status, body.meta.note]).toEqual([
        201,
        `Nearly the same as your post ${id}; consider changing that one instead: PATCH /posts/${id}.`,
      ]);
      await call(board, `DELETE /posts/${body.data.id}`, undefined, me);
    }
    await call(board, `DELETE /posts/${id}`, undefined, me);
    expect((await create(fields)).body.meta.note).toBeUndefined();
  });

  it("compares a post with one's own of the last thirty days, and with no older ones", async () => {
    const fields = { title: "Cello to give away", body: prose() };
    const { id } = await write(board, me.key, { ...fields, expires_at: at(90 * DAY_MS) });
    const noteAfter = async (ms: number) => {
      const began = now;
      now += ms;
      const { body } = await create({ ...fields, expires_at: at(HOUR_MS) });
      await call(board, `DELETE /posts/${body.data.id}`, undefined, me);
      now = began;
      return body.meta.note ?? "";
    };
    expect(await noteAfter(30 * DAY_MS)).toContain(id);
    expect(await noteAfter(30 * DAY_MS + 1)).not.toContain(id);
  });

  it("notes an active post of another publisher that says nearly the same, with the call to reply there", async () => {
    const writer = await register(board, "Earlier");
    const fields = { kind: "offer", title: "Harpsichord lessons at home in Ghent", body: prose() };
    const first = await write(board, writer.key, { ...fields, expires_at: at(DAY_MS) });
    const noteOn = async (over: object) => (await create({ ...fields, ...over })).body.meta.note ?? "";
    const { body } = await create({ ...fields, title: `${fields.title}!` });
    expect(body.meta.note).toBe(
      `Nearly the same as post ${first.id} of another publisher; if it is the same thing, reply there instead (POST /posts with \`parent_id\` "${first.id}") and take this one back (DELETE /posts/${body.data.id}).`,
    );
    await call(board, `DELETE /posts/${body.data.id}`, undefined, me);
    expect(await noteOn({ body: prose() })).not.toContain(first.id);
    expect(await noteOn({ parent_id: first.id })).not.toContain("Nearly the same");
    now += DAY_MS;
    const late = await register(board, "Late");
    const after = await call(board, "POST /posts", fields, { key: late.key });
    expect(after.body.meta.note ?? "").not.toContain(first.id);
  });

  it("notes an active post of another publisher from the same source, however it was linked to", async () => {
    const writer = await register(board, "Calendar");
    const text = (words: string) => ({
      title: "Theremin evening",
      body: `${prose()} ${words}`,
      syndicated: true,
    });
    const source_url = "https://www.Theremin.example:443/evenings/7/?utm_source=feed&room=2#map";
    const first = await write(board, writer.key, { ...text("at the observatory"), source_url });
    const noteOn = async (link: string) =>
      (await create({ ...text("for everybody"), source_url: link })).body.meta.note ?? "";
    const same = await noteOn("http://theremin.example/evenings/7?fbclid=abc&room=2");
    expect(same).toContain(`From the same source as post ${first.id} of another publisher; if it is`);
    for (const other of ["https://theremin.example/evenings/8?room=2", "https://theremin.example/evenings/7"])
      expect(await noteOn(other), other).not.toContain("source as");
    // One's own is no other's.
    await board.board.services.moderation.act("hide", first.id, "test", now);
    expect(await noteOn(source_url)).not.toContain("source as");
  });

  it.skipIf(ON_MONGODB)(
    "finds what others said already among three hundred posts with the same title",
    async () => {
      const title = "Room to let near the station";
      const bodies = Array.from({ length: 300 }, () => prose());
      const ids = await writeMany(
        board,
        bodies.map((body) => ({ kind: "offer", title, body })),
      );
      const sent = { title, body: `${bodies[150]}!` };
      expect((await create(sent)).body.meta.note).toContain(ids[150]);
    },
  );

  it("takes a day without an hour, today's too, and asks which day a month or a week means", async () => {
    const dated = (starts_at: string) => create({ starts_at, timezone: "America/Sao_Paulo" });
    const today = await dated(at(0).slice(0, 10));
    expect([today.status, today.body.meta.note ?? ""]).toEqual([201, expect.not.stringContaining("past")]);
    for (const starts_at of ["2027-02", "2027-W05", "2027"])
      expect(JSON.stringify((await dated(starts_at)).body.error?.issues)).toContain("which day is it?");
  });

  it("notes a start more than a year ahead, before which the post ends", async () => {
    const noteOn = async (starts_at: string) => (await create({ starts_at })).body.meta.note;
    expect(await noteOn("2027-12-24T10:00Z")).toBe(
      "This post expires before its start, since posts live 365 days: publish it again nearer to it.",
    );
    expect(await noteOn(at(365 * DAY_MS + 1))).toContain("expires before its start");
    expect(await noteOn(at(365 * DAY_MS))).toBeUndefined();
    const chosen = async (expires: number) => {
      const { body } = await create({ starts_at: at(DAY_MS), expires_at: at(expires) });
      return (body.meta.note ?? "").replace(body.data.id, "ID");
    };
    expect([await chosen(DAY_MS), await chosen(DAY_MS - 1)]).toEqual([
      "",
      "This post expires before its start; if that is not meant, correct `expires_at`: PATCH /posts/ID.",
    ]);
  });

  it("notes dates that lie in the past", async () => {
    const noteOn = async (dates: object) => (await create(dates)).body.meta.note;
    const past = expect.stringContaining("dates of this post lie in the past");
    expect(await noteOn({ starts_at: at(-DAY_MS), ends_at: at(-1) })).toEqual(past);
    expect(await noteOn({ starts_at: at(-DAY_MS), ends_at: at(0) })).toBeUndefined();
    expect(await noteOn({ starts_at: at(-1) })).toEqual(past);
    expect(await noteOn({ starts_at: at(0) })).toBeUndefined();
    expect(await noteOn({})).toBeUndefined();
  });

  it("notes over MCP the tools that change or take down what is meant", async () => {
    const writer = await register(board, "Brass");
    const fields = { kind: "offer", title: "Sousaphone lessons in Ghent", body: prose() };
    const first = await write(board, writer.key, fields);
    const said = await client.call("create_post", fields);
    const id = idIn(said.text);
    expect(said.text).toContain(
      `Nearly the same as post ${first.id} of another publisher; if it is the same thing, reply there instead (create_post {"parent_id":"${first.id}"} with your \`body\`) and take this one down (create_post {"id":"${id}","delete":true}).`,
    );
    const again = await client.call("create_post", fields);
    expect(again.text).toContain(`consider changing that one instead: create_post {"id":"${id}"}.`);
    expect((await client.call("create_post", { id, expires_at: "now" })).text).toContain(
      `brings it back. Its text stays readable at its address for 90 days; to take it down now: create_post {"id":"${id}","delete":true}.`,
    );
  });

  it("notes unknown fields, and refuses those that were to be place, time, parent or source, with the field that is meant", async () => {
    const { status, body } = await create({ titel: "x", link: "z" });
    expect(status).toBe(201);
    expect(body.meta.note).toContain("`link` is not a parameter; did you mean `url`? It was ignored.");
    expect(body.meta.note).toContain("`titel` is not a parameter; did you mean `title`?");
    for (const [fields, path, meant] of [
      [{ startsat: "y" }, "startsat", "starts_at"],
      [{ location: { name: "Rome", latt: 1 } }, "location.latt", "lat"],
      [{ when: "2099-12-05T10:00:00Z" }, "when", "starts_at"],
      [{ end_time: "2099-12-05T12:00:00Z" }, "end_time", "ends_at"],
      [{ tz: "Europe/Rome" }, "tz", "timezone"],
      [{ city: "Berlin" }, "city", "location"],
      [{ coordinates: [13.4, 52.5] }, "coordinates", "location"],
      [{ reply_to: "7fKm3Qx9Rt" }, "reply_to", "parent_id"],
      [{ source: "https://example.org" }, "source", "source_url"],
    ] as const) {
      const { status, body } = await create(fields);
      const message = `Is not a parameter; did you mean \`${meant}\`?`;
      expect([status, body.error.issues]).toEqual([400, [{ path, code: "unknown_field", message }]]);
    }
  });

  it("names all that readers do not see in one sentence, and says that a post is one date", async () => {
    const { body } = await create({ price: 80, contact: "x@example.org", rrule: "FREQ=WEEKLY" });
    expect(body.meta.note).toContain(
      "Readers do not see `price`, `contact`: put what matters into `body` (PATCH /posts/{id}).",
    );
    expect(body.meta.note).toContain("`rrule` is not kept: one post is one date.");
  });

  it("gives a reply without a title the root's, and refuses any other post without one", async () => {
    const author = await register(board, "Cellist");
    const root = await write(board, author.key, { title: "Cello for sale", kind: "thread" });
    const reply = await call(board, "POST /posts", { body: "Still there?", parent_id: root.id }, author);
    expect([reply.status, reply.body.data.title]).toEqual([201, "Re: Cello for sale"]);
    const long = await write(board, author.key, { title: "語".repeat(200) });
    const toLong = await write(board, author.key, { title: undefined, parent_id: long.id });
    expect([...toLong.title]).toHaveLength(200);
    expect(toLong.title).toMatch(/^Re: 語+/u);
    for (const none of [{}, { parent_id: null }]) {
      const refused = await call(board, "POST /posts", { body: "Untitled", ...none }, author);
      expect(refused.body.error.issues).toMatchObject([{ path: "title", code: "required" }]);
    }
  });

  it("fails with duplicate_storm for the fifth equal post of a publisher within an hour, and says when the first is that old", async () => {
    const [own, other] = [await register(board, "Fiddler"), await register(board, "Second fiddle")];
    const fields = { kind: "request", title: "Wanted: a fiddle", body: prose() };
    let latest = "";
    const post = async (as = own) => {
      const { status, headers, body } = await call(board, "POST /posts", fields, as);
      if (status === 429)
        expect(body.error).toMatchObject({
          code: "duplicate_storm",
          hint: `Change the post that is there: PATCH /posts/${latest}; or wait until an hour has passed.`,
        });
      else if (as === own) latest = body.data.id;
      return [status, headers.get("retry-after")];
    };
    for (let n = 0; n < 4; n += 1) {
      expect(await post()).toEqual([201, null]);
      now += 60_000;
    }
    expect(await post()).toEqual([429, `${3600 - 4 * 60}`]);
    expect(await post(other)).toEqual([201, null]);
    now += HOUR_MS - 4 * 60_000 - 1;
    expect(await post()).toEqual([429, "1"]);
    now += 1;
    expect(await post()).toEqual([201, null]);
    expect(await post()).toEqual([429, "60"]);
  });
});
