import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../src/ports/store/index.ts";
import { aPost, aPublisher } from "../support/search/rows.ts";
import { describeDeliveries } from "./store/deliveries.ts";
import { describeErasure } from "./store/erasure.ts";
import { describeInbox } from "./store/inbox.ts";
import { describeLimits } from "./store/limits.ts";
import { describeEdits } from "./store/posts/edits.ts";
import { describeRemoval } from "./store/posts/removal.ts";
import { describeReplies } from "./store/posts/replies.ts";
import { describeVectors } from "./store/posts/vectors.ts";
import { describePosts } from "./store/posts.ts";
import { describePublishers } from "./store/publishers.ts";
import { describePushClaims } from "./store/pushes/claims.ts";
import { describePushEndings } from "./store/pushes/endings.ts";
import { describePushOutcomes } from "./store/pushes/outcomes.ts";
import { describePushPlaces } from "./store/pushes/places.ts";
import { describePushRedelivery } from "./store/pushes/redelivery.ts";
import { describeRankings } from "./store/rankings.ts";
import { describeReports } from "./store/reports.ts";
import { describeSettingsAndLeases } from "./store/settings-and-leases.ts";
import { describeSignIns } from "./store/sign-ins.ts";
import { describeStatistics } from "./store/statistics.ts";
import type { Subject } from "./store/subject.ts";
import { describeSubscriptions } from "./store/subscriptions.ts";
import { describeToldChanges } from "./store/told-changes.ts";
import { describeWork } from "./store/work.ts";

/** A store to be held to the contract, empty at first; `reopen` replaces its `store`. */
export interface StoreUnderTest extends Subject {
  destroy(): Promise<void>;
}

/** The parts of `src/ports/store/index.ts`, each in its own file. */
const PARTS: readonly ((subject: Subject) => void)[] = [
  describePosts,
  describeReplies,
  describeEdits,
  describeRemoval,
  describeVectors,
  describeErasure,
  describeDeliveries,
  describeToldChanges,
  describePublishers,
  describeSubscriptions,
  describePushClaims,
  describePushPlaces,
  describePushOutcomes,
  describePushRedelivery,
  describePushEndings,
  describeInbox,
  describeReports,
  describeWork,
  describeLimits,
  describeRankings,
  describeSignIns,
  describeStatistics,
  describeSettingsAndLeases,
  describeClosing,
];

/** Every promise of `src/ports/store/index.ts`, as facts that hold for any database. */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} store`, () => {
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await open();
      await under.store.publishers.insert(aPublisher("pub_a"));
    });
    afterEach(() => under.destroy());

    const subject: Subject = {
      store: storeOf(() => under),
      another: () => under.another(),
      reopen: () => under.reopen(),
    };
    for (const describePart of PARTS) describePart(subject);
  });
}

function describeClosing({ store, reopen }: Subject): void {
  it("answers a ping while it is open, and rejects reads and writes once it is closed", async () => {
    await store.ping();
    await store.close();
    await expect(store.ping()).rejects.toThrow();
    await expect(store.posts.insert(aPost("p"))).rejects.toThrow();
    await reopen();
  });

  it("finishes the writes that were under way when it is closed", async () => {
    const writes = Array.from({ length: 20 }, (_, n) => store.posts.insert(aPost(`p${n}`)));
    await store.close();
    expect(await Promise.all(writes)).toHaveLength(20);
    await reopen();
    expect((await store.publishers.get("pub_a"))?.postCount).toBe(20);
  });
}

/**
 * The store of the test that runs, under one name for all tests: a part of the contract may name it before it is open,
 * and each call goes to the store that is open at that moment.
 */
function storeOf(under: () => Subject): Store {
  return new Proxy({} as Store, {
    get(_store, part: keyof Store) {
      const { store } = under();
      const asked = store[part];
      return typeof asked === "function" ? asked.bind(store) : asked;
    },
  });
}
