import { randomUUID } from "node:crypto";
import { createWriteStream, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Store } from "../src/ports/store.ts";
import type { BoardRows, RowPage } from "../src/ports/transfer.ts";
import { EmbeddedIndex } from "../src/search-index/embedded/index.ts";
import { openStore } from "../src/store/open.ts";
import { exportText } from "../src/transfer/export-board.ts";
import type { Row } from "../src/transfer/format.ts";
import { checkExport, importBoard } from "../src/transfer/import-board.ts";
import { notices, seeded } from "./corpus.ts";
import { machine } from "./measure.ts";

/**
 * How fast a board moves from one store to another.
 *
 *   npx tsx bench/transfer.ts [--posts N] FROM_URL TO_URL     both empty; default: sqlite to sqlite
 */
const args = process.argv.slice(2);
const posts = args[0] === "--posts" ? Number(args.splice(0, 2)[1]) : 100_000;
const folder = join(tmpdir(), `bench-transfer-${process.pid}`);
const [from = `sqlite:${folder}/from.db`, to = `sqlite:${folder}/to.db`] = args;
const NOW = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;
const ROWS = 500;
const SUBSCRIPTIONS = 1000;

const file = join(tmpdir(), `bench-transfer-${process.pid}.jsonl`);
const open = (url: string) => openStore(url, { index: new EmbeddedIndex({ modelId: null, dimension: 16 }) });
try {
  const source = await open(from);
  await fill(source);
  const rows = await timed("export", async () => {
    let total = 0;
    const text = exportText(source.transfer, {
      id: randomUUID(),
      createdAt: new Date(NOW).toISOString(),
      secretKeyCheck: null,
      keptSettings: [],
      begun: (n) => {
        total = n;
      },
      advance: () => {},
    });
    await pipeline(Readable.from(text), createWriteStream(file));
    return total;
  });
  await source.close();
  const checked = await timed("check", () => checkExport(file, () => {}));
  const target = await open(to);
  await timed("import", async () => {
    await importBoard(target, file, checked, { read: () => {} });
    return rows;
  });
  await target.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
  rmSync(file, { force: true });
}

async function timed<T>(what: string, job: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await job();
  const seconds = (performance.now() - began) / 1000;
  const rate = typeof result === "number" ? `, ${(result / seconds).toFixed(0)} rows/s of ${result}` : "";
  const { size } = statSync(file);
  const rss = process.memoryUsage.rss() / 1e6;
  console.log(
    `${what} of ${posts} posts: ${seconds.toFixed(1)} s${rate}; file ${(size / 1e6).toFixed(0)} MB, ${rss.toFixed(0)} MB of memory; ${from.split(":")[0]} to ${to.split(":")[0]}; ${machine()}`,
  );
  return result;
}

/** Notices with vectors, every fifth a reply, and five deliveries for each post. */
async function fill(store: Store): Promise<void> {
  const random = seeded(7);
  let mark: string | null = null;
  let pages: RowPage[] = [];
  let rows = 0;
  const put = async ({ kind, row }: Row) => {
    const page = pages.at(-1);
    if (page?.kind === kind) (page.rows as unknown[]).push(row);
    else pages.push({ kind, rows: [row] } as RowPage);
    rows += 1;
    if (rows === ROWS) await flush();
  };
  const flush = async () => {
    const to = `${Number(mark ?? 0) + 1}`;
    await store.transfer.write(pages, { name: "bench", from: mark, to });
    mark = to;
    pages = [];
    rows = 0;
  };
  for (let n = 0; n < SUBSCRIPTIONS; n += 1) await put({ kind: "publisher", row: publisher(n) });
  for (const [n, notice] of notices(posts, NOW).entries()) {
    const vector = Int8Array.from({ length: 384 }, () => Math.floor(random() * 255) - 127);
    await put({ kind: "post", row: postOf(n, notice, vector) });
  }
  for (let n = 0; n < SUBSCRIPTIONS; n += 1) await put({ kind: "subscription", row: subscription(n) });
  for (let n = 0; n < posts * 5; n += 1) {
    const [s, p] = [n % SUBSCRIPTIONS, Math.floor(n / 5)];
    await put({
      kind: "delivery",
      row: { subscriptionId: `sub_${s}`, postId: `p${p}`, deliveryId: n + 1, matchedAt: NOW },
    });
  }
  await flush();
}

function publisher(n: number): BoardRows["publisher"] {
  return {
    id: `pub_${n}`,
    name: `Publisher ${n}`,
    description: null,
    url: null,
    domain: null,
    verifyToken: null,
    verifiedAt: null,
    verifiedVia: null,
    checkedAt: null,
    suspendedAt: null,
    keyHash: `hash ${n}`,
    postCount: posts / SUBSCRIPTIONS,
    createdAt: NOW,
    inboxNo: 0,
  };
}

function postOf(n: number, notice: Record<string, unknown>, vector: Int8Array): BoardRows["post"] {
  const parent = n % 5 === 4 ? `p${n - 4}` : null;
  return {
    id: `p${n}`,
    publisherId: `pub_${n % SUBSCRIPTIONS}`,
    kind: notice["kind"] as BoardRows["post"]["kind"],
    title: notice["title"] as string,
    body: notice["body"] as string,
    link: null,
    tags: notice["tags"] as string[],
    location: notice["location"] as BoardRows["post"]["location"],
    startsAt: null,
    endsAt: null,
    timezone: null,
    expiresAt: NOW + 30 * DAY_MS,
    expiryChosen: false,
    sourceUrl: null,
    syndicated: false,
    metadata: {},
    parentId: parent,
    replyCount: n % 5 === 0 ? 1 : 0,
    lastReplyAt: null,
    flags: [],
    fingerprint: "0123456789abcdef",
    inputHash: "ab".repeat(32),
    retrievals: 0,
    createdAt: NOW - n,
    updatedAt: NOW - n,
    state: "active",
    removedAt: null,
    embedding: { model: "bench", vector },
  };
}

function subscription(n: number): BoardRows["subscription"] {
  return {
    id: `sub_${n}`,
    publisherId: `pub_${n}`,
    label: null,
    query: { q: "road bike" },
    vector: null,
    vectorModel: null,
    webhookUrl: null,
    webhookVerifiedAt: null,
    secretVersion: 1,
    previousSecretUntil: null,
    active: true,
    inactiveReason: null,
    failures: 0,
    failingSince: null,
    lastMatchedAt: null,
    createdAt: NOW,
    nextDelivery: posts * 5 + 1,
  };
}
