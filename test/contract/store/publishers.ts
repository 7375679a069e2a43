import { describe, expect, it } from "vitest";
import { aPublisher, T0 } from "../../support/search/rows.ts";
import { idsOf, type Subject } from "./subject.ts";

/** What `PublisherStore` promises, but for erasure. */
export function describePublishers({ store }: Subject): void {
  describe("publishers", () => {
    it("are read back as inserted, by id and by key", async () => {
      const full = aPublisher("pub_f", {
        verifiedAt: T0,
        verifiedVia: "dns",
        checkedAt: T0,
        suspendedAt: T0 + 1,
      });
      const bare = aPublisher("pub_n", { description: null, url: null, domain: null, verifyToken: null });
      for (const publisher of [full, bare]) {
        await store.publishers.insert(publisher);
        expect(await store.publishers.get(publisher.id)).toEqual(publisher);
        expect(await store.publishers.byKeyHash(publisher.keyHash)).toEqual(publisher);
      }
      expect(idsOf(await store.publishers.many(["pub_n", "nope", "pub_f"]))).toEqual(["pub_n", "pub_f"]);
      expect(await store.publishers.get("nope")).toBeNull();
      expect(await store.publishers.byKeyHash("nope")).toBeNull();
    });

    it("are named by a text that is their name or begins it, in any case of letters", async () => {
      const names = {
        ...{ pub_1: "Kestrel Repairs", pub_2: "KESTREL", pub_3: "kestrel-post", pub_4: "Kestrels" },
        ...{ pub_5: "Kestre", pub_6: "My Kestrel", pub_7: "Élan Vélo", pub_8: "Kestrel2" },
        ...{ pub_9: "VÉLO KÜCHE" },
      };
      for (const [id, name] of Object.entries(names)) await store.publishers.insert(aPublisher(id, { name }));
      const named = async (text: string, limit = 10) => (await store.publishers.named(text, limit)).sort();
      for (const text of ["kestrel", "Kestrel", "KESTREL"])
        expect(await named(text), text).toEqual(["pub_1", "pub_2", "pub_3"]);
      expect(await named("kestrel repairs")).toEqual(["pub_1"]);
      expect(await named("kestrel repairs of")).toEqual([]);
      for (const text of ["élan vélo", "ÉLAN VÉLO"]) expect(await named(text), text).toEqual(["pub_7"]);
      expect(await named("élan")).toEqual(["pub_7"]);
      expect(await named("vélo küche")).toEqual(["pub_9"]);
      expect(await named("kestrel", 2)).toHaveLength(2);
      await store.publishers.update("pub_1", { name: "Merlin Repairs" });
      await store.publishers.erase("pub_2");
      expect(await named("kestrel")).toEqual(["pub_3"]);
      expect(await named("merlin")).toEqual(["pub_1"]);
    });

    it("cannot share a key or an id", async () => {
      await expect(
        store.publishers.insert(aPublisher("pub_x", { keyHash: "hash of pub_a" })),
      ).rejects.toThrow();
      await expect(store.publishers.insert(aPublisher("pub_a", { keyHash: "other" }))).rejects.toThrow();
      expect(await store.publishers.get("pub_x")).toBeNull();
    });

    it("lose their old key the moment it is rotated", async () => {
      const after = await store.publishers.update("pub_a", { keyHash: "new" });
      expect(after).toEqual(aPublisher("pub_a", { keyHash: "new" }));
      expect(await store.publishers.byKeyHash("hash of pub_a")).toBeNull();
      expect(await store.publishers.byKeyHash("new")).toEqual(after);
    });

    it("change by what they are at that moment, or not at all", async () => {
      const named = await store.publishers.update("pub_a", (row) => ({ name: `${row.name}!` }));
      expect(named).toEqual(aPublisher("pub_a", { name: `${aPublisher("pub_a").name}!` }));
      expect(await store.publishers.update("pub_a", () => null)).toEqual(named);
      expect(await store.publishers.get("pub_a")).toEqual(named);
    });

    it("answer null to a change of one that is not there", async () => {
      expect(await store.publishers.update("nope", { name: "x" })).toBeNull();
    });

    it("are listed by the time they registered, newest first, in pages, without erased ones", async () => {
      for (const [id, at] of [
        ["pub_1", 2],
        ["pub_2", 3],
        ["pub_3", 3],
        ["pub_4", 4],
      ] as const)
        await store.publishers.insert(aPublisher(id, { createdAt: T0 + at }));
      await store.publishers.erase("pub_4");
      const ids = async (...asked: Parameters<typeof store.publishers.registered>) =>
        idsOf(await store.publishers.registered(...asked));
      expect(await ids(0, { before: null, limit: 10 })).toEqual(["pub_3", "pub_2", "pub_1", "pub_a"]);
      expect(await ids(T0 + 3, { before: null, limit: 10 })).toEqual(["pub_3", "pub_2"]);
      expect(await ids(0, { before: { at: T0 + 3, id: "pub_3" }, limit: 2 })).toEqual(["pub_2", "pub_1"]);
    });

    it("are due for a check when verified and not looked at since, oldest first", async () => {
      const verified = { verifiedAt: T0, verifiedVia: "dns" } as const;
      await store.publishers.insert(aPublisher("pub_1", { ...verified, checkedAt: T0 + 2 }));
      await store.publishers.insert(aPublisher("pub_2", { ...verified, checkedAt: T0 + 1 }));
      await store.publishers.insert(aPublisher("pub_3", { ...verified, checkedAt: T0 + 3 }));
      await store.publishers.insert(aPublisher("pub_4", { checkedAt: T0 }));
      await store.publishers.insert(aPublisher("pub_5", verified));
      // One that nobody has looked at comes first.
      expect(idsOf(await store.publishers.dueForCheck(T0 + 3, 10))).toEqual(["pub_5", "pub_2", "pub_1"]);
      expect(idsOf(await store.publishers.dueForCheck(T0 + 3, 2))).toEqual(["pub_5", "pub_2"]);
      await store.publishers.insert(aPublisher("pub_6", { ...verified, checkedAt: T0 + 1 }));
      expect(idsOf(await store.publishers.dueForCheck(T0 + 2, 9))).toEqual(["pub_5", "pub_2", "pub_6"]);
    });
  });
}
