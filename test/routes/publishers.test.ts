import { describe, expect, it } from "vitest";
import { hostName, hostsOf, signInId } from "../../src/domain/publishers/hosts.ts";
import type { StoredPublisher } from "../../src/ports/store/index.ts";
import { startBoard, type TestBoard } from "../support/boards/board.ts";
import { call, eventually, register } from "../support/boards/client.ts";
import { writeMany } from "../support/boards/many-posts.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { found, write } from "../support/boards/writing.ts";
import { aSubscription } from "../support/search/rows.ts";

describe("routes of publishers", () => {
  const board = useTestBoard();

  it("GET /publishers/me shows the publisher, how to verify, its subscriptions and whether it is suspended", async () => {
    const { id, key } = await register(board, "Me");
    const query = { query: { q: "x" }, label: "P" };
    const { body: made } = await call(board, "POST /subscriptions", query, { key });
    const { body } = await call(board, "GET /publishers/me", undefined, { key });
    const list = await call(board, "GET /subscriptions", undefined, { key });
    expect(body.data).toMatchObject({
      id,
      name: "Me",
      verify: { domain: null },
      suspended: false,
      post_count: 0,
    });
    expect(body.data.subscriptions).toEqual(list.body.data);
    expect(list.body.next_cursor).toBeNull();
    expect(list.body.data).toHaveLength(1);
    expect(list.body.data[0]).toMatchObject({ id: made.data.id, label: "P" });
    expect(list.body.data[0]).not.toHaveProperty("secret");
    // No host can sign in on this board.
    expect(body.data).not.toHaveProperty("signed_in_hosts");
    expect(body.meta.note).toBeUndefined();
    await board.board.services.moderation.act("suspend", id, "Nothing but ads.", Date.now());
    const suspended = (await call(board, "GET /publishers/me", undefined, { key })).body;
    expect([suspended.data.suspended, suspended.meta.note]).toEqual([
      true,
      'The operator of this board has suspended you: "Nothing but ads.".',
    ]);
  });

  it("GET /publishers/{id} shows the newest ten posts, without expired and hidden ones", async () => {
    const { id, key } = await register(board, "Busy");
    const posts = [];
    for (let n = 0; n < 12; n += 1) posts.push(await write(board, key, { title: `number ${n}` }));
    await board.board.services.moderation.act("hide", posts[11].id, "test", Date.now());
    const page = encodeURIComponent(`${board.url}/publishers/${id}`);
    const { body } = await call(board, `GET /publishers/${page}`);
    expect(body.data).toMatchObject({ id, name: "Busy", crier_url: `${board.url}/publishers/${id}` });
    expect(body.data.recent_posts.map((post: { title: string }) => post.title).sort()).toEqual(
      Array.from({ length: 10 }, (_, n) => `number ${n + 1}`).sort(),
    );
    const times = body.data.recent_posts.map((post: { created_at: string }) => post.created_at);
    expect(times).toEqual([...times].sort().reverse());
    expect(body.meta.content_notice).toMatch(/third parties/);
    expect(body.data).not.toHaveProperty("verify");
    const [latest] = await writeMany(board, [{ kind: "offer" }]);
    const writer = (await board.board.store.posts.get(latest ?? ""))?.publisherId;
    const { data } = (await call(board, `GET /publishers/${writer}`)).body;
    expect(data.recent_posts.map((post: { id: string }) => post.id)).toEqual([latest]);
  });

  it("GET /publishers/me/inbox tells of its caller alone, page by page, and of all that the caller has saved", async () => {
    const [{ key }, other] = [await register(board, "Reader"), await register(board, "Answers")];
    const root = await write(board, key, { kind: "thread" });
    const saved = await call(board, "POST /subscriptions", { query: { q: "x" } }, { key });
    await call(board, "POST /subscriptions", { query: { q: "y" } }, other);
    const replies = [];
    for (const _ of [1, 2]) replies.push((await write(board, other.key, { parent_id: root.id })).id);
    const page = async (query: string) =>
      (await call(board, `GET /publishers/me/inbox?limit=1${query}`, undefined, { key })).body;
    const idsOf = (data: { post: { id: string } }[]) => data.map(({ post }) => post.id);
    const first = await page("");
    expect([idsOf(first.data), first.meta.note]).toEqual([
      replies.slice(0, 1),
      "This page is full, so more may be waiting: ask again now with `next_cursor`.",
    ]);
    expect(first.meta.subscriptions.map(({ id }: { id: string }) => id)).toEqual([saved.body.data.id]);
    const second = await page(`&cursor=${first.next_cursor}`);
    expect(idsOf(second.data)).toEqual(replies.slice(1));
    const last = await page(`&cursor=${second.next_cursor}`);
    expect([last.data, last.meta.note, last.next_cursor]).toEqual([[], undefined, second.next_cursor]);
    expect(
      (await page(`&since=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`)).data,
    ).toEqual([]);
  });

  it("PATCH /publishers/me changes name and description, on posts and pages too, and nothing else", async () => {
    const second = await startBoard({}, { dataDir: board.dataDir });
    const { id, key } = await register(board, "Old name");
    const post = await write(board, key);
    const edit = (change: object) => call(board, "PATCH /publishers/me", change, { key });
    const before = (await call(board, `GET /publishers/${id}`)).body.data;

    const named = await edit({ name: "  New\u0000 name " });
    expect(named.status).toBe(200);
    const { recent_posts: _, ...publisher } = before;
    expect(named.body.data).toEqual({ ...publisher, name: "New name" });
    const described = await edit({ description: "First.\nSecond." });
    expect(described.body.data).toMatchObject({ name: "New name", description: "First.\nSecond." });
    for (const where of [board, second]) {
      const { body } = await call(where, `GET /posts/${post.id}`);
      expect(body.data.publisher).toMatchObject({ id, name: "New name" });
      const page = await (await fetch(`${where.url}/publishers/${id}`)).text();
      expect(page).toContain("New name");
      expect(page).toContain("Second.");
      expect(page).not.toContain("Old name");
    }
    const cleared = await edit({ description: null });
    expect(cleared.body.data).toMatchObject({ name: "New name", description: null });
    expect((await edit({})).body.data).toEqual(cleared.body.data);
    await edit({ description: "Third." });
    expect((await edit({ description: " \n" })).body.data).toEqual(cleared.body.data);
    const { url, domain, verified, first_seen } = before;
    expect(cleared.body.data).toMatchObject({ url, domain, verified, first_seen });
    await second.stop();
  });

  it("PATCH /publishers/me refuses a name that is empty, null or too long, and calls without a key", async () => {
    const { id, key } = await register(board, "Kept");
    for (const name of ["", " ", null, "n".repeat(81)]) {
      const { status, body } = await call(board, "PATCH /publishers/me", { name }, { key });
      expect([status, body.error.issues[0].path], String(name)).toEqual([400, "name"]);
    }
    const long = await call(board, "PATCH /publishers/me", { description: "d".repeat(501) }, { key });
    expect([long.status, long.body.error.issues[0].path]).toEqual([400, "description"]);
    expect((await call(board, "PATCH /publishers/me", { name: "Mine" })).status).toBe(401);
    expect((await call(board, `GET /publishers/${id}`)).body.data.name).toBe("Kept");
  });

  it("rotate-key replaces the key at once, on every instance of the data folder", async () => {
    const second = await startBoard({}, { dataDir: board.dataDir });
    const { id, key } = await register(board, "Rotating");
    const me = (where: TestBoard, as: string) => call(where, "GET /publishers/me", undefined, { key: as });
    expect((await me(second, key)).status).toBe(200);
    const { body } = await call(board, "POST /publishers/me/rotate-key", undefined, { key });
    expect(body.data).toEqual({ id, api_key: expect.stringMatching(/^bbk_[0-9A-Za-z]{38}$/) });
    for (const where of [board, second]) {
      expect((await me(where, key)).body.error.code).toBe("invalid_api_key");
      expect((await me(where, body.data.api_key)).status).toBe(200);
    }
    await second.stop();
  });

  it("rotate-key gives one of two calls at once a key, and ends the webhooks of hosts only where they are signed out", async () => {
    const { publishers, subscriptions } = board.board.store;
    const { id } = await register(board, "Hosted");
    const own = { publisherId: id, label: null, webhookUrl: "https://hooks.example/" };
    const hosts = { ...own, event: "post.matched" } as const;
    await subscriptions.insert(aSubscription("sub_own", own), 50);
    await subscriptions.insert(aSubscription("sub_pushed", hosts), 50);
    await subscriptions.insert(aSubscription("sub_polled", { ...hosts, webhookUrl: null }), 50);
    const left = async () => (await subscriptions.ofPublisher(id)).map((row) => row.id).sort();
    const rotate = async (signOutHosts: boolean, caller: StoredPublisher) =>
      board.board.services.publishers.rotateKey(caller, { signOutHosts });
    const before = (await publishers.get(id)) as StoredPublisher;
    const atOnce = await Promise.allSettled([rotate(false, before), rotate(false, before)]);
    const keys = atOnce.flatMap((one) => (one.status === "fulfilled" ? [one.value.api_key] : []));
    expect(keys).toHaveLength(1);
    expect((await call(board, "GET /publishers/me", undefined, { key: keys[0] ?? "" })).status).toBe(200);
    expect(await left()).toEqual(["sub_own", "sub_polled", "sub_pushed"]);
    await rotate(true, (await publishers.get(id)) as StoredPublisher);
    expect(await left()).toEqual(["sub_own", "sub_polled"]);
  });

  it("rotate-key leaves hosts signed in unless it is told to sign them out, and then those of its caller alone", async () => {
    const { signIns } = board.board.store;
    const owners = [await register(board, "Rotating"), await register(board, "Neighbour")];
    for (const { id } of owners)
      await signIns.put({
        ...{
          id: `RefreshToken:${id}`,
          payload: JSON.stringify({ clientId: "https://host.example/", iiat: 1 }),
        },
        ...{ grantId: `grant ${id}`, publisherId: id, consumedAt: null, expiresAt: Date.now() + 1_000_000 },
      });
    const left = () =>
      Promise.all(owners.map(async ({ id }) => (await hostsOf(signIns, id, Date.now())).length));
    let key = owners[0]?.key ?? "";
    const counts = [];
    for (const sent of [undefined, {}, { sign_out_hosts: false }, { sign_out_hosts: "true" }]) {
      key = (await call(board, "POST /publishers/me/rotate-key", sent, { key })).body.data.api_key;
      counts.push(await left());
    }
    expect(counts).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
      [0, 1],
    ]);
  });

  it.each<[said: unknown, name: string | undefined]>([
    ['A "quoted" `name` “of” «hosts»', "A quoted name of hosts"],
    ["Two\n lines", "Two lines"],
    ["n".repeat(61), "n".repeat(60)],
    ["🎹".repeat(61), "🎹".repeat(60)],
    [`${"n".repeat(59)} n`, "n".repeat(59)],
    ["a\u202eb", "ab"],
    [" ", undefined],
    ['"`', undefined],
    [5, undefined],
  ])("a host that calls itself %j is called %j", (said, name) => {
    expect(hostName(said)).toBe(name);
  });

  it("fifty hosts that are signed in are listed, the last first, by a name of 60 characters or an address of 200", async () => {
    const { id } = await register(board, "Signed in");
    const { signIns } = board.board.store;
    const now = Date.now();
    const put = (rowId: string, publisherId: string | null, payload: object, n = 0) => {
      const row = {
        id: rowId,
        grantId: null,
        publisherId,
        payload: JSON.stringify(payload),
        consumedAt: null,
      };
      return signIns.put({ ...row, expiresAt: now + 1_000_000 + n });
    };
    const address = (n: number) => `https://host.example/${n}/`.padEnd(201, "x");
    for (let n = 0; n < 51; n += 1)
      await put(`RefreshToken:${n}`, id, { clientId: address(n), iiat: 1_000 + n }, n);
    await put(signInId("Client", address(49)), null, { client_name: "n".repeat(61) });
    const hosts = await hostsOf(signIns, id, now);
    expect(hosts).toHaveLength(50);
    const [last, named] = hosts;
    expect(last).toEqual({
      name: address(50).slice(0, 200),
      signed_in_at: new Date(1_050_000).toISOString(),
      expires_at: new Date(now + 1_000_050).toISOString(),
    });
    expect(named?.name).toBe("n".repeat(60));
  });

  it("DELETE /publishers/me erases publisher, posts, replies to them and subscriptions, and counts them", async () => {
    const { id, key } = await register(board, "Leaving");
    const other = await register(board, "Staying");
    const root = await write(board, key, { title: "leaving soon", tags: ["leaving"], idempotency_key: "k" });
    const foreign = await write(board, other.key, { kind: "thread" });
    const reply = await write(board, key, { parent_id: foreign.id });
    const answered = await write(board, other.key, { parent_id: root.id });
    const { body: sub } = await call(board, "POST /subscriptions", { query: { tags: "leaving" } }, other);
    await write(board, key, { tags: ["leaving"] });
    const pending = () => call(board, `GET /subscriptions/${sub.data.id}/pending`, undefined, other);
    await eventually(pending, ({ body }) => body.data.length === 1);
    await call(board, "POST /subscriptions", { query: { q: "piano" } }, { key });
    const { status, body } = await call(board, "DELETE /publishers/me", undefined, { key });
    expect(status).toBe(200);
    expect(body.data).toEqual({ id, deleted: true, posts: 3, subscriptions: 1, complete: true });
    for (const request of ["GET /publishers/me", "DELETE /publishers/me"] as const)
      expect((await call(board, request, undefined, { key })).body.error.code).toBe("invalid_api_key");
    expect((await call(board, `GET /publishers/${id}`)).body.error.code).toBe("publisher_not_found");
    for (const gone of [root.id, reply.id, answered.id]) {
      expect((await call(board, `GET /posts/${gone}`)).body.error.code).toBe("post_not_found");
    }
    expect((await call(board, `GET /posts/${foreign.id}`)).body.data).toMatchObject({
      reply_count: 0,
      replies: [],
    });
    expect(await found(board, "/search?tags=leaving")).toEqual([]);
    expect((await pending()).body.data).toEqual([]);
  });
});
