import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ClaimedPush } from "../../../../src/ports/store/index.ts";
import type { Subject } from "../subject.ts";
import { LEASE_MS, NOW, named, preparePushes } from "./prepare.ts";

/** Pushes, compared with a small model of them. */
export function describePushesInAnyOrder({ store }: Subject): void {
  describe("pushes", () => {
    const { claim, consenting, end, match } = preparePushes(store);

    it("match the model, in any order of events", async () => {
      // The model: which pushes wait, when each is due, and which claim holds it.
      const model = new Map<string, { dueAt: number; token: string | null }>();
      const open = new Map([
        ["sub_1", true],
        ["sub_2", true],
        ["sub_3", true],
      ]);
      for (const id of open.keys()) {
        await consenting(id, id === "sub_3" ? "https://b.example" : "https://a.example");
      }
      const held: ClaimedPush[] = [];
      let now = NOW;
      const step = fc.record({
        act: fc.constantFrom("match", "claim", "deliver", "fail", "return", "pause", "wait"),
        id: fc.constantFrom("sub_1", "sub_2", "sub_3"),
        ms: fc.integer({ min: 0, max: 2 * LEASE_MS }),
      });
      const run = async ({ act, id, ms }: { act: string; id: string; ms: number }) => {
        if (act === "wait") now += ms;
        if (act === "match") {
          await match(id, 1, now);
          const [push] = await store.pushes.list(id, { before: null, limit: 1 });
          if (open.get(id) && push !== undefined) {
            model.set(named([push])[0] as string, { dueAt: now, token: null });
          }
        }
        if (act === "pause") {
          open.set(id, !open.get(id));
          await store.subscriptions.update(id, { active: open.get(id) === true });
        }
        if (act === "claim") {
          const got = await claim({ now });
          const due = [...model].filter(([name, { dueAt }]) => dueAt <= now && open.get(name.slice(0, 5)));
          expect(named(got).sort()).toEqual(due.map(([name]) => name).sort());
          for (const push of got) {
            model.set(named([push])[0] as string, { dueAt: now + LEASE_MS, token: push.token });
          }
          held.push(...got);
        }
        const push = act === "deliver" || act === "fail" || act === "return" ? held.shift() : undefined;
        if (push === undefined) return;
        const name = named([push])[0] as string;
        const valid = model.get(name)?.token === push.token;
        if (act === "return") {
          await store.pushes.giveBack([push]);
          if (valid) model.set(name, { dueAt: push.matchedAt, token: null });
          return;
        }
        const ended = act === "deliver" ? end(push, "delivered") : end(push, "waiting", { dueAt: now + ms });
        expect(await ended).toBe(valid);
        if (!valid) return;
        if (act === "deliver") model.delete(name);
        else model.set(name, { dueAt: now + ms, token: null });
      };
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
          for (const one of steps) await run(one);
        }),
        { numRuns: 8, endOnFailure: true },
      );
    });
  });
}
