import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boxAround, distanceKm, inBox } from "../../../src/search/ranking/distance.ts";

const point = fc.record({
  lat: fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 89.99, 90)),
  lng: fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 179.999, 180)),
});

describe("distanceKm", () => {
  it("knows some distances", () => {
    expect(distanceKm({ lat: 52.52, lng: 13.405 }, { lat: 48.8566, lng: 2.3522 })).toBeCloseTo(877.46, 1);
    expect(distanceKm({ lat: 0, lng: 0 }, { lat: 0, lng: 180 })).toBeCloseTo(20015.11, 1);
  });

  it("is small across the antimeridian and around a pole", () => {
    expect(distanceKm({ lat: 0, lng: 179.9 }, { lat: 0, lng: -179.9 })).toBeCloseTo(22.24, 1);
    expect(distanceKm({ lat: 89.9, lng: 0 }, { lat: 89.9, lng: 180 })).toBeCloseTo(22.24, 1);
    expect(distanceKm({ lat: 90, lng: -70 }, { lat: 90, lng: 110 })).toBeCloseTo(0, 6);
  });
});

describe("boxAround", () => {
  it("holds every point within the radius", () => {
    const nearby = fc.tuple(
      point,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 6.29, noNaN: true }),
    );
    fc.assert(
      fc.property(
        nearby,
        fc.double({ min: 0.1, max: 5000, noNaN: true }),
        ([center, share, bearing], radiusKm) => {
          const other = destination(center, share * radiusKm, bearing);
          fc.pre(distanceKm(center, other) <= radiusKm);
          expect(inBox(boxAround(center, radiusKm), other.lat, other.lng)).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("is small: a corner of it is at most 1.5 times as far as the radius, away from the poles", () => {
    const box = boxAround({ lat: 50, lng: 179.9 }, 25);
    expect(box.west).toBeGreaterThan(box.east);
    expect(distanceKm({ lat: 50, lng: 179.9 }, { lat: box.north, lng: box.east })).toBeLessThan(37.5);
  });
});

/** The point reached from another one over a great circle. */
function destination(from: { lat: number; lng: number }, km: number, bearing: number) {
  const angle = km / 6371.0088;
  const lat1 = (from.lat * Math.PI) / 180;
  const lat2 = Math.asin(
    Math.max(
      -1,
      Math.min(1, Math.sin(lat1) * Math.cos(angle) + Math.cos(lat1) * Math.sin(angle) * Math.cos(bearing)),
    ),
  );
  const turn = Math.atan2(
    Math.sin(bearing) * Math.sin(angle) * Math.cos(lat1),
    Math.cos(angle) - Math.sin(lat1) * Math.sin(lat2),
  );
  const lng = from.lng + (turn * 180) / Math.PI;
  return { lat: (lat2 * 180) / Math.PI, lng: ((lng + 540) % 360) - 180 };
}
