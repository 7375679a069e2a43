import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { criteriaJson } from "../../src/domain/search/query.ts";
import { StandingQuery } from "../../src/schema/subscription.ts";

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("a,b", " , ", "\u0001", "İ".repeat(21), "क़".repeat(20), ".json.json", "/p/x.md.ics?y"),
);
const lat = fc.double({ min: -90, max: 90, noNaN: true });
const lng = fc.double({ min: -180, max: 180, noNaN: true });
const moment = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom("0001-01-01T00:00:00+14:00", "0000-01-01", "9999-12-31T23:59:59.999Z", "2026-12-01"),
);
const query = fc.record(
  {
    q: text,
    kind: fc.oneof(text, fc.array(fc.constantFrom("event", "offer", "event,offer"))),
    tags: fc.oneof(text, fc.array(text, { maxLength: 25 })),
    near: fc.oneof(fc.record({ lat, lng }), fc.tuple(lat, lng).map(String)),
    radius_km: fc.double({ min: 0.1, max: 500, noNaN: true }),
    after: moment,
    before: moment,
    verified: fc.boolean(),
    publisher: text,
    thread: text,
    include_replies: fc.boolean(),
    include_syndicated: fc.boolean(),
  },
  { requiredKeys: [] },
);

describe("a standing query", () => {
  it("that is accepted is kept in a form that reads as the same query", () => {
    let accepted = 0;
    fc.assert(
      fc.property(query, (sent) => {
        const read = StandingQuery.safeParse(sent);
        if (!read.success) return;
        accepted += 1;
        const kept = criteriaJson(read.data);
        expect(criteriaJson(StandingQuery.parse(kept))).toEqual(kept);
      }),
      { numRuns: 1_000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});
