import { describe, expect, it } from "vitest";
import { topPlaces } from "../../src/domain/board/top-places.ts";
import { placeNamed } from "../../src/gazetteer/index.ts";
import { NOW, post, useIndexFile } from "../support/search/embedded-index.ts";

const TOWNS =
  "Berlin Hamburg Leipzig Dresden Hanover Nuremberg Stuttgart Frankfurt Vienna Graz Linz Salzburg Zurich Basel Geneva Paris Lyon Marseille Toulouse Nice Nantes Madrid Seville Valencia Lisbon Porto Milan Turin Naples Rome";

describe("the towns with the most posts", () => {
  const openIndex = useIndexFile();

  it("are twenty-five, those with more first and equal ones by name, wherever around them the posts are", async () => {
    const { index, write } = openIndex();
    const towns = TOWNS.split(" ").map((name) => placeNamed(name));
    write((to) => {
      let n = 0;
      for (const [at, town] of towns.entries()) {
        if (town === null) continue;
        // Every other town has a second post, 7 km to the north.
        for (let more = 0; more <= at % 2; more += 1) {
          const entry = { id: `p${n++}`, lat: town.lat + more * 0.065, lng: town.lng, expiresAt: NOW + 1 };
          to.put(post(entry));
        }
      }
    });
    const found = await topPlaces(index, NOW);
    expect(found).toHaveLength(25);
    const doubled = towns.flatMap((town, at) => (town !== null && at % 2 === 1 ? [town.label] : []));
    expect(found.filter(({ count }) => count === 2).map(({ place }) => place)).toEqual(doubled.sort());
    const single = found.slice(doubled.length).map(({ place }) => place);
    expect(single).toEqual(single.toSorted());
    expect(await topPlaces(index, NOW + 1)).toEqual([]);
  });
});
