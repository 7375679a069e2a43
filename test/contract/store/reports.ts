import { beforeEach, describe, expect, it } from "vitest";
import type { ModerationEntry } from "../../../src/ports/store/index.ts";
import { aPost, aPublisher, aReport, T0 } from "../../support/search/rows.ts";
import { idsOf, type Subject } from "./subject.ts";

/** What `ReportStore` promises. */
export function describeReports({ store }: Subject): void {
  describe("reports", () => {
    beforeEach(async () => {
      await store.posts.insert(aPost("p"));
      await store.posts.insert(aPost("q"));
    });

    it("are one for each post and reporter; a repeat updates it and keeps its id and first time", async () => {
      expect(await store.reports.upsert(aReport("rep_1"))).toEqual(aReport("rep_1"));
      const again = aReport("rep_2", { reason: "scam", details: "Asks for money.", createdAt: T0 + 5 });
      expect(await store.reports.upsert(again)).toEqual({ ...again, id: "rep_1", createdAt: T0 });
      expect(await store.reports.of("p", 9)).toEqual([{ ...again, id: "rep_1", createdAt: T0 }]);
      expect(await store.reports.voices("p", 0)).toBe(1);
    });

    it("are one also when they come together", async () => {
      const answers = await Promise.all([1, 2, 3].map((n) => store.reports.upsert(aReport(`rep_${n}`))));
      expect(new Set(idsOf(answers)).size).toBe(1);
      expect(await store.reports.voices("p", 0)).toBe(1);
    });

    it("count voices by the addresses that a reporter ever had, from a time on, none for suspended publishers", async () => {
      const from = (n: number, reporter: string, address: string | null) =>
        store.reports.upsert(
          aReport(`rep_${n}`, { reporter, addresses: address === null ? [] : [address], createdAt: T0 + n }),
        );
      await store.publishers.insert(aPublisher("pub_s", { suspendedAt: T0 }));
      await from(1, "key:pub_1", "addr:1");
      await from(2, "addr:1", "addr:1");
      // The key was heard before, from another address, so that address has been heard too.
      expect((await from(3, "key:pub_1", "addr:2")).addresses).toEqual(["addr:1", "addr:2"]);
      await from(4, "addr:2", "addr:2");
      await from(5, "key:pub_s", "addr:3");
      expect(await store.reports.voices("p", 0)).toBe(1);
      await from(6, "key:pub_a", "addr:4");
      await from(7, "key:pub_old", null);
      const since = await Promise.all([0, T0 + 5, T0 + 6, T0 + 7].map((at) => store.reports.voices("p", at)));
      expect(since).toEqual([3, 2, 1, 0]);
      expect(await store.reports.voices("nope", 0)).toBe(0);
    });

    it("queue posts by the number of reporters, those with the latest report first", async () => {
      await store.posts.insert(aPost("r"));
      await store.reports.upsert(aReport("rep_0", { postId: "r", reporter: "addr:1", createdAt: T0 + 8 }));
      await store.reports.upsert(aReport("rep_1", { postId: "q", reporter: "addr:1", createdAt: T0 + 9 }));
      await store.reports.upsert(aReport("rep_2", { reporter: "addr:1", reason: "scam" }));
      await store.reports.upsert(aReport("rep_3", { reporter: "addr:2", reason: "spam", createdAt: T0 + 1 }));
      await store.reports.upsert(aReport("rep_4", { reporter: "addr:3", reason: "scam" }));
      await store.posts.update("p", { state: "hidden" }, { text: false });
      const queue = await store.reports.queue(10);
      expect(queue.map((item) => ({ ...item, reasons: [...item.reasons].sort() }))).toEqual([
        { postId: "p", reporters: 3, reasons: ["scam", "spam"], lastAt: T0 + 1 },
        { postId: "q", reporters: 1, reasons: ["spam"], lastAt: T0 + 9 },
        { postId: "r", reporters: 1, reasons: ["spam"], lastAt: T0 + 8 },
      ]);
      expect(await store.reports.queue(1)).toHaveLength(1);
    });

    it("leave the queue when the operator acts on their post or it is removed, and come back with a new reporter", async () => {
      const queued = async () => idsOf((await store.reports.queue(10)).map(({ postId: id }) => ({ id })));
      const log = (subject: string, actor: ModerationEntry["actor"], at: number) =>
        store.reports.log({ at, action: "hide", subject, actor, reason: "x" });
      await store.reports.upsert(aReport("rep_1", { reporter: "addr:1", createdAt: T0 + 5 }));
      await store.reports.upsert(aReport("rep_2", { postId: "q", reporter: "addr:1", createdAt: T0 + 5 }));
      await log("p", "reports", T0 + 9);
      await log("p", "operator", T0 + 4);
      expect(await queued()).toEqual(["q", "p"]);
      await log("p", "operator anna", T0 + 5);
      expect(await queued()).toEqual(["q"]);
      // A repeat is no new report.
      await store.reports.upsert(aReport("rep_3", { reporter: "addr:1", createdAt: T0 + 7 }));
      expect(await queued()).toEqual(["q"]);
      await store.reports.upsert(aReport("rep_4", { reporter: "addr:2", createdAt: T0 + 6 }));
      expect(await queued()).toEqual(["p", "q"]);
      await store.posts.remove("p", T0 + 10);
      expect(await queued()).toEqual(["q"]);
    });

    it("of a post are read oldest first, with their words", async () => {
      await store.reports.upsert(aReport("rep_1", { reporter: "addr:2", createdAt: T0 + 2 }));
      await store.reports.upsert(aReport("rep_2", { reporter: "addr:1", createdAt: T0 + 1 }));
      await store.reports.upsert(aReport("rep_3", { postId: "q", reporter: "addr:1" }));
      const [first, second] = [
        aReport("rep_2", { reporter: "addr:1", createdAt: T0 + 1 }),
        aReport("rep_1", { reporter: "addr:2", createdAt: T0 + 2 }),
      ];
      expect(await store.reports.of("p", 10)).toEqual([first, second]);
      expect(await store.reports.of("p", 1)).toEqual([first]);
      expect(await store.reports.of("nope", 10)).toEqual([]);
      for (const n of [5, 4])
        await store.reports.upsert(aReport(`rep_${n}`, { reporter: `addr:${n}`, createdAt: T0 + 2 }));
      expect(idsOf(await store.reports.of("p", 3))).toEqual(["rep_2", "rep_1", "rep_4"]);
    });

    it("leave a log of what was done, newest first, for one subject or all", async () => {
      const entry = (at: number, subject: string) =>
        ({ at, action: "hide", subject, actor: "operator", reason: `because ${at}` }) as const;
      for (const one of [entry(1, "p"), entry(2, "q"), entry(3, "p")]) await store.reports.log(one);
      expect(await store.reports.history("p", 10)).toEqual([entry(3, "p"), entry(1, "p")]);
      expect(await store.reports.history(null, 2)).toEqual([entry(3, "p"), entry(2, "q")]);
      for (const subject of ["p", "q"]) await store.reports.log(entry(4, subject));
      expect(await store.reports.history(null, 2)).toEqual([entry(4, "q"), entry(4, "p")]);
      expect(await store.reports.history("p", 1)).toEqual([entry(4, "p")]);
    });
  });
}
