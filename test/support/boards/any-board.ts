import fc from "fast-check";
import type { Store } from "../../../src/ports/store/index.ts";
import { aPost, aSubscription } from "../search/rows.ts";

const T0 = Date.UTC(2026, 10, 20, 12);
/** What exists before the first step. */
export const PUBLISHERS = ["pub_a", "pub_b", "pub_c"];
const anyText = fc.string({ unit: "grapheme", maxLength: 20 });
const anyTime = fc.integer({ min: T0, max: T0 + 1e9 });
const few = fc.nat({ max: 3 });
const anyPost = fc
  .tuple(few, fc.option(few))
  .map(([n, reply]) => (reply === null ? `p${n}` : `p${n}-${reply}`));
const anyPublisher = fc.constantFrom(...PUBLISHERS);

/** A step on a board. Numbers name posts and subscriptions, which may or may not exist. */
export const anyStep = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("post" as const),
      n: few,
      by: anyPublisher,
      text: anyText,
      at: anyTime,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("reply" as const),
      n: few,
      to: few,
      by: anyPublisher,
      at: anyTime,
    }),
  },
  fc.record({ do: fc.constant("edit" as const), id: anyPost, text: anyText, at: anyTime }),
  fc.record({ do: fc.constant("hide" as const), id: anyPost }),
  fc.record({ do: fc.constant("remove" as const), id: anyPost, at: anyTime }),
  fc.record({
    do: fc.constant("vector" as const),
    id: anyPost,
    model: fc.constantFrom("m", "n"),
    fill: fc.integer({ min: -128, max: 127 }),
  }),
  fc.record({ do: fc.constant("retrieve" as const), id: anyPost }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("subscribe" as const),
      n: few,
      by: anyPublisher,
      text: anyText,
      webhook: fc.option(fc.constantFrom("https://a.example/hook", "http://b.example:81/")),
      vector: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("deliver" as const), s: few, id: anyPost, at: anyTime }),
  },
  fc.record({ do: fc.constant("unsubscribe" as const), s: few }),
  fc.record({ do: fc.constant("prune" as const), at: anyTime }),
  fc.record({
    do: fc.constant("push" as const),
    at: anyTime,
    end: fc.constantFrom("none", "delivered", "waiting", "failed"),
  }),
  fc.record({ do: fc.constant("redeliver" as const), s: few, id: few, at: anyTime }),
  fc.record({
    do: fc.constant("report" as const),
    id: anyPost,
    by: anyPublisher,
    text: anyText,
    at: anyTime,
  }),
  fc.record({ do: fc.constant("log" as const), id: anyPost, text: anyText, at: anyTime }),
  fc.record({ do: fc.constant("count" as const), name: anyText, n: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ do: fc.constant("set" as const), name: fc.constantFrom("x", "y"), text: anyText }),
  fc.record({ do: fc.constant("suspend" as const), by: anyPublisher, at: fc.option(anyTime) }),
  fc.record({
    do: fc.constant("work" as const),
    kind: fc.constantFrom("match" as const, "embed" as const),
    done: fc.boolean(),
  }),
  fc.record({ do: fc.constant("erase" as const), at: anyTime }),
  fc.record({ do: fc.constant("gone" as const), by: anyPublisher }),
);
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

