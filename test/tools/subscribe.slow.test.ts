import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { call, eventually, register } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";
import { type Received, startReceiver } from "../support/clients/receiver.ts";

describe("subscribe", () => {
  const subscribe = (query: unknown, fields: object = {}) =>
    call(board, "POST /subscriptions", { query, ...fields }, me);
  const board = useTestBoard({ WEBHOOK_ALLOW: "127.0.0.1" });
  const me = usePublisher(board);

  it("answers 201 with the saved query, a sentence, the poll URL, and the secret for the only time", async () => {
    const { status, body } = await subscribe(
      { q: "road bike", kind: "offer" },
      { label: " Bike\u0000 for Ana " },
    );
    expect(status).toBe(201);
    const { id } = body.data;
    expect(id).toMatch(/^sub_[2-9A-HJ-NP-Za-km-z]{14}$/);
    expect(body.data).toEqual({
      id,
      label: "Bike for Ana",
      query: {
        q: "road bike",
        kind: "offer",
        include_replies: false,
        include_expired: false,
        include_syndicated: true,
      },
      breadth: "close",
      changes: true,
      describes: 'Offers about "road bike"',
      webhook_url: null,
      webhook_verified: false,
      poll_url: `${board.url}/api/v1/subscriptions/${id}/pending`,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      active: true,
      inactive_reason: null,
      event: null,
      expires_at: null,
      created_at: expect.any(String),
      last_matched_at: null,
      pending: 0,
      failures: 0,
    });
    const later = await call(board, `GET /subscriptions/${id}`, undefined, me);
    const { secret: _secret, ...rest } = body.data;
    expect(later.body.data).toEqual(rest);
  });

  it("says that words of place and time are matched as words, with the query that filters by them", async () => {
    const sent = { kind: "offer", radius_km: 5 };
    const { body } = await subscribe({ ...sent, q: "used road bike near Utrecht at Easter" });
    expect(body.data.query).toMatchObject({ q: "used road bike near Utrecht at Easter" });
    expect(body.data.query).not.toHaveProperty("near");
    const [, proposed = "null"] = /save this instead: (\{.*\})\./.exec(body.meta.note) ?? [];
    const { query } = JSON.parse(proposed);
    expect(query).toMatchObject({ ...sent, q: "used road bike", near: "Utrecht, Netherlands" });
    const instead = await subscribe(query);
    expect(instead.status).toBe(201);
    expect(instead.body.data.describes).toContain('"used road bike", within 5 km of Utrecht, Netherlands');
    expect(instead.body.meta.note ?? "").not.toContain("as words");
  });

  it("describes a query in a sentence a person understands", async () => {
    const cases: [object, string][] = [
      [
        { q: "road bike", kind: "offer", tags: "bike,Cycling", near: "52.37,4.9", verified: "true" },
        'Offers about "road bike", tagged bike or cycling, within 25 km of 52.37, 4.90, from verified publishers',
      ],
      [
        { kind: ["event", "thread"], after: "2026-12-01" },
        "Events and threads, ending at or after 2026-12-01",
      ],
      [
        { tags: ["a", "b", "c"], include_syndicated: false, include_replies: true },
        "Posts, tagged a, b or c, replies included, first-hand only",
      ],
      [{ before: "2026-12-01T10:00:00+01:00" }, "Posts, starting at or before 2026-12-01T09:00Z"],
    ];
    for (const [query, sentence] of cases) {
      expect((await subscribe(query)).body.data.describes).toBe(sentence);
    }
  });

  it("takes booleans and lists as JSON values or as strings of the search grammar, and saves both alike", async () => {
    const strings = { kind: "event,offer", tags: "A, b", verified: "true", radius_km: "40" };
    const json = { kind: ["event", "offer"], tags: ["a", "B"], verified: true, radius_km: 40 };
    const asStrings = await subscribe({ ...strings, near: "1,2" });
    const asJson = await subscribe({ ...json, near: "1,2" });
    expect(asStrings.status).toBe(201);
    expect(asJson.body.data.query).toEqual(asStrings.body.data.query);
  });

  it.each([
    {},
    { q: " " },
    { kind: "", tags: [] },
    { radius_km: 10 },
    { include_replies: true },
    { verified: false },
    { include_syndicated: true },
    { timezone: "Europe/Berlin" },
  ])("fails with invalid_request for %j, which names no criterion", async (query) => {
    const { body } = await subscribe(query);
    expect(body.error.code).toBe("invalid_request");
    expect(body.error.issues[0].path).toBe("query");
  });

  it("keeps the zone in which the days of a query are read", async () => {
    const { body } = await subscribe({ q: "sleigh", after: "2027-01-05", timezone: "America/New_York" });
    const { id, query } = body.data;
    expect(query).toMatchObject({ after: "2027-01-05", timezone: "America/New_York" });
    for (const starts_at of ["2027-01-05T04:30:00Z", "2027-01-05T05:30:00Z"])
      await write(board, me.key, { title: "Sleigh rides", kind: "event", starts_at });
    const pending = () => call(board, `GET /subscriptions/${id}/pending`, undefined, me);
    const found = await eventually(pending, (answer) => answer.body.data.length > 0);
    const starts = found.body.data.map(({ starts_at }: { starts_at: string }) => starts_at);
    expect(starts).toEqual(["2027-01-05T05:30:00.000Z"]);
  });

  it("saves no query that it cannot read again", async () => {
    // Each of these was once saved, and from then on the publisher's list of subscriptions failed.
    const own = await register(board);
    const read = async (query: object) => {
      const { body } = await call(board, "POST /subscriptions", { query }, own);
      return body.data?.query ?? body.error.issues[0];
    };
    const places = Array.from({ length: 11 }, (_, n) => `City ${n}, Country ${n}`);
    expect(await read({ tags: places })).toMatchObject({ path: "query.tags", code: "too_big" });
    expect(await read({ tags: ["Ghent, BE"] })).toMatchObject({ tags: "ghent,be" });
    expect(await read({ tags: ["İ".repeat(40)] })).toMatchObject({ path: "query.tags" });
    expect(await read({ tags: ["\u0001"] })).toMatchObject({ path: "query", code: "too_small" });
    expect(await read({ after: "0000-01-01T00:00:00+14:00" })).toMatchObject({ path: "query.after" });
    const list = await call(board, "GET /subscriptions", undefined, own);
    expect([list.status, list.body.data.length]).toEqual([200, 1]);
  });

  it("lists a query that another version of the board saved and this one cannot read", async () => {
    const own = await register(board);
    const { body } = await call(board, "POST /subscriptions", { query: { q: "x" } }, own);
    await board.board.store.subscriptions.update(body.data.id, { query: { near: "here" } });
    const list = await call(board, "GET /subscriptions", undefined, own);
    expect(list.body.data[0]).toMatchObject({ id: body.data.id, query: { near: "here" } });
    expect(list.body.data[0].describes).toContain("save it anew");
  });

  it("says when a text contains nothing that could match", async () => {
    const noteOf = async (query: object) => (await subscribe(query)).body.meta.note;
    expect(await noteOf({ q: "🚲 !" })).toContain("`q` holds no word");
    expect(await noteOf({ q: "-bike" })).toBeUndefined();
    expect(await noteOf({ tags: "bike" })).toBeUndefined();
  });

  it("answers 200 with the one there is when the same query is saved again, and resumes it if paused", async () => {
    const own = await register(board, "Twice");
    const save = (fields: object) => call(board, "POST /subscriptions", fields, own);
    const query = { q: "Grand  piano, played by hand", kind: "offer,event", near: "Berlin" };
    const first = await save({ query, label: "One" });
    const again = await save({
      query: { ...query, q: "grand piano, played by hand", kind: ["event", "offer"] },
    });
    expect([first.status, again.status, again.body.data.id]).toEqual([201, 200, first.body.data.id]);
    expect(again.body.data).not.toHaveProperty("secret");
    expect(again.body.meta.note).toContain("You have this query already.");
    for (const other of [{ radius_km: 30 }, { q: "Grand piano, played by heart" }])
      expect((await save({ query: { ...query, ...other } })).status).toBe(201);
    expect((await save({ query, webhook_url: "https://hooks.example/x" })).status).toBe(201);
    expect((await call(board, "POST /subscriptions", { query }, await register(board, "Else"))).status).toBe(
      201,
    );
    await call(board, `PATCH /subscriptions/${first.body.data.id}`, { active: false }, own);
    const resumed = await save({ query });
    expect([resumed.status, resumed.body.data.active]).toEqual([200, true]);
    const givenUp = { active: false, inactiveReason: "webhook_gone" } as const;
    await board.board.store.subscriptions.update(first.body.data.id, givenUp);
    expect((await save({ query })).body.data).toMatchObject({ active: false });
    expect((await call(board, "GET /subscriptions", undefined, own)).body.data).toHaveLength(4);
  });

  it("ignores limit, cursor and sort of a query, and says so", async () => {
    const { status, body } = await subscribe({ q: "piano", limit: 5, sort: "newest" });
    expect(status).toBe(201);
    expect(body.data.query).not.toHaveProperty("limit");
    expect(body.meta.note).toContain("`query.limit` is not a parameter");
    expect(body.meta.note).toContain("`query.sort` is not a parameter");
  });

  it("fails with invalid_url for a webhook that the board may not call", async () => {
    const { body } = await subscribe({ q: "piano" }, { webhook_url: "https://10.0.0.1/hook" });
    expect(body.error.code).toBe("invalid_url");
    expect(body.error.issues[0].path).toBe("webhook_url");
  });

  it("asks the webhook for consent with a challenge signed with the secret from the answer", async () => {
    const receiver = await startReceiver(({ body }) => ({ body: JSON.parse(body).challenge }));
    const before = Date.now();
    const { body } = await subscribe({ q: "piano" }, { webhook_url: receiver.url });
    const { id, secret } = body.data;
    const read = await eventually(
      () => call(board, `GET /subscriptions/${id}`, undefined, me),
      (answer) => answer.body.data.webhook_verified,
    );
    await receiver.stop();
    expect(read.body.data.webhook_verified).toBe(true);
    expect(receiver.received).toHaveLength(1);
    const [{ headers, body: challenge } = {} as Received] = receiver.received;
    const sent = JSON.parse(challenge);
    expect(sent).toEqual({
      type: "webhook.challenge",
      subscription_id: id,
      challenge: expect.stringMatching(/^[\w-]{22,}$/),
      expires_at: expect.any(String),
    });
    expect(Date.parse(sent.expires_at) - before).toBeGreaterThan(9.9 * 60_000);
    expect(Date.parse(sent.expires_at) - before).toBeLessThan(10.2 * 60_000);
    const mac = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
      .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${challenge}`)
      .digest();
    expect(headers["webhook-signature"]).toBe(`v1,${mac.toString("base64")}`);
    expect(headers["x-board-signature"]).toBe(`t=${headers["webhook-timestamp"]},v1=${mac.toString("hex")}`);
    expect(headers["content-type"]).toBe("application/json");
  });
});
