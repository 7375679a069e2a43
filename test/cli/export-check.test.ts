import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { POST } from "../../src/records/post.ts";
import { openStore } from "../../src/store/open.ts";
import { exportText } from "../../src/transfer/export-board.ts";
import { type Row, readRow, rowLine } from "../../src/transfer/format.ts";
import {
  checkExport,
  IMPORT_MARK,
  importBoard,
  isExport,
  readMark,
  refuseHalfImported,
} from "../../src/transfer/import-board.ts";
import { answer } from "../contract/store/pushes/prepare.ts";
import { exportTo, sealed } from "../contract/transfer.contract.ts";
import { useFolder } from "../support/boards/use.ts";
import { aPost, aPublisher, aReport, aSubscription, T0 } from "../support/search/rows.ts";

const file = join(useFolder(), "board.jsonl");
const HEADER = {
  agent_board_export: 1,
  id: "8a5f7c1e-0b6d-4c3a-9e2f-1d4b6a8c0e2f",
  created_at: "2026-11-20T12:00:00.000Z",
  secret_key_check: null,
};

const publisher = (id: string, over = {}) => ({ publisher: { ...aPublisher(id), inboxNo: 0, ...over } });
const post = (id: string, over = {}) => ({
  post: { ...aPost(id), removedAt: null, embedding: null, ...over },
});
const vector = (length: number, model = "m") => ({ embedding: { model, vector: new Int8Array(length) } });
const { event, expiresAt, clientSecret, previousClientSecret, ...own } = aSubscription("sub_1");
const subscription = { subscription: { ...own, nextDelivery: 1 } };
const push = (over = {}) => ({
  push: {
    ...{ subscriptionId: "sub_1", deliveryId: 1, postId: "p", matchedAt: T0, state: "waiting", attempts: 0 },
    ...{ history: [], dueAt: T0, ...over },
  },
});
const report = (id: string, over = {}) => ({ report: aReport(id, over) });
const delivery = (over = {}) => ({
  delivery: { subscriptionId: "sub_1", postId: "p", deliveryId: 1, matchedAt: T0, change: null, ...over },
});
const series = (over = {}) => ({
  told_series: { subscriptionId: "sub_1", series: "s", endsAt: T0, ...over },
});
const entry = (over = {}) => ({
  inbox: {
    ...{ publisherId: "pub_a", no: 1, type: "match", at: T0, postId: "p", subscriptionId: null },
    ...{ deliveryId: null, change: null, ...over },
  },
});
const act = (over = {}) => ({
  moderation: { at: T0, action: "hide", subject: "p", actor: "operator", reason: "r", ...over },
});
const counter = (over = {}) => ({ counter: { day: "2026-11-20", name: "searches", n: 3, ...over } });
const work = (over = {}) => ({ work: { kind: "match", postId: "p", ...over } });

const lineOf = (one: object) => {
  const [[kind = "", row] = []] = Object.entries(one);
  return rowLine({ kind, row } as Row);
};

/** Writes an export with these rows. */
async function writeExport(rows: readonly object[], header: object = {}): Promise<void> {
  const counts: Record<string, number> = {};
  for (const [kind = ""] of rows.map((one) => Object.keys(one))) counts[kind] = (counts[kind] ?? 0) + 1;
  const first = JSON.stringify({ ...HEADER, rows: counts, ...header });
  await writeFile(file, sealed([first, ...rows.map(lineOf), ""]));
}

/** What is said of an export with these rows, after the first: a publisher `pub_a` and a post `p` of it. Null where all is well. */
async function said(rows: readonly object[], header: object = {}): Promise<string | null> {
  await writeExport([publisher("pub_a"), post("p"), ...rows], header);
  return checkExport(file, () => {}).then(
    () => null,
    ({ message }) => message,
  );
}

