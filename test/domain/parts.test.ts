import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deadMembers, ownersFor, partOf, partsOf } from "../../src/domain/subscriptions/parts.ts";
import { ALL_PARTS, PARTS, type ShareTable } from "../../src/ports/store/index.ts";

const NOBODY = Array.from({ length: PARTS }, () => null);
const tableOf = (owners: ShareTable["owners"], members: Record<string, number>): ShareTable => ({
  revision: 0,
  owners,
  members: new Map(Object.entries(members)),
});

/** The owners once each living member has moved its parts often enough, each time alone. */
function settled(owners: ShareTable["owners"], members: Record<string, number>): ShareTable["owners"] {
  let now = owners;
  for (let round = 0; round < 3; round += 1) {
    for (const [member, until] of Object.entries(members)) {
      if (until <= 0) continue;
      const next = ownersFor(tableOf(now, members), member, 0);
      for (const [part, owner] of next.entries()) {
        const before = now[part] ?? null;
        // Nobody takes a part that another living member has, nor gives it to somebody else.
        const isOthers = before !== null && before !== member && (members[before] ?? 0) > 0;
        if (isOthers) expect(owner).toBe(before);
        else expect([before, member, null]).toContain(owner);
      }
      now = next;
    }
  }
  return now;
}
const countsOf = (owners: ShareTable["owners"]): Record<string, number> => {
  const counts = new Map<string | null, number>();
  for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return Object.fromEntries(counts);
};

describe("parts of the saved queries", () => {
  it("hold about as many queries each", () => {
    const counts = new Array<number>(PARTS).fill(0);
    for (let n = 0; n < 60_000; n += 1) {
      const part = partOf(`sub_${n.toString(36)}`);
      counts[part] = (counts[part] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1150);
  });

  it("belong to a lone member, and in equal numbers to three", () => {
    const alone = settled(NOBODY, { a: 1 });
    expect(partsOf(alone, "a")).toBe(ALL_PARTS);
    const three = settled(alone, { a: 1, b: 1, c: 1 });
    expect(countsOf(three)).toEqual({ a: 20, b: 20, c: 20 });
  });

  it("of a dead member go to the others, which keep their own", () => {
    const three = settled(NOBODY, { a: 1, b: 1, c: 1 });
    const two = settled(three, { a: 1, b: 0, c: 1 });
    expect(deadMembers(tableOf(two, { a: 1, b: 0 }), 0)).toEqual(["b"]);
    expect(countsOf(two)).toEqual({ a: 30, c: 30 });
    for (const [part, owner] of three.entries()) if (owner !== "b") expect(two[part]).toBe(owner);
  });

  it("all have one owner, whoever lives, and no member more than its share", () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.constantFrom(...names, "gone"), { nil: null }), {
          minLength: PARTS,
          maxLength: PARTS,
        }),
        fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
        (owners, alive) => {
          const members = Object.fromEntries(alive.map((name) => [name, 1]));
          const counts = countsOf(settled(owners, members));
          expect(Object.keys(counts).every((name) => alive.includes(name))).toBe(true);
          expect(Math.max(...Object.values(counts))).toBeLessThanOrEqual(Math.ceil(PARTS / alive.length));
        },
      ),
    );
  });
});
