import { readConfig } from "../../../src/config.ts";
import { openStore } from "../../../src/store/open.ts";
import { startWebhook, subscribeTo, type Webhook } from "../clients/webhooks.ts";
import { aPost } from "../search/rows.ts";
import { startBoard, type TestBoard } from "./board.ts";
import { call, eventually, register } from "./client.ts";
import { prose, write } from "./writing.ts";

/** What tests know of a board with something of everything. Agents and the operator used it; then it was stopped. */
export interface RichBoard {
  /** A publisher with posts, saved queries, an inbox, and cursors of what it has seen. */
  owner: { id: string; key: string };
  /** Paths that answer the same for the owner before and after a move, with their answers. */
  answers: Map<string, unknown>;
  /** The owner's inbox, from the cursor where the owner stopped. */
  inbox: string;
  /** Waits for a post that exists and is not matched yet. */
  waiting: string;
  late: string;
  /** A post with an idempotency key, as its author sent it. */
  keyed: { id: string; key: string; sent: object };
  /** A saved query whose webhook has failed so far. */
  failing: { id: string; secret: string };
}

export const ENVIRONMENT = {
  SECRET_KEY: "a secret key of at least 32 characters",
  SITE_URL: "https://board.example",
  WEBHOOK_ALLOW: "127.0.0.1",
  REPORTS_TO_HIDE: "2",
  TRUST_PROXY: "1",
};
const MINUTE_MS = 60_000;

/**
 * @param environment  tells where the board's store is
 * @param receiver  a webhook that answers 500
 */
export async function useBoard(environment: Record<string, string>, receiver: Webhook): Promise<RichBoard> {
  const board = await startBoard({ ...ENVIRONMENT, ...environment });
  const good = await startWebhook();
  let used: Used;
  try {
    used = await use(board, receiver, good);
  } finally {
    await board.stop();
    await good.stop();
  }
  const late = "late";
  const store = await openStore(readConfig({ ...process.env, ...environment }).storeUrl);
  const now = Date.now();
  const post = {
    title: "Late",
    body: "Not matched.",
    tags: ["late"],
    location: null,
    publisherId: used.latecomer,
    // A key of that name is data like any other, and easily lost.
    metadata: { ["__proto__"]: "\ud83d\ude00 ü" },
  };
  await store.posts.insert(aPost(late, { ...post, createdAt: now, updatedAt: now, expiresAt: now + 1e9 }));
  await store.close();
  return { ...used, late };
}

type Used = Omit<RichBoard, "late"> & { latecomer: string };

