import { describe, expect, it } from "vitest";
import { parsed } from "../../support/syndication/parsed-feeds.ts";

describe("GeoJSON and JSON Lines", () => {
  it("a feature has the middle of its geometry for a place; times may be numbers", () => {
    const quake = `"properties":{"title":"M 4.5","place":"10 km N of Town","url":"https://example.org/q1","start":1796000000000}`;
    const works = `"geometry":{"type":"Polygon","coordinates":[[[0,0],[2,0],[2,2],[0,2],[0,0]]]}`;
    const text = `{"type":"FeatureCollection","features":[
      {"type":"Feature","id":"q1",${quake},"geometry":{"type":"Point","coordinates":[13.4,52.5,7]}},
      {"type":"Feature","properties":{"name":"Works"},${works}},
      {"type":"Feature","properties":null,"geometry":null}]}`;
    const { items, unread } = parsed("geojson", text);
    expect(items.map(({ id, place }) => [id, place])).toEqual([
      ["q1", { name: "10 km N of Town", lat: 52.5, lng: 13.4 }],
      ["Works", { name: null, lat: 1, lng: 1 }],
    ]);
    expect(items[0]?.startsAt).toBe(1796000000000);
    expect(unread).toHaveLength(1);
  });
});