/** Does a step. A step about something missing does nothing. */
export async function run(store: Store, step: Step): Promise<void> {
  switch (step.do) {
    case "post": {
      const { by: publisherId, text, at } = step;
      const times = { createdAt: at, updatedAt: at, expiresAt: at + 1e9 };
      const post = aPost(`p${step.n}`, { publisherId, body: text, metadata: { [text]: text }, ...times });
      await store.posts.insert(post).catch(isGone);
      break;
    }
    case "reply": {
      const [parentId, publisherId, createdAt] = [`p${step.to}`, step.by, step.at];
      const reply = aPost(`${parentId}-${step.n}`, { parentId, publisherId, createdAt, location: null });
      await store.posts.insert(reply, { admit: () => createdAt + 2e9 }).catch(isGone);
      break;
    }
    case "edit":
      await store.posts.update(step.id, { title: step.text, updatedAt: step.at }, { text: true });
      break;
    case "hide":
      await store.posts.update(step.id, { state: "hidden" }, { text: false });
      break;
    case "remove":
      await store.posts.remove(step.id, step.at);
      break;
    case "vector": {
      const post = await store.posts.get(step.id);
      const vector = new Int8Array(384).fill(step.fill);
      if (post !== null) await store.posts.setVectors([{ ...post, model: step.model, vector }]);
      break;
    }
    case "retrieve":
      await store.posts.addRetrievals(new Map([[step.id, 3]]));
      break;
    case "subscribe": {
      const id = `sub_${step.n}`;
      if ((await store.subscriptions.get(id)) !== null) break;
      const { by: publisherId, text: label, webhook: webhookUrl } = step;
      const vector = step.vector ? { vector: new Int8Array(384).fill(step.n), vectorModel: "m" } : {};
      const consent = { webhookUrl, webhookVerifiedAt: webhookUrl === null ? null : T0 };
      const subscription = aSubscription(id, {
        publisherId,
        label,
        query: { q: label },
        ...consent,
        ...vector,
      });
      await store.subscriptions.insert(subscription, 50).catch(isGone);
      break;
    }
    case "deliver": {
      const match = { subscriptionId: `sub_${step.s}`, postId: step.id, matchedAt: step.at };
      await store.subscriptions.deliver([match], []);
      break;
    }
    case "unsubscribe":
      await store.subscriptions.remove(`sub_${step.s}`);
      break;
    case "prune":
      await store.subscriptions.pruneDeliveries(step.at, 1);
      await store.inbox.prune?.(step.at, 1);
      break;
    case "push":
      await push(store, step);
      break;
    case "redeliver":
      await store.pushes.redeliver(`sub_${step.s}`, step.id, step.at);
      break;
    case "report": {
      const { by, text: details, at: createdAt } = step;
      const report = {
        id: `rep_${step.id}_${by}`,
        postId: step.id,
        reporter: `key:${by}`,
        addresses: [`addr:${by}`],
        details,
        createdAt,
      };
      await store.reports.upsert({ ...report, reason: "spam" }).catch(isGone);
      break;
    }
    case "log": {
      const entry = { at: step.at, subject: step.id, reason: step.text };
      await store.reports.log({ ...entry, action: "restore", actor: "operator" });
      break;
    }
    case "count":
      await store.statistics.add([{ day: "2026-11-20", name: `x${step.name}`, n: step.n }]);
      break;
    case "set":
      await store.settings.set(step.name, step.text);
      break;
    case "suspend":
      await store.publishers.update(step.by, { suspendedAt: step.at });
      break;
    case "work": {
      const items = await store.work.claim(step.kind, { limit: 1, leaseMs: 1000, now: T0 + 2e9 });
      if (step.done) await store.work.done(items);
      break;
    }
    case "erase":
      await store.posts.erase({ expired: step.at, removed: step.at }, 2);
      break;
    case "gone":
      await store.publishers.erase(step.by);
      break;
  }
}

async function push(store: Store, { at, end }: Extract<Step, { do: "push" }>): Promise<void> {
  const places = { limit: 1, perOrigin: 5, failing: 5 };
  const [claimed] = await store.pushes.claim({ ...places, leaseMs: 1000, now: at });
  if (claimed === undefined || end === "none") return;
  const attempt = { at, latencyMs: 3.7, status: end === "delivered" ? 200 : 500, error: null };
  const dueAt = end === "waiting" ? at + 1000 : null;
  await store.pushes.settle(claimed, attempt, { state: end, dueAt, deactivate: null });
}

/** Ignores that a publisher or post of the step is gone. */
function isGone(error: Error): void {
  if (!/ is gone/.test(error.message)) throw error;
}
