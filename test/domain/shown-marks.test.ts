import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { marksOf, splitByMarks } from "../../src/domain/search/shown-marks.ts";
import { newPostId } from "../../src/domain/secrets.ts";

const idsOf = (posts: readonly { id: string }[]) => posts.map(({ id }) => id);
const posts = (count: number) => Array.from({ length: count }, () => ({ id: newPostId(null) }));

describe("marks of shown posts", () => {
  it("tell shown posts from all others they were made beside, in any order", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 900 }), (some, more) => {
        const shown = posts(some);
        const rest = posts(more);
        const marks = marksOf(idsOf(shown), idsOf(rest));
        const mixed = [...shown, ...rest].sort((a, b) => (a.id < b.id ? -1 : 1));
        const { marked, others, left } = splitByMarks(mixed, marks);
        expect(idsOf(marked).sort()).toEqual(idsOf(shown).sort());
        expect(idsOf(others).sort()).toEqual(idsOf(rest).sort());
        expect(left).toBe("");
      }),
      { numRuns: 50 },
    );
  });

  it("that no post carries are handed on, and still tell their posts", () => {
    const shown = posts(20);
    const rest = posts(500);
    const gone = shown.slice(0, 3);
    const { left } = splitByMarks([...shown.slice(3), ...rest], marksOf(idsOf(shown), idsOf(rest)));
    expect(splitByMarks([...rest, ...gone], left)).toEqual({ marked: gone, others: rest, left: "" });
  });

  it("of twenty posts take 55 characters", () => {
    expect(marksOf(idsOf(posts(20)), idsOf(posts(980)))).toHaveLength(55);
  });
});
