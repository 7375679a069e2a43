import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Row, readRow, rowLine } from "../../src/transfer/format.ts";
import { checkExport } from "../../src/transfer/import-board.ts";
import { answer } from "../contract/store/pushes/prepare.ts";
import { sealed } from "../contract/transfer.contract.ts";
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

/** What is said of an export with these rows, after the first: a publisher `pub_a` and a post `p` of it. Null where all is well. */
async function said(rows: readonly object[], header: object = {}): Promise<string | null> {
  const all = [publisher("pub_a"), post("p"), ...rows];
  const counts: Record<string, number> = {};
  const lines = all.map((one) => {
    const [[kind = "", row] = []] = Object.entries(one);
    counts[kind] = (counts[kind] ?? 0) + 1;
    return rowLine({ kind, row } as Row);
  });
  await writeFile(file, sealed([JSON.stringify({ ...HEADER, rows: counts, ...header }), ...lines, ""]));
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