async function use(board: TestBoard, receiver: Webhook, good: Webhook): Promise<Used> {
  const { store, services } = board.board;
  const [owner, author, rowdy, latecomer] = await Promise.all([
    register(board, "Owner"),
    register(board, "Author"),
    register(board, "Rowdy"),
    register(board, "Latecomer"),
  ]);
  const proof = { verifiedAt: Date.now(), verifiedVia: "dns", domain: "example.org" } as const;
  await store.publishers.update(author.id, proof);

  const saved = async (tag: string, key: string): Promise<string> =>
    (await call(board, "POST /subscriptions", { query: { tags: [tag] } }, { key })).body.data.id;
  const polled = await saved("bike", owner.key);
  const waiting = await saved("late", owner.key);
  const dropped = await saved("bike", author.key);
  const failing = await subscribeTo(board, owner.key, receiver, { tags: ["bike"] });
  await subscribeTo(board, author.key, good, { tags: ["bike"] });

  const sent = {
    title: "Road bike",
    body: `With\u2028a separator. ${prose()}`,
    kind: "event",
    tags: ["bike"],
    location: { name: "Amsterdam", lat: 52.37, lng: 4.9 },
    starts_at: new Date(Date.now() + 3_600_000).toISOString(),
    metadata: { price: 120.5, "a.b": { $c: [null, "ü"] } },
    idempotency_key: "once",
  };
  const { id } = await write(board, author.key, sent);
  const thread = await write(board, owner.key, { title: "Which bike?", kind: "thread" });
  const replies: string[] = [];
  for (const { key } of [author, rowdy, author]) {
    replies.push((await write(board, key, { title: "This one", parent_id: thread.id })).id);
  }
  const second = await write(board, author.key, { title: "Another bike", tags: ["bike"] });
  await eventually(
    async () => good.messages.length,
    (count) => count === 2,
  );
  const tried = () => store.pushes.list(failing.id, { before: null, limit: 10 });
  await eventually(tried, (pushes) => pushes.filter(({ attempts }) => attempts > 0).length === 2);

  await moderated(board, [owner, author], replies[1] ?? "");
  await call(board, `DELETE /posts/${replies[2]}`, undefined, author);
  await call(board, `DELETE /subscriptions/${dropped}`, undefined, author);
  await call(board, `PATCH /posts/${second.id}`, { title: "A third bike" }, author);
  await write(board, rowdy.key, { title: "Spam" });
  await services.moderation.act("suspend", rowdy.id, "flooding", Date.now());
  await call(board, "GET /search?q=bike");
  await withVector(board, [id, replies[1] ?? ""]);
  await store.subscriptions.pruneDeliveries(Date.now() + MINUTE_MS, 1);
  // As if a process had been killed while sending.
  const limits = { limit: 1, perOrigin: 9, failing: 9, leaseMs: MINUTE_MS };
  await store.pushes.claim({ ...limits, now: Date.now() + 600 * MINUTE_MS });
  await eventually(
    () => store.work.backlog("match"),
    (left) => left === 0,
  );

  const inbox = await call(board, "GET /publishers/me/inbox?limit=2", undefined, owner);
  const seen = await call(board, `GET /subscriptions/${polled}/pending?limit=1`, undefined, owner);
  const paths = [
    `/publishers/${owner.id}`,
    `/publishers/${author.id}`,
    `/publishers/${rowdy.id}`,
    ...[id, thread.id, second.id, ...replies].map((post) => `/posts/${post}`),
    `/posts/${thread.id}/replies`,
    "/search?q=bike",
    "/search?near=52.37,4.9&radius_km=5",
    `/subscriptions/${polled}`,
    `/subscriptions/${polled}/pending`,
    `/subscriptions/${polled}/pending?cursor=${seen.body.next_cursor}`,
    `/subscriptions/${failing.id}/pending`,
    `/publishers/me/inbox?limit=2`,
  ];
  return {
    owner,
    latecomer: latecomer.id,
    answers: await answersOf(board, owner.key, paths),
    inbox: `/publishers/me/inbox?cursor=${inbox.body.next_cursor}`,
    waiting,
    keyed: { id, key: author.key, sent },
    failing,
  };
}

/** The answers of paths with a key: status, and data or error. Without retrievals, which asking raises. */
export async function answersOf(
  board: Pick<TestBoard, "api">,
  key: string,
  paths: Iterable<string>,
): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>();
  for (const path of paths) {
    const { status, body } = await call(board, `GET ${path}`, undefined, { key });
    const answer = { status, data: body.data, error: body.error?.code, next: body.next_cursor };
    const text = JSON.stringify(answer, (name, value) => (name === "retrievals" ? undefined : value));
    answers.set(path, JSON.parse(text));
  }
  return answers;
}

/** All of them report the post, each from an address of its own, which hides it. */
async function moderated(
  board: TestBoard,
  reporters: readonly { key: string }[],
  postId: string,
): Promise<void> {
  for (const [n, { key }] of reporters.entries()) {
    const headers = { "x-forwarded-for": `203.0.113.${n + 1}` };
    const report = { post_id: postId, reason: "spam", details: "Again." };
    await call(board, "POST /reports", report, { key, headers });
  }
}

async function withVector({ board: { store } }: TestBoard, ids: readonly string[]): Promise<void> {
  for (const post of await store.posts.many(ids)) {
    const vector = new Int8Array(384).map((_, n) => (n % 255) - 127);
    await store.posts.setVectors([
      { id: post.id, updatedAt: post.updatedAt, model: "m", preparation: "as-told", vector },
    ]);
  }
}