describe("the check of an export", () => {
  it.each<[string, object[]]>([
    ["posts without an idempotency key", [post("q"), post("r")]],
    [
      "one key of two publishers",
      [
        publisher("pub_b"),
        post("q", { idempotencyHash: "k" }),
        post("r", { publisherId: "pub_b", idempotencyHash: "k" }),
      ],
    ],
    [
      "vectors of one length, and another of another model",
      [post("q", vector(4)), post("r", vector(4)), post("s", vector(8, "n"))],
    ],
    [
      "coordinates of the whole globe",
      [
        post("q", { location: { name: null, lat: -90, lng: 180 } }),
        post("r", { location: { name: null, lat: 90, lng: -180 } }),
      ],
    ],
    [
      "a push that waits, and one that is done",
      [subscription, push(), push({ deliveryId: 2, state: "failed", dueAt: null })],
    ],
    [
      "reports of two on one post, and of one on two",
      [post("q"), report("r1"), report("r2", { reporter: "addr:2" }), report("r3", { postId: "q" })],
    ],
    [
      "deliveries, series and entries of several, a push whose post is erased, and the same work of two kinds",
      [
        post("q"),
        publisher("pub_b"),
        ...[subscription, { subscription: { ...subscription.subscription, id: "sub_2" } }],
        ...[delivery(), delivery({ postId: "q" }), delivery({ subscriptionId: "sub_2", matchedAt: null })],
        ...[series(), series({ series: "t" }), series({ subscriptionId: "sub_2" })],
        ...[push({ postId: "gone" }), push({ deliveryId: 2 }), push({ subscriptionId: "sub_2" })],
        ...[entry(), entry({ no: 2, type: "reply" }), entry({ publisherId: "pub_b", type: "activity" })],
        ...[work(), work({ kind: "embed" })],
      ],
    ],
    [
      "every act, by whomever, and every state of a push",
      [
        ...["hide", "restore", "remove", "suspend", "reinstate"].map((action) => act({ action })),
        ...["reports", "hold", "operator", "operator anna"].map((actor) => act({ actor })),
        subscription,
        ...["delivered", "failed", "cancelled"].map((state, n) =>
          push({ state, dueAt: null, deliveryId: n }),
        ),
      ],
    ],
    [
      "moments as far as a date goes",
      [publisher("pub_b", { createdAt: 8.64e15 }), publisher("pub_c", { createdAt: -8.64e15 })],
    ],
  ])("takes %s", async (_what, rows) => {
    expect(await said(rows)).toBeNull();
  });

  it.each<[string, object[]]>([
    ["post.id is that of an earlier line", [post("p")]],
    ["publisher.id is that of an earlier line", [publisher("pub_a", { keyHash: "another" })]],
    ["publisher.keyHash is that of an earlier line", [publisher("pub_b", { keyHash: "hash of pub_a" })]],
    [
      "post.publisherId, idempotencyHash is that of",
      [post("q", { idempotencyHash: "k" }), post("r", { idempotencyHash: "k" })],
    ],
    ["report.postId, reporter is that of an earlier", [report("r1"), report("r2")]],
    ["post.publisherId names no publisher", [post("q", { publisherId: "pub_b" })]],
    ["post.parentId names no post", [post("q-1", { parentId: "q" }), post("q")]],
    ["push.subscriptionId names no subscription", [push(), subscription]],
    [
      "subscription.publisherId names no publisher",
      [{ subscription: { ...own, nextDelivery: 1, publisherId: "x" } }],
    ],
    ["delivery.subscriptionId names no subscription", [delivery()]],
    ["delivery.postId names no post", [subscription, delivery({ postId: "q" })]],
    ["told_series.subscriptionId names no subscription", [series()]],
    ["inbox.publisherId names no publisher", [entry({ publisherId: "pub_b" })]],
    ["inbox.postId names no post", [entry({ postId: "q" })]],
    ["inbox.subscriptionId names no subscription", [entry({ subscriptionId: "sub_1" })]],
    ["report.postId names no post", [report("r1", { postId: "q" })]],
    ["work.postId names no post", [work({ postId: "q" })]],
    ["subscription.id is that of an earlier line", [subscription, subscription]],
    ["delivery.subscriptionId, postId is that of", [subscription, delivery(), delivery({ deliveryId: 2 })]],
    ["told_series.subscriptionId, series is that of", [subscription, series(), series({ endsAt: T0 + 1 })]],
    ["push.subscriptionId, deliveryId is that of", [subscription, push(), push({ postId: "q" })]],
    ["inbox.publisherId, no is that of an earlier", [entry(), entry({ type: "reply" })]],
    ["report.id is that of an earlier line", [report("r1"), report("r1", { reporter: "addr:2" })]],
    ["moderation.actor ", [act({ actor: "operator " })]],
    ["counter.day ", [counter({ day: "2026-02-30" })]],
    ["push.dueAt must be a time for a push that waits", [subscription, push({ dueAt: null })]],
    ["push.dueAt must be a time for a push that waits", [subscription, push({ state: "delivered" })]],
    [
      "post.embedding.vector has 3 numbers, others of its model 4",
      [post("q", vector(4)), post("r", vector(3))],
    ],
    [
      "post.embedding.vector has 5 numbers, others of its model 4",
      [post("q", vector(4)), post("r", vector(5))],
    ],
    ["post.location.lat ", [post("q", { location: { name: null, lat: 90.1, lng: 0 } })]],
    ["post.location.lng ", [post("q", { location: { name: null, lat: 0, lng: -180.1 } })]],
    ["publisher.createdAt ", [publisher("pub_b", { createdAt: 8.64e15 + 1 })]],
    ["publisher.createdAt ", [publisher("pub_b", { createdAt: -8.64e15 - 1 })]],
    ["publisher.keyHash ", [publisher("pub_b", { keyHash: 7 })]],
    ["post.title ", [post("q", { title: undefined })]],
    ['post Unrecognized key: "mood"', [post("q", { mood: 1 })]],
    ['"badge" is no kind of row', [{ badge: {} }]],
  ])("says of a row: %s", async (message, rows) => {
    expect(await said(rows)).toMatch(/^Line \d+: /);
    expect(await said(rows)).toContain(message);
  });

  it.each<[string, object]>([
    ["rows.post says 2; there are 1", { rows: { publisher: 1, post: 2 } }],
    ["rows.report says 0; there are 1", { rows: { publisher: 1, post: 1 } }],
    ["id ", { id: "one" }],
    ["created_at ", { created_at: "yesterday" }],
    ["agent_board_export is 2; this program reads version 1", { agent_board_export: 2 }],
  ])("says of the header: %s", async (message, header) => {
    const rows = message.startsWith("rows.report") ? [report("r1")] : [];
    expect(await said(rows, header)).toMatch(/^Line 1: /);
    expect(await said(rows, header)).toContain(message);
  });

  it("reads one row of a line, and of none or two nothing", () => {
    const rows = (line: object) => readRow(JSON.stringify(line)).row;
    expect(rows(post("q"))).toMatchObject({ kind: "post" });
    // Boards once kept counts of reports as well.
    expect(readRow('{"reported":{"post":"q","n":1}}')).toEqual({ row: null, dropped: ["reported"] });
    for (const line of [{}, { ...post("q"), ...report("r") }])
      expect(() => rows(line)).toThrow("no kind of row");
  });

  it("leaves out settings where it counts, as some stay behind", async () => {
    const setting = { setting: { name: "launched", value: "2026-11-20" } };
    expect(await said([setting], { rows: { publisher: 1, post: 1 } })).toBeNull();
  });

  it("says that an export is cut off without its end, and damaged where this names another number of rows", async () => {
    expect(await said([])).toBeNull();
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace('{"end":{"rows":2,', '{"end":{"rows":3,'));
    await expect(checkExport(file, () => {})).rejects.toThrow("changed or damaged");
    await writeFile(file, text.slice(0, text.indexOf('{"end":')));
    await expect(checkExport(file, () => {})).rejects.toThrow("is cut off: it has no end");
  });

  it("counts what is dropped of rows of earlier formats", async () => {
    const { addresses: _addresses, ...former } = aReport("r1", { reporter: "addr:1" });
    const rows = [former, { ...former, id: "r2", reporter: "addr:2" }];
    expect(await said(rows.map((row) => ({ report: { ...row, address: "addr:9" } })))).toBeNull();
    const { dropped } = await checkExport(file, () => {});
    expect([...dropped]).toEqual([["report.address", 2]]);
  });

  const attempt = answer(T0, 500);
  it.each<[string, object, string, object]>([
    ["push", { ...push().push, lastAttempt: attempt }, "lastAttempt", { history: [attempt] }],
    ["push", { ...push().push, lastAttempt: null }, "lastAttempt", { history: [] }],
    ["report", { ...aReport("r"), address: "addr:9" }, "address", { addresses: ["addr:9"] }],
    ["report", { ...aReport("r"), address: null }, "address", { addresses: [] }],
    ["subscription", { ...subscription.subscription, learning: {} }, "learning", { background: null }],
  ])("reads a %s of an earlier format: %j", (kind, sent, had, present) => {
    const { history: _history, addresses: _addresses, ...row } = sent as Record<string, unknown>;
    const read = readRow(JSON.stringify({ [kind]: row }));
    expect(read).toMatchObject({ dropped: [`${kind}.${had}`], row: { kind, row: present } });
  });
});

