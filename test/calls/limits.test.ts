import { describe, expect, it } from "vitest";
import { ON_MONGODB, startBoard, type TestBoard } from "../support/boards/board.ts";
import { type Answer, call, register } from "../support/boards/client.ts";
import { useTestBoard } from "../support/boards/use.ts";
import { prose, write } from "../support/boards/writing.ts";

const HOUR_MS = 3_600_000;
const count = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;
const times = <T>(n: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => make(i)));
const from = (address: string) => ({ headers: { "x-forwarded-for": address } });

/** Two processes on one store, behind a proxy. Each test calls from addresses of its own. */
describe("limits", () => {
  let now = Date.UTC(2026, 10, 20, 12);
  let addresses = 0;
  const anywhere = () => {
    addresses += 1;
    return from(`203.0.113.${addresses}`);
  };
  const registerAs = (board: TestBoard, options: object = anywhere()) =>
    call(board, "POST /publishers", { name: "X", accept_terms: true }, options);
  const newcomer = async () => {
    const { data } = (await registerAs(one)).body;
    return { id: data.id as string, key: data.api_key as string };
  };
  const post = (board: TestBoard, options: object) =>
    call(board, "POST /posts", { title: "A notice", body: prose() }, options);

  const limits = { RATE_LIMITS: "write=3/60,search=1/60,register=5/60,register_net=7/120", TRUST_PROXY: "1" };
  const one = useTestBoard(limits, { clock: () => now });
  const two = useTestBoard(limits, () => ({ clock: () => now, dataDir: one.dataDir }));

  it("let exactly the allowed number of 50 parallel writes through, over two instances", async () => {
    const caller = { ...(await newcomer()), ...anywhere() };
    const answers = await times(50, (i) => post(i % 2 === 0 ? one : two, caller));
    expect([count(answers, 201), count(answers, 429)]).toEqual([3, 47]);
    expect(answers.find(({ status }) => status === 429)?.body.error.hint).toMatch(/^Wait the seconds/);
  });

  it("count each key by itself, apart from its address, and take nothing from the neighbours of one that is refused", async () => {
    const address = anywhere();
    const [a, b] = [await newcomer(), await newcomer()];
    const search = (options: object) => call(one, "GET /search", undefined, { ...options, ...address });
    expect(count(await times(3, () => search({})), 200)).toBe(1);
    for (const { key } of [a, b]) expect(count(await times(6, () => search({ key })), 200)).toBe(5);
    expect(count(await times(20, () => post(one, { ...a, ...address })), 201)).toBe(3);
    expect(count(await times(4, () => post(one, { ...b, ...address })), 201)).toBe(3);
  });

  it("let all unverified keys of one address do what four may, over two instances", async () => {
    const address = anywhere();
    const publishers = await times(15, newcomer);
    const [another, verified] = [await newcomer(), await newcomer()];
    const at = (i: number) => ({ key: publishers[i % 15]?.key ?? "", ...address });
    const written = await times(45, (i) => post(i % 2 === 0 ? one : two, at(i)));
    expect([count(written, 201), count(written, 429)]).toEqual([12, 33]);
    const refused = written.find(({ status }) => status === 429);
    expect(refused?.body.error.hint).toContain("of this address");
    expect(refused?.headers.get("ratelimit")).toMatch(/^"write";r=0;/);
    expect(refused?.headers.get("ratelimit-policy")).toBe('"write";q=3;w=60, "write_day";q=1000;w=86400');
    expect(count(await times(75, (i) => call(one, "GET /search", undefined, at(i))), 200)).toBe(20);
    // From another address, and as a verified publisher of this one.
    expect((await post(one, { key: another.key, ...anywhere() })).status).toBe(201);
    await one.board.store.publishers.update(verified.id, { verifiedAt: now, verifiedVia: "dns" });
    expect((await post(one, { key: verified.key, ...address })).status).toBe(201);
  });

  it("let a verified publisher take nothing from the unverified ones of its address", async () => {
    const address = anywhere();
    const [verified, plain] = [await newcomer(), await newcomer()];
    await one.board.store.publishers.update(verified.id, { verifiedAt: now, verifiedVia: "dns" });
    expect(count(await times(12, () => post(one, { key: verified.key, ...address })), 201)).toBe(12);
    expect(count(await times(4, () => post(one, { key: plain.key, ...address })), 201)).toBe(3);
  });

  it("tell of the nearer of two bounds, the key's and its address's", async () => {
    const address = anywhere();
    const left = async (key: string) => (await post(one, { key, ...address })).headers.get("ratelimit");
    const [a, b, c, d, e] = await times(5, newcomer);
    expect(await left(a?.key ?? "")).toMatch(/^"write";r=2;/);
    for (const { key } of [a, b, b, b, c, c, c, d, d, d].map((each) => each ?? { key: "" })) await left(key);
    // Eleven of the address's twelve are gone, and none of the next key's three.
    expect(await left(e?.key ?? "")).toMatch(/^"write";r=0;/);
  });

  it("count registrations by address, whatever key is sent along", async () => {
    const address = anywhere();
    const first = await registerAs(one, address);
    const again = await times(5, () => registerAs(one, { ...address, key: first.body.data.api_key }));
    // Whoever has a key is told who that is; the call counts all the same.
    expect([first.status, count(again, 409), count(again, 429)]).toEqual([201, 4, 1]);
  });

  it("count registrations by /48 as well", async () => {
    const answers = await times(9, (i) => registerAs(one, from(`2001:db8:5:${i}::1`)));
    expect([count(answers, 201), count(answers, 429)]).toEqual([7, 2]);
    expect((await registerAs(one, from("2001:db8:6:1::1"))).status).toBe(201);
    expect(count(await times(9, (i) => registerAs(one, from(`198.51.100.${i}`))), 201)).toBe(9);
  });

  it("ask for patience until the last of those that are over has ended", async () => {
    const address = from("2001:db8:7:1::1");
    const waits: (string | null)[] = [];
    for (let n = 0; n < 8; n += 1) waits.push((await registerAs(one, address)).headers.get("retry-after"));
    expect(waits).toEqual([null, null, null, null, null, "60", "60", "120"]);
  });

  it("count each operation by what it does: reads, searches, writes, and what costs more by itself", () => {
    const { operations } = one.board.catalog;
    const limits = [...new Set(operations.map(({ limit }) => limit))];
    const named = (of: string) => operations.filter(({ limit }) => limit === of).map(({ name }) => name);
    expect(Object.fromEntries(limits.map((limit) => [limit, named(limit).sort().join(" ")]))).toEqual({
      read:
        "about check_subscription get_post list_deliveries list_replies list_subscriptions read_inbox read_metrics " +
        "read_own_publisher read_publisher read_subscription",
      search: "search",
      write:
        "create_post delete_post delete_subscription edit_post edit_publisher edit_subscription erase_publisher redeliver " +
        "rotate_key rotate_secret test_webhook verify_webhook",
      register: "register_publisher",
      report: "report_post",
      subscribe: "subscribe",
      verify: "recover_publisher verify_publisher",
    });
  });

  it("start over when their window has ended", async () => {
    const caller = { ...(await newcomer()), ...anywhere() };
    expect(count(await times(5, () => post(one, caller)), 201)).toBe(3);
    now += 59_999;
    expect((await post(one, caller)).status).toBe(429);
    now += 1;
    expect((await post(one, caller)).status).toBe(201);
  });

  it("never ask for more than a window of patience when the clock was set back", async () => {
    const caller = { ...(await newcomer()), ...anywhere() };
    now += 24 * HOUR_MS;
    await times(3, () => post(one, caller));
    now -= 24 * HOUR_MS;
    const refused = await post(one, caller);
    expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, 60]);
    now += 60_000;
    expect((await post(one, caller)).status).toBe(201);
  });

  it("are sent with refusals to a suspended publisher and by a read-only board", async () => {
    const { id, key } = await newcomer();
    const options = { clock: () => now, dataDir: one.dataDir };
    const readOnly = await startBoard({ RATE_LIMITS: "on", READ_ONLY: "on" }, options);
    const refused = await post(readOnly, { key });
    await readOnly.stop();
    expect(refused.body.error.code).toBe("read_only");
    expect(refused.headers.get("ratelimit")).toMatch(/^"write";r=59/);
    await one.board.services.moderation.act("suspend", id, "test", now);
    const suspended = await post(one, { key, ...anywhere() });
    expect(suspended.body.error.code).toBe("publisher_suspended");
    expect(suspended.headers.get("ratelimit")).toMatch(/^"write";r=1/);
  });
});

describe("a board without limits", () => {
  let now = Date.UTC(2026, 10, 20, 12);
  const board = useTestBoard({ RATE_LIMITS: "off" }, { clock: () => now });
  const same = (as: { key: string }) =>
    call(board, "POST /posts", { title: "Very cheap watches", body: "Buy our watches today." }, as);

  it("counts near-identical posts where they are written: of 20 one after another, four pass", async () => {
    const caller = await register(board);
    // SQLite writes one post after another, so its guard counts calls at once as well. MongoDB's knows the posts it has read.
    const answers = ON_MONGODB ? [] : await times(20, () => same(caller));
    while (answers.length < 20) answers.push(await same(caller));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(16);
    for (const { body, headers } of refused) {
      expect(body.error.code).toBe("duplicate_storm");
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(3_500);
      expect(headers.get("ratelimit")).toBeNull();
    }
  });

  it("lets the same text through after an hour, and other text at any time", async () => {
    const caller = await register(board);
    for (let n = 0; n < 4; n += 1) await same(caller);
    expect((await same(caller)).body.error.code).toBe("duplicate_storm");
    await write(board, caller.key);
    now += HOUR_MS;
    expect((await same(caller)).status).toBe(201);
  });
});
