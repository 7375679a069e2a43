import { beforeEach, describe, expect, it } from "vitest";
import { aPost, aReport, T0 } from "../../support/search/rows.ts";
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
      expect(await store.reports.reporters("p", 0)).toBe(1);
    });

    it("are one also when they come together", async () => {
      const answers = await Promise.all([1, 2, 3].map((n) => store.reports.upsert(aReport(`rep_${n}`))));
      expect(new Set(idsOf(answers)).size).toBe(1);
      expect(await store.reports.reporters("p", 0)).toBe(1);
    });

    it("count reporters whose first report came after a time", async () => {
      await store.reports.upsert(aReport("rep_1", { reporter: "addr:1", createdAt: T0 }));
      await store.reports.upsert(aReport("rep_2", { reporter: "addr:2", createdAt: T0 + 1 }));
      await store.reports.upsert(aReport("rep_3", { reporter: "addr:1", createdAt: T0 + 2 }));
      expect(await store.reports.reporters("p", T0 - 1)).toBe(2);
      expect(await store.reports.reporters("p", T0)).toBe(1);
      expect(await store.reports.reporters("nope", 0)).toBe(0);
    });

    it("queue posts by the number of reporters", async () => {
      await store.reports.upsert(aReport("rep_1", { postId: "q", reporter: "addr:1", createdAt: T0 + 9 }));
      await store.reports.upsert(aReport("rep_2", { reporter: "addr:1", reason: "scam" }));
      await store.reports.upsert(aReport("rep_3", { reporter: "addr:2", reason: "spam", createdAt: T0 + 1 }));
      await store.posts.update("p", { state: "hidden" }, { text: false });
      const queue = await store.reports.queue(10);
      expect(queue.map((item) => ({ ...item, reasons: [...item.reasons].sort() }))).toEqual([
        { postId: "p", reporters: 2, reasons: ["scam", "spam"], lastAt: T0 + 1, state: "hidden" },
        { postId: "q", reporters: 1, reasons: ["spam"], lastAt: T0 + 9, state: "active" },
      ]);
      expect(await store.reports.queue(1)).toHaveLength(1);
    });

    it("leave a log of what was done, newest first, for one subject or all", async () => {
      const entry = (at: number, subject: string) =>
        ({ at, action: "hide", subject, actor: "operator", reason: `because ${at}` }) as const;
      for (const one of [entry(1, "p"), entry(2, "q"), entry(3, "p")]) await store.reports.log(one);
      expect(await store.reports.history("p", 10)).toEqual([entry(3, "p"), entry(1, "p")]);
      expect(await store.reports.history(null, 2)).toEqual([entry(3, "p"), entry(2, "q")]);
    });
  });
}
