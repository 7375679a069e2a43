import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WebhookDelivery } from "../../src/jobs/deliver-webhooks.ts";
import type { ClaimedPush, Store } from "../../src/ports/store/index.ts";
import { openStore } from "../../src/store/open.ts";
import { answer, NOW, preparePushes } from "../contract/store/pushes/prepare.ts";
import { useFolderForEach } from "../support/run/temporary.ts";
import { aPublisher } from "../support/search/rows.ts";

/** An attempt breaks off where a program or the store fails, and not the receiver. */
const BROKEN = -1;

/** The store is real; what stands for the receiver's answer ends an attempt when the test says so. */
describe("webhook delivery", () => {
  const folder = useFolderForEach();
  let store: Store;
  let prepare: ReturnType<typeof preparePushes>;
  let sent: ClaimedPush[];
  let ends: ((status: number, deactivate?: "webhook_gone") => void)[];
  let ended: [delivered: boolean, isGivenUp: boolean][];
  let freed: number;
  let failures: unknown[];
  let delivery: WebhookDelivery;

  beforeEach(async () => {
    store = await openStore(`sqlite:${folder()}/board.db`);
    await store.publishers.insert(aPublisher("pub_a"));
    prepare = preparePushes(store);
    [sent, ends, ended, freed, failures] = [[], [], [], 0, []];
    const attempt = (push: ClaimedPush) => {
      sent.push(push);
      return new Promise((resolve, reject) => {
        ends.push((status, deactivate) => {
          if (status === BROKEN) return reject(new Error("broken"));
          const state = status < 300 ? "delivered" : "failed";
          const outcome = { state, dueAt: null, deactivate: deactivate ?? null };
          resolve({ attempt: status === 0 ? null : answer(NOW, status), outcome });
        });
      });
    };
    delivery = new WebhookDelivery({
      store,
      pushes: { attempt } as never,
      clock: () => NOW,
      ended: (...how) => ended.push(how),
      freed: () => {
        freed += 1;
      },
      failed: (error) => failures.push(error),
    });
  });
  afterEach(() => store.close());

  it("has 16 attempts under way at an origin, 2 at failing subscriptions of it, and 50 in all, half of them at failing ones", async () => {
    const failing = { failures: 1, failingSince: NOW };
    await prepare.consenting("one", "https://a.example");
    await prepare.consenting("failing", "https://a.example", failing);
    for (const id of ["one", "failing"]) await prepare.match(id, 20);
    expect([await delivery.claim(NOW), await delivery.claim(NOW)]).toEqual([18, 0]);
    for (let n = 0; n < 15; n += 1) {
      await prepare.consenting(`dead${n}`, `https://dead${n}.example`, failing);
      await prepare.match(`dead${n}`, 2);
    }
    expect([await delivery.claim(NOW), await delivery.claim(NOW)]).toEqual([23, 0]);
    for (let n = 0; n < 6; n += 1) {
      await prepare.consenting(`more${n}`, `https://more${n}.example`);
      await prepare.match(`more${n}`, 2);
    }
    expect(await delivery.claim(NOW)).toBe(9);
    const asked = vi.spyOn(store.pushes, "claim");
    expect([await delivery.claim(NOW), asked.mock.calls]).toEqual([0, []]);
  });

  it("leaves what it has claimed to no other process for 30 seconds", async () => {
    await prepare.consenting("one", "https://a.example");
    await prepare.match("one", 2);
    expect(await delivery.claim(NOW)).toBe(2);
    expect(await prepare.claim({ now: NOW + 29_999 })).toEqual([]);
    expect(await prepare.claim({ now: NOW + 30_000 })).toHaveLength(2);
  });

  it("has waiting pushes hastened at the start, and where the clock has gone back by more than five seconds", async () => {
    const hasten = vi.spyOn(store.pushes, "hasten");
    const hastened = async (now: number) => {
      await delivery.claim(now);
      return hasten.mock.calls.length;
    };
    const back = NOW - 5_000;
    expect([
      await hastened(NOW),
      await hastened(back),
      await hastened(back - 5_001),
      await hastened(NOW),
    ]).toEqual([1, 1, 2, 2]);
    expect(hasten).toHaveBeenLastCalledWith(back - 5_001);
  });

  it("gives back at a stop what has not ended after three seconds, and records no outcome of it", async () => {
    await prepare.consenting("one", "https://a.example");
    await prepare.match("one", 3);
    expect(await delivery.claim(NOW)).toBe(3);
    ends[0]?.(204);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    let isStopped = false;
    const stopped = delivery.stop().then(() => {
      isStopped = true;
    });
    await vi.advanceTimersByTimeAsync(2_999);
    expect(isStopped).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    await stopped;
    const settled = vi.spyOn(store.pushes, "settle");
    ends[1]?.(500);
    ends[2]?.(BROKEN);
    await new Promise(setImmediate);
    expect([settled.mock.calls, ended, failures]).toEqual([[], [[true, false]], []]);
    const left = await prepare.claim();
    expect(left).toMatchObject([2, 3].map((deliveryId) => ({ deliveryId, attempts: 0 })));
  });

  it("says how each attempt ended, and nothing where none was made; and that its place is free", async () => {
    await prepare.consenting("one", "https://a.example");
    await prepare.match("one", 5);
    expect(await delivery.claim(NOW)).toBe(5);
    for (const [n, status] of [204, 500, 0].entries()) ends[n]?.(status);
    ends[3]?.(BROKEN);
    ends[4]?.(410, "webhook_gone");
    await delivery.stop();
    expect([freed, failures]).toEqual([5, [new Error("broken")]]);
    expect(ended).toEqual([
      [true, false],
      [false, false],
      [false, true],
    ]);
    expect(await prepare.claim()).toEqual([]);
  });
});
