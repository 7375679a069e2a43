import { describe, expect, it } from "vitest";
import { relaxationLinks } from "../../src/adapters/pages/search/relaxation-links.ts";
import type { Post } from "../../src/schema/post.ts";

/** Every condition of the search grammar at once. */
const EVERYTHING = {
  q: '"brass band" -rain',
  near: "52.5,13.4",
  radius_km: "5",
  kind: "request",
  tags: "music",
  after: "2027-01-01",
  verified: "true",
  publisher: "pub_someone",
  include_syndicated: "false",
};

/** Counts the searches, and lets those find a post that `finds` accepts. */
async function widened(finds: (input: Record<string, unknown>) => boolean) {
  let searches = 0;
  const links = await relaxationLinks(EVERYTHING, async (input) => {
    searches += 1;
    return finds(input) ? [{} as Post] : [];
  });
  return { searches, words: links.map(({ words }) => words) };
}

describe("the searches behind a page without results", () => {
  it("are one for each condition where one is at fault", async () => {
    const { searches, words } = await widened((input) => input["kind"] === undefined);
    expect(words).toEqual(["Any kind"]);
    expect(searches).toBe(12);
  });

  it("are at most eight more where nothing helps", async () => {
    const { searches, words } = await widened(() => false);
    expect(words).toEqual([]);
    expect(searches).toBe(20);
  });

  it("end once three pairs of conditions helped", async () => {
    const { searches, words } = await widened(
      (input) => Object.keys(EVERYTHING).filter((name) => !(name in input)).length >= 3,
    );
    // Only the place has two parameters.
    expect(words).toEqual(["Anywhere, any kind", "Anywhere, any tag", "Anywhere, at any time"]);
    expect(searches).toBe(15);
  });
});