describe("an export of every kind of row", () => {
  const folder = useFolder();
  let boards = 0;
  const newBoard = () => {
    boards += 1;
    return openStore(`sqlite:${folder}/${boards}.db`);
  };
  const [told, moved] = [
    { at: T0 + 1, what: ["starts_at"], before: { startsAt: T0 }, series: null },
    { at: T0 + 2, what: ["removed"], before: {}, series: "s" },
  ];
  const hook = { webhookUrl: "https://a.example/x", webhookVerifiedAt: T0 + 1, webhookRefusal: "refused" };
  const saved = { ...own, ...hook, ...{ nextDelivery: 5, savedNo: 77, breadth: "wide", changes: false } };
  const attempt = answer(T0 + 3, 500);
  const rows = [
    { setting: { name: "launched", value: "2026-11-20" } },
    publisher("pub_a", { inboxNo: 7, postCount: 2, recovery: "{}", verifiedAt: T0, verifiedVia: "file" }),
    publisher("pub_b", { suspendedAt: T0, checkedAt: T0 + 1 }),
    post("p", {
      ...{ embedding: { model: "m", preparation: "glossed", vector: new Int8Array([1, -2, 3, 4]) } },
      ...{ retrievals: 4, replyCount: 1, lastReplyAt: T0 + 5, idempotencyHash: "k", change: told },
      ...{ writtenNo: 66, startsAt: T0, endsAt: T0 + 9, sourceUrl: "https://a.example/s", syndicated: true },
    }),
    post("p-1", { parentId: "p", state: "hidden", embedding: { model: "n", vector: new Int8Array(8) } }),
    post("gone", { ...POST.wiped, state: "removed", removedAt: T0 + 8, change: moved, publisherId: "pub_b" }),
    { subscription: { ...saved, failures: 2, failingSince: T0 + 3, lastMatchedAt: T0 + 4 } },
    { subscription: { ...own, id: "sub_2", nextDelivery: 1, active: false, inactiveReason: "paused" } },
    delivery({ deliveryId: 3, change: told }),
    delivery({ postId: "gone", deliveryId: 4, matchedAt: null }),
    series({ endsAt: T0 + 6 }),
    push({ deliveryId: 3, dueAt: T0 + 7, attempts: 1, history: [attempt] }),
    push({ deliveryId: 2, state: "delivered", dueAt: null, attempts: 2, history: [attempt, attempt] }),
    entry({ no: 6, subscriptionId: "sub_1", deliveryId: 3, change: told }),
    entry({ no: 7, type: "reply", postId: "p-1" }),
    report("r1", { addresses: ["addr:1", "addr:2"], details: "d", reporter: "key:pub_b" }),
    act({ actor: "operator anna", action: "restore" }),
    counter(),
    work({ kind: "embed" }),
    work({ kind: "match" }),
  ];

  it("is the same once it was in a new board, which goes on from there", async () => {
    await writeExport(rows);
    const store = await newBoard();
    const checked = await checkExport(file, () => {});
    expect(await importBoard(store, file, checked, () => {})).toEqual({ rows: rows.length });
    const all = await exportTo(store, join(folder, "again.jsonl"));
    expect(all).toEqual(rows.map(lineOf).sort());

    const claim = { limit: 9, perOrigin: 9, failing: 9, leaseMs: 1_000 };
    expect(await store.pushes.claim({ ...claim, now: T0 + 6 })).toEqual([]);
    expect(await store.pushes.claim({ ...claim, now: T0 + 7 })).toMatchObject([
      {
        subscriptionId: "sub_1",
        deliveryId: 3,
        attempts: 1,
        receiver: { origin: "a.example:443", failing: true },
      },
    ]);
    // Who claimed it does not come along: it is due at once.
    const claimed = lineOf(push({ deliveryId: 3, dueAt: T0, attempts: 1, history: [attempt] }));
    const others = all.filter((line) => !line.includes('"state":"waiting"'));
    expect(await exportTo(store, join(folder, "again.jsonl"))).toEqual([...others, claimed].sort());

    expect(await store.subscriptions.position("sub_1")).toEqual({ last: 4, oldestWaiting: 3 });
    await store.subscriptions.insert(aSubscription("sub_3"), 50);
    expect((await store.subscriptions.get("sub_3"))?.savedNo).toBeGreaterThan(77);
    await store.publishers.insert(aPublisher("pub_c"));
    await store.posts.insert(aPost("p-2", { parentId: "p", publisherId: "pub_c" }));
    expect((await store.inbox.read("pub_a", 7, 9)).map(({ no, postId }) => [no, postId])).toEqual([
      [8, "p-2"],
    ]);
    const again = [{ subscriptionId: "sub_1", postId: "p", matchedAt: T0 + 9 }];
    expect(await store.subscriptions.deliver(again, [])).toEqual([]);
    expect(await store.posts.insert(aPost("q", { idempotencyHash: "k" }))).toMatchObject({
      post: { id: "p" },
    });
    await store.close();
  });

  it("begins with what is in it, and ends with their number and checksum, without the settings of one board", async () => {
    const store = await newBoard();
    for (const name of ["launched", "secret_key", IMPORT_MARK]) await store.settings.set(name, name);
    await store.publishers.insert(aPublisher("pub_a"));
    await store.posts.insert(aPost("p"));
    const totals: number[] = [];
    const { agent_board_export: _version, created_at: createdAt, id } = HEADER;
    const parts: string[] = [];
    const progress = (total: number) => {
      totals.push(total);
      return (done: number) => void totals.push(done);
    };
    const options = { id, createdAt, secretKeyCheck: "check", keptSettings: ["secret_key"], progress };
    for await (const part of exportText(store.transfer, options)) parts.push(part);
    await store.close();
    const lines = parts.join("").split("\n");
    const counts = { publisher: 1, post: 1, subscription: 0, delivery: 0, told_series: 0, push: 0, inbox: 0 };
    const header = { ...HEADER, secret_key_check: "check" };
    expect(JSON.parse(lines[0] ?? "")).toEqual({
      ...header,
      rows: { ...counts, report: 0, moderation: 0, counter: 0, work: 2 },
    });
    expect(lines.map((line) => /^\{"(\w+)"/.exec(line)?.[1])).toEqual([
      ...["agent_board_export", "setting", "publisher", "post", "work", "work", "end", undefined],
    ]);
    expect(lines[1]).toBe('{"setting":{"name":"launched","value":"launched"}}');
    expect(totals).toEqual([4, 1, 1, 1, 2]);
    await writeFile(file, lines.join("\n"));
    expect(await checkExport(file, () => {})).toEqual({
      header: JSON.parse(lines[0] ?? ""),
      lines: 6,
      dropped: new Map(),
    });
    expect([await isExport(file), await isExport(join(import.meta.dirname, "import.test.ts"))]).toEqual([
      true,
      false,
    ]);
  });

  it("is written five hundred lines at a time, and goes on behind those after a fault in the file", async () => {
    const posts = Array.from({ length: 1_100 }, (_, n) => post(`p${n}`));
    await writeExport([publisher("pub_a"), ...posts]);
    const checked = await checkExport(file, () => {});
    const whole = await readFile(file, "utf8");
    const store = await newBoard();
    const imported = () => importBoard(store, file, checked, () => {});
    // The file is another by now.
    await writeFile(file, whole.replace('"id":"p999"', '"id":7'));
    await expect(imported()).rejects.toThrow(/^Line 1002: post\.id /);
    expect(await readMark(store.settings)).toEqual({ export: HEADER.id, lines: 1_001, done: false });
    await writeFile(file, whole.replace("p1000", "p9"));
    await expect(imported()).rejects.toThrow(/^Lines 1002 to 1102 were not written: /);
    await expect(refuseHalfImported(store.settings)).rejects.toThrow(/^This board is half imported\./);
    await writeFile(file, whole);
    expect(await imported()).toEqual({ rows: 101 });
    expect(await readMark(store.settings)).toEqual({ export: HEADER.id, lines: 1_102, done: true });
    await refuseHalfImported(store.settings);
    expect(await imported()).toBeNull();
    expect(await exportTo(store, join(folder, "again.jsonl"))).toEqual(
      [publisher("pub_a"), ...posts].map(lineOf).sort(),
    );
    await store.close();
  });
});
