import { setTimeout as sleep } from "node:timers/promises";
import { type ClaimedPush, StoreUnavailable } from "../../../src/ports/store/index.ts";
import type { MongodbStore } from "../../../src/store/mongodb/index.ts";
import { aPost, aPublisher, aSubscription } from "../search/rows.ts";

const DAY_MS = 86_400_000;
/** Short, so that a claim whose answer was lost is soon made again. */
const LEASE_MS = 5_000;
const PAUSE_MS = 10;
const RECEIVERS = 4;
const READER = "pub_reader";
export const RECEIVING = Array.from({ length: RECEIVERS }, (_, n) => `sub_receiving_${n}`);

/**
 * Two processes at work on one board: they post and reply, save queries, deliver matches, push, count, and follow changes.
 * A call that fails with `StoreUnavailable` is made again, as callers do; any other error ends the work.
 */
export class BusyStore {
  /** What was acknowledged, in order. */
  readonly posts: string[] = [];
  readonly saved: string[] = [];
  readonly pushed = new Set<string>();
  /** What followers saw. */
  readonly streamed = new Set<string>();
  readonly changed = new Set<string>();
  readonly entries: number[] = [];
  /** What must never be: a pair that was new twice, a push that was claimed after its end. */
  readonly doubled: string[] = [];
  #pairs = new Set<string>();
  #over = false;
  #stop = new AbortController();
  #work: Promise<unknown> = Promise.resolve();

  readonly #one: MongodbStore;
  readonly #other: MongodbStore;
  constructor(one: MongodbStore, other: MongodbStore) {
    this.#one = one;
    this.#other = other;
  }

  async start(): Promise<void> {
    for (const id of ["pub_a", "pub_b", READER]) await this.#one.publishers.insert(aPublisher(id));
    for (const [n, id] of RECEIVING.entries()) {
      const webhook = { webhookUrl: `https://receiver-${n}.example/hook`, webhookVerifiedAt: Date.now() };
      await this.#one.subscriptions.insert(aSubscription(id, { publisherId: READER, ...webhook }), 1_000);
    }
    const place = await this.#other.feed.here();
    this.#work = Promise.all([
      this.#follow(place),
      this.#steadily((n) => this.#post(n)),
      this.#steadily((n) => this.#save(n)),
      this.#steadily(() => this.#match()),
      this.#steadily((n) => this.#push(this.#one, n)),
      this.#steadily((n) => this.#push(this.#other, n)),
      this.#followChanges(),
      this.#followInbox(),
      this.#steadily(() => this.#count()),
    ]);
    // Checked at the end.
    this.#work.catch(() => {});
  }

  /** Ends the work once all that was begun is done: every post matched, every delivery pushed. */
  async finish(): Promise<void> {
    this.#over = true;
    const isDone = () =>
      this.pushed.size >= this.posts.length * RECEIVERS &&
      this.entries.length >= this.posts.length * RECEIVERS &&
      this.posts.every((id) => this.streamed.has(id)) &&
      this.saved.every((id) => this.changed.has(id));
    const end = Date.now() + 60_000;
    while (!isDone() && Date.now() < end) await Promise.race([sleep(50), this.#work]);
    this.#stop.abort();
    await this.#work;
  }

  async #steadily(step: (n: number) => Promise<void>): Promise<void> {
    for (let n = 0; !this.#stop.signal.aborted; n += 1) {
      await step(n);
      await sleep(PAUSE_MS);
    }
  }

  async #answered<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  async #post(n: number): Promise<void> {
    if (this.#over) return;
    const root = this.posts.find((id) => !id.includes("-"));
    const isReply = root !== undefined && n % 5 === 4;
    const id = isReply ? `${root}-r${n}` : `post${n}`;
    const row = { publisherId: isReply ? "pub_b" : "pub_a", parentId: isReply ? root : null };
    const post = aPost(id, {
      ...row,
      idempotencyHash: id,
      createdAt: Date.now(),
      expiresAt: Date.now() + DAY_MS,
    });
    const store = n % 2 === 0 ? this.#one : this.#other;
    await this.#answered(() => store.posts.insert(post));
    this.posts.push(id);
  }

  async #save(n: number): Promise<void> {
    if (this.#over) return;
    // Another id for each try: an answer may be lost after the write.
    let tries = 0;
    const id = () => `sub_${n}_${tries}`;
    await this.#answered(() => {
      tries += 1;
      return this.#other.subscriptions.insert(aSubscription(id()), Number.POSITIVE_INFINITY);
    });
    await this.#answered(() => this.#one.subscriptions.update(id(), { label: `changed ${n}` }));
    this.saved.push(id());
  }

  async #match(): Promise<void> {
    const now = Date.now();
    const items = await this.#answered(() =>
      this.#other.work.claim("match", { limit: 20, leaseMs: LEASE_MS, now }),
    );
    const matches = items.flatMap(({ postId }) =>
      RECEIVING.map((subscriptionId) => ({ subscriptionId, postId, matchedAt: now })),
    );
    const added = await this.#answered(() => this.#other.subscriptions.deliver(matches, items));
    for (const { subscriptionId, postId } of added)
      once(this.#pairs, `${subscriptionId}:${postId}`, this.doubled);
  }

  async #push(store: MongodbStore, n: number): Promise<void> {
    const options = { limit: 10, perOrigin: 2, failing: 10, leaseMs: LEASE_MS };
    const claimed = await this.#answered(() => store.pushes.claim({ ...options, now: Date.now() }));
    await Promise.all(claimed.map((push, i) => this.#settle(store, push, (n + i) % 5 !== 4)));
  }

  async #settle(store: MongodbStore, push: ClaimedPush, arrives: boolean): Promise<void> {
    const id = `${push.subscriptionId}:${push.deliveryId}`;
    if (this.pushed.has(id)) this.doubled.push(`claim of ${id}`);
    const at = Date.now();
    const attempt = { at, latencyMs: 1, status: arrives ? 200 : 500, error: null };
    const end = arrives
      ? { state: "delivered" as const, dueAt: null }
      : { state: "waiting" as const, dueAt: at };
    let tries = 0;
    const settled = await this.#answered(() => {
      tries += 1;
      return store.pushes.settle(push, attempt, { ...end, deactivate: null });
    });
    // A second try finds that the first was done.
    if (arrives && (settled || tries > 1)) this.pushed.add(id);
  }

  async #follow(place: string): Promise<void> {
    for await (const { posts } of this.#other.feed.follow(place, this.#stop.signal))
      for (const id of posts) this.streamed.add(id);
  }

  async #followChanges(): Promise<void> {
    let after = 0;
    await this.#steadily(async () => {
      const { next, rows } = await this.#answered(() => this.#one.subscriptions.changes(after, 100));
      after = next;
      for (const { id, subscription } of rows)
        if (subscription?.label?.startsWith("changed")) this.changed.add(id);
    });
  }

  async #count(): Promise<void> {
    await this.#answered(async () => this.#one.statistics.kept?.count(Date.now()));
  }

  async #followInbox(): Promise<void> {
    await this.#steadily(async () => {
      const after = this.entries.at(-1) ?? 0;
      const rows = await this.#answered(() => this.#one.inbox.read(READER, after, 100));
      this.entries.push(...rows.map(({ no }) => no));
    });
  }
}

function once(seen: Set<string>, name: string, doubled: string[]): void {
  if (seen.has(name)) doubled.push(name);
  seen.add(name);
}
