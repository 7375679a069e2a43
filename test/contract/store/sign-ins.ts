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
        [store, other, store, other].map(({ signIns }, n) => signIns.consume("t", T0 + n)),
      );
      expect(used.filter((won) => won)).toHaveLength(1);
      expect(await store.signIns.consume("t", T0 + 9)).toBe(false);
      expect(await store.signIns.get("t", T0)).toMatchObject({ consumedAt: T0 + used.indexOf(true) });
      expect(await store.signIns.consume("nope", T0)).toBe(false);
    });

    it("end one by one, with their grant, with their publisher, and with the erasure of that", async () => {
      await store.publishers.insert(aPublisher("pub_b"));
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
      await store.signIns.put(aSignIn("a"));
      await store.publishers.erase("pub_b");
      expect(await left()).toEqual(["a"]);
    });

    it("are read by many ids, without those that are over", async () => {
      await store.signIns.put(aSignIn("a"));
      await store.signIns.put(aSignIn("b"));
      await store.signIns.put(aSignIn("over", { expiresAt: T0 }));
      await store.signIns.put(aSignIn("other"));
      const found = await store.signIns.many(["a", "b", "over", "nope", "a"], T0);
      expect(found.map(({ id }) => id).sort()).toEqual(["a", "b"]);
      expect(await store.signIns.many([], T0)).toEqual([]);
    });

    it("last longer when they are prolonged, never shorter, and none comes back by it", async () => {
      await store.signIns.put(aSignIn("t"));
      await store.signIns.put(aSignIn("other"));
      await store.signIns.prolong("t", T0 + 20);
      await store.signIns.prolong("t", T0 + 5);
      await store.signIns.prolong("gone", T0 + 20);
      expect(await store.signIns.get("t", T0 + 19)).toEqual(aSignIn("t", { expiresAt: T0 + 20 }));
      expect(await store.signIns.get("other", T0 + 10)).toBeNull();
      expect(await store.signIns.get("gone", T0)).toBeNull();
    });

    it("of one grant and kind go by when they expire", async () => {
      const kept = ["R:3", "R:4", "RR:1", "A:1", "R:foreign"];
      for (const [id, expiresAt] of [
        ["R:1", 1],
        ["R:2", 3],
        ["R:3", 3],
        ["R:4", 4],
        ["RR:1", 1],
        ["A:1", 1],
      ] as const)
        await store.signIns.put(aSignIn(id, { expiresAt: T0 + expiresAt }));
      await store.signIns.put(aSignIn("R:foreign", { grantId: "grant_2", expiresAt: T0 + 1 }));
      await store.signIns.removeOlder("grant_1", "R", T0 + 3, "R:3");
      const left = await store.signIns.many(["R:1", "R:2", ...kept], T0);
      expect(left.map(({ id }) => id).sort()).toEqual([...kept].sort());
    });

    it("list the refresh tokens of a publisher that are in use, last to expire first, so many at most", async () => {
      const put = (id: string, row: Partial<SignInRow> = {}) => store.signIns.put(aSignIn(id, row));
      await put("RefreshToken:early");
      await put("RefreshToken:late", { expiresAt: T0 + 20 });
      await put("RefreshToken:used", { consumedAt: T0, expiresAt: T0 + 15 });
      await put("RefreshToken:over", { expiresAt: T0 });
      await put("RefreshToken:foreign", { publisherId: "pub_b" });
      for (const kind of ["AccessToken", "Grant", "AuthorizationCode", "Session"]) await put(`${kind}:x`);
      const listed = async (limit: number) =>
        (await store.signIns.renewable("pub_a", T0, limit)).map(({ id }) => id);
      expect(await listed(10)).toEqual(["RefreshToken:late", "RefreshToken:early"]);
      expect(await listed(1)).toEqual(["RefreshToken:late"]);
      await store.signIns.consume("RefreshToken:late", T0 + 1);
      expect(await listed(10)).toEqual(["RefreshToken:early"]);
    });
  });
}
