import { describe, expect, it } from "vitest";
import type { SignInRow } from "../../../src/ports/store/index.ts";
import { aPublisher, T0 } from "../../support/search/rows.ts";
import type { Subject } from "./subject.ts";

const aSignIn = (id: string, row: Partial<SignInRow> = {}): SignInRow => ({
  id,
  grantId: "grant_1",
  publisherId: "pub_a",
  payload: '{"scope":"board"}',
  consumedAt: null,
  expiresAt: T0 + 10,
  ...row,
});

/** What `SignInStore` promises. */
export function describeSignIns({ store, another, reopen }: Subject): void {
  describe("sign-ins", () => {
    it("are kept as they are until they expire, also through a restart", async () => {
      const client = aSignIn("Client:1", { grantId: null, publisherId: null });
      await store.signIns.put(client);
      await store.signIns.put(aSignIn("t", { consumedAt: T0 }));
      await reopen();
      expect(await store.signIns.get("Client:1", T0 + 9)).toEqual(client);
      expect(await store.signIns.get("t", T0)).toEqual(aSignIn("t", { consumedAt: T0 }));
      expect(await store.signIns.get("t", T0 + 10)).toBeNull();
      expect(await store.signIns.get("nope", T0)).toBeNull();
    });

    it("are replaced by one with the same id", async () => {
      await store.signIns.put(aSignIn("t"));
      await store.signIns.put(aSignIn("t", { payload: "{}", expiresAt: T0 + 20 }));
      expect(await store.signIns.get("t", T0 + 15)).toMatchObject({ payload: "{}" });
    });

    it("are used once, whoever asks at the same moment in any process", async () => {
      await store.signIns.put(aSignIn("t"));
      const other = await another();
      const used = await Promise.all(
        [store, other, store, other].map(({ signIns }) => signIns.consume("t", T0 + 1)),
      );
      expect(used.filter((won) => won)).toHaveLength(1);
      expect(await store.signIns.get("t", T0)).toMatchObject({ consumedAt: T0 + 1 });
      expect(await store.signIns.consume("nope", T0)).toBe(false);
    });

    it("end one by one, with their grant, and with their publisher", async () => {
      for (const id of ["a", "b", "c"]) await store.signIns.put(aSignIn(id));
      await store.signIns.put(aSignIn("other", { grantId: "grant_2" }));
      await store.signIns.put(aSignIn("foreign", { grantId: "grant_3", publisherId: "pub_b" }));
      const left = async () => {
        const rows = await Promise.all(
          ["a", "b", "c", "other", "foreign"].map((id) => store.signIns.get(id, T0)),
        );
        return rows.flatMap((row) => row?.id ?? []);
      };
      await store.signIns.remove("id", "a");
      expect(await left()).toEqual(["b", "c", "other", "foreign"]);
      await store.signIns.remove("grantId", "grant_1");
      expect(await left()).toEqual(["other", "foreign"]);
      await store.signIns.remove("publisherId", "pub_a");
      expect(await left()).toEqual(["foreign"]);
    });

    it("end with the erasure of their publisher, and with no other's", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
      await store.signIns.put(aSignIn("a"));
      await store.signIns.put(aSignIn("b", { publisherId: "pub_b" }));
      await store.publishers.erase("pub_a");
      expect(await store.signIns.get("a", T0)).toBeNull();
      expect(await store.signIns.get("b", T0)).not.toBeNull();
    });

    it("list what there is of a publisher, first to expire first", async () => {
      await store.signIns.put(aSignIn("late", { expiresAt: T0 + 20 }));
      await store.signIns.put(aSignIn("early"));
      await store.signIns.put(aSignIn("used", { consumedAt: T0 }));
      await store.signIns.put(aSignIn("over", { expiresAt: T0 }));
      await store.signIns.put(aSignIn("foreign", { publisherId: "pub_b" }));
      expect((await store.signIns.ofPublisher("pub_a", T0)).map(({ id }) => id)).toEqual([
        "early",
        "used",
        "late",
      ]);
    });

    it("go when they are pruned after their time", async ({ skip }) => {
      const { pruneExpired } = store;
      if (pruneExpired === undefined) return skip("the database does so by itself: test/mongodb/expiry");
      await store.signIns.put(aSignIn("t"));
      await store.signIns.put(aSignIn("u", { expiresAt: T0 + 20 }));
      await pruneExpired(T0 + 10);
      expect(await store.signIns.get("t", T0)).toBeNull();
      expect(await store.signIns.get("u", T0)).toMatchObject({ id: "u" });
    });
  });
}
