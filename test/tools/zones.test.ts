import { describe, expect, it } from "vitest";
import { call } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { prose } from "../support/boards/writing.ts";

const NOW = Date.UTC(2026, 10, 27, 12);
const board = useTestBoard({}, { clock: () => NOW });
const author = usePublisher(board, "Quiz masters");

const post = (fields: object) =>
  call(
    board,
    "POST /posts",
    { kind: "event", title: "Quiz", body: prose(), starts_at: "2026-12-12T19:00", ...fields },
    author,
  );

describe("a zone that is named by an abbreviation", () => {
  it.each([
    ["BST", { name: "Bath, England" }, "Europe/London", "2026-12-12T19:00:00.000Z"],
    ["bst", { name: "Stall 4", lat: 23.81, lng: 90.41 }, "Asia/Dhaka", "2026-12-12T13:00:00.000Z"],
    ["NZDT", { name: "Auckland" }, "Pacific/Auckland", "2026-12-12T06:00:00.000Z"],
    ["BRT", { name: "São Paulo" }, "America/Sao_Paulo", "2026-12-12T22:00:00.000Z"],
    ["IST", { name: "Kolkata" }, "Asia/Kolkata", "2026-12-12T13:30:00.000Z"],
    ["CST", { name: "Winnipeg" }, "America/Winnipeg", "2026-12-13T01:00:00.000Z"],
    ["CEST", { name: "Vienna, Austria" }, "Europe/Vienna", "2026-12-12T18:00:00.000Z"],
  ])("%s at %j is that of the place, which is said", async (timezone, location, zone, start) => {
    const { status, body } = await post({ timezone, location });
    expect([status, body.data.timezone, body.data.starts_at]).toEqual([201, zone, start]);
    expect(body.meta.note).toContain(`\`timezone\` was read as ${zone}, the zone of the place.`);
  });

  it("is said beside each field that was not read, and before them", async () => {
    const { body } = await post({ timezone: "NZDT", location: { name: "Auckland" }, colour: "red", mood: 1 });
    const told = ["`timezone` was read as Pacific/Auckland", "`colour`", "`mood`"];
    const places = told.map((text) => body.meta.note.indexOf(text));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it("is that of the place where the times have offsets too", async () => {
    const starts_at = "2026-12-12T19:00:00+01:00";
    const { body } = await post({ timezone: "CEST", location: { name: "Vienna, Austria" }, starts_at });
    expect(body.data).toMatchObject({ timezone: "Europe/Vienna", starts_at: "2026-12-12T18:00:00.000Z" });
  });

  it("is that of the day until whose end a post is shown", async () => {
    const { body } = await post({ timezone: "CET", location: { name: "Berlin" }, expires_at: "2026-12-20" });
    expect(body.data.expires_at).toBe("2026-12-20T22:59:59.999Z");
  });

  it.each([
    ["BST", "send Europe/London or Asia/Dhaka."],
    ["IST", "send Asia/Kolkata, Asia/Jerusalem, or Europe/Dublin."],
    ["NZDT", "send Pacific/Auckland."],
    ...["AST", "NST", "ART", "ECT", "CST", "PST", "ACT", "AET", "AGT", "BET", "CAT", "CNT", "CTT"].map(
      (zone): [string, string] => [zone, "Is an abbreviation, no IANA time zone: send "],
    ),
    ...["EAT", "IET", "JST", "MIT", "NET", "PLT", "PNT", "PRT", "SST", "VST"].map(
      (zone): [string, string] => [zone, "Is an abbreviation, no IANA time zone: send "],
    ),
    ["SystemV/EST5", "Must be an IANA time zone"],
    ["XYZ", "Must be an IANA time zone"],
  ])(
    "%s without a place, or far from it, is refused with the names it may mean",
    async (timezone, message) => {
      for (const location of [null, { name: "Reykjavik" }]) {
        const { status, body } = await post({ timezone, location });
        expect(status).toBe(400);
        expect(body.error.issues.map(({ path }: { path: string }) => path)).toContain("timezone");
        expect(JSON.stringify(body.error.issues)).toContain(message);
      }
    },
  );
});

describe("a zone of IANA", () => {
  it.each([
    "CET",
    "EST",
    "W-SU",
    "US/Eastern",
    "Etc/GMT+5",
    "GB-Eire",
    "America/Port-au-Prince",
    "Europe/Kyiv",
  ])("%s comes back as it is spelt, however it is sent", async (zone) => {
    for (const timezone of [zone, zone.toLowerCase(), ` ${zone.toUpperCase()} `])
      expect((await post({ timezone })).body.data.timezone).toBe(zone);
  });
});

describe("an hour with a point", () => {
  it.each([
    ["2026-12-12T19.30", "18:30:00"],
    ["2026-12-12 09.05", "08:05:00"],
    ["2026-12-12T19,30", "18:30:00"],
    ["2026-12-12T19h30", "18:30:00"],
    ["2026-12-12T19.30.15", "18:30:15"],
    ["2026-12-12T19.5", "18:30:00"],
  ])("%s is read as a clock shows it", async (written, start) => {
    const { body } = await post({ starts_at: written, timezone: "Europe/Berlin" });
    expect(body.data.starts_at).toBe(`2026-12-12T${start}.000Z`);
  });
});
