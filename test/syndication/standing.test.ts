import { describe, expect, it } from "vitest";
import type { Entries } from "../../src/syndication/entries.ts";
import { isCalledOff, standingOf } from "../../src/syndication/standing.ts";
import { calendar, event, file, inputs, read, rows } from "../support/syndication/utc-feeds.ts";

describe("words of a feed", () => {
  const OFF =
    "cancel cancelled canceled cancellation postponed deleted removed withdrawn abgesagt annulé annulée annuliert annulliert annullato annullata annulled cancelado " +
    "cancelada anulado anulada geannuleerd aflyst inställd avlyst test exercise system draft error ack restricted private confidential EventCancelled " +
    "https://schema.org/EventPostponed CANCELLED!";

  it("call an entry off as its status, and only whole", () => {
    for (const word of OFF.split(" ")) expect([word, isCalledOff({ status: word })]).toEqual([word, true]);
    for (const word of [
      "testing",
      "actual",
      "public",
      "confirmed",
      "systematic",
      "2test",
      "cancels",
      "drafts",
      "private7",
      "acknowledged",
    ])
      expect([word, isCalledOff({ status: word })]).toEqual([word, false]);
  });

  it("stand in these fields", () => {
    for (const name of "status eventStatus event_status msgType messageType MESSAGE_TYPE scope class visibility".split(
      " ",
    ))
      expect([
        name,
        isCalledOff({ [name]: "test" }),
        standingOf({ [name]: "EventTentative" }).metadata,
      ]).toEqual([name, true, { status: "tentative" }]);
    expect([isCalledOff({ state: "test" }), standingOf({ status: "tentatively" }).metadata]).toEqual([
      false,
      {},
    ]);
    expect(standingOf({ class: "https://schema.org/Provisional" }).metadata).toEqual({ status: "tentative" });
  });

  it("call it off where a field of that name is set", () => {
    const names =
      "cancelled canceled isCancelled is_deleted removed withdrawn postponed private isPrivate cancelled_at canceledOn deleted_at deletedOn removedAt removed_on";
    for (const name of names.split(" ")) {
      for (const value of [true, "yes", 1, "2026-11-01"])
        expect([name, value, isCalledOff({ [name]: value })]).toEqual([name, value, true]);
      for (const value of [false, "false", "No ", "n", "0", 0, "null", "none", "", null])
        expect([name, value, isCalledOff({ [name]: value })]).toEqual([name, value, false]);
    }
    for (const name of ["privateAt", "deletedBy", "removal", "hasCancelled", "test"])
      expect([name, isCalledOff({ [name]: true })]).toEqual([name, false]);
  });
});

describe("a calendar's events", () => {
  it("are tentative where they are", () => {
    const statusOf = (found: Entries) => inputs(found).map(({ metadata }) => metadata?.["status"]);
    expect(statusOf(file("09-tentative.ics"))).toEqual(["tentative"]);
    const all = ["tentative", "Provisional (hall)", "EventTentative", "confirmed"].map((status) => ({
      status,
    }));
    expect(statusOf(read(rows(...all), { kind: "jsonl" }))).toEqual([
      ...Array(3).fill("tentative"),
      undefined,
    ]);
  });
});

describe("what is called off, a test or an error is withdrawn", () => {
  it.each([
    ["14-error.cap.xml", "cap"],
    ["13-restricted.cap.xml", "cap"],
    ["14b-message-type.atom.xml", "cap"],
    ["18-cancelled.jsonl", "jsonl"],
  ] as const)("%s", (name, kind) => {
    const { entries, withdrawn, present, over } = file(name, kind);
    expect([entries, withdrawn, over]).toEqual([[], present, 0]);
    expect(present.length).toBeGreaterThan(0);
  });

  const WORDS =
    "cancel canceled cancelled cancellation postponed deleted removed withdrawn test Exercise system draft error Ack restricted private confidential " +
    "abgesagt annulé annulée annulliert annullato annulled cancelado cancelada anulado geannuleerd aflyst inställd avlyst";
  const FLAGS = "cancelled canceled deleted removed withdrawn postponed private";
  const MOMENTS = "cancelled_at canceledOn deleted_on removed_at";
  const OFF: object[] = [
    ...WORDS.split(" ").map((status) => ({ status })),
    ...FLAGS.split(" ").flatMap((name) => [{ [name]: "TRUE" }, { [`is_${name}`]: 1 }]),
    ...MOMENTS.split(" ").map((name) => ({ [name]: "2026-11-01" })),
    { Status: "CANCELLED (ice)" },
    { eventStatus: "https://schema.org/EventPostponed" },
    { event_status: "EventCancelled" },
    { messageType: "Cancel" },
    { msgType: "Ack" },
    { scope: "Private" },
    { status: "Cancelled", start: "TBD" },
  ];
  const ON = [
    { status: "confirmed" },
    { cancelled: "false" },
    { is_private: "0" },
    { cancelled: false, deleted: null },
    { status: "Actual", messageType: "Update", scope: "Public" },
    { eventStatus: "https://schema.org/EventRescheduled" },
    { status: "testing ground open" },
    { cancelled: "" },
    { body: "cancelled" },
  ];

  it.each(["jsonl", "geojson"] as const)("in %s, however it says so", (kind) => {
    const one = (fields: object) => {
      const properties = { title: "Fair", id: "1", start: "2026-12-12T10:00Z", ...fields };
      return read(
        kind === "jsonl" ? JSON.stringify(properties) : JSON.stringify({ type: "Feature", properties }),
        { kind },
      );
    };
    for (const fields of OFF) expect([fields, one(fields).withdrawn]).toEqual([fields, ["1"]]);
    for (const fields of ON) expect([fields, one(fields).entries.length]).toEqual([fields, 1]);
  });

  it("in calendars", () => {
    const lines = event("DTSTART:20261212T180000Z");
    for (const line of ["STATUS:CANCELED", "STATUS:Cancelled", "CLASS:CONFIDENTIAL"])
      expect(read(calendar(...lines.toSpliced(-1, 0, line))).withdrawn).toEqual(["a@x"]);
    const series = event("DTSTART:20261212T180000Z", "RRULE:FREQ=DAILY;COUNT=2", "CLASS:PRIVATE");
    const moved = event("DTSTART:20261213T190000Z", "RECURRENCE-ID:20261213T180000Z");
    const { entries, withdrawn } = read(calendar(...series, ...moved));
    expect([entries, withdrawn.length]).toEqual([[], 2]);
    expect(read(calendar("METHOD:CANCEL", ...lines)).withdrawn).toEqual(["a@x"]);
    expect(read(calendar("METHOD:PUBLISH", ...lines)).withdrawn).toEqual([]);
  });

  it("in weather, where an update replaces what it names, and ends with its storm", () => {
    const found = file("16-weather.geojson", "geojson");
    expect(found.withdrawn).toEqual(["w1", "w2"]);
    expect(inputs(found)).toMatchObject([
      { title: "Snow storm", body: "Heavy snow.\n\nStay at home.", location: { name: "North shore" } },
    ]);
    expect(inputs(found)[0]).not.toHaveProperty("expires_at");
    const feature = (id: string, more: object) => ({
      type: "Feature",
      id,
      properties: { headline: id, ...more },
    });
    const references = [{ "@id": "https://a.example/1", identifier: "urn:1" }];
    const update = { messageType: "Update", references, expires: "2026-12-01T00:00Z" };
    const features = [feature("https://a.example/1", {}), feature("https://a.example/2", update)];
    const { withdrawn, entries } = read(JSON.stringify({ type: "FeatureCollection", features }), {
      kind: "geojson",
    });
    expect([withdrawn, entries.map(({ id }) => id)]).toEqual([
      ["https://a.example/1"],
      ["https://a.example/2"],
    ]);
    expect(entries[0]?.input.expires_at).toBe(Date.UTC(2026, 11, 1));
  });
});

describe("rows and news as publishers write them", () => {
  const ANY_TEST = ["Test", "Exercise", "System", "Draft"].flatMap((status) =>
    ["Update", "Cancel"].map((type) => [status, type, "Public", "a", ["a", "b"]] as const),
  );
  it.each([
    ["Actual", "Alert", "Public", "a", ["a", "b", "c"]],
    ["Actual", "Update", "Public", "a", ["b", "c"]],
    ["Actual", "Update", "Public", "a b", ["c"]],
    ["Actual", "Cancel", "Public", "b", ["a"]],
    ["Actual", "Update", "Private", "a", ["a", "b"]],
    ...ANY_TEST,
  ] as const)("an alert that is %s, %s and %s, and names %s of a and b, leaves %j", (...given) => {
    const [status, type, scope, named, left] = given;
    const alert = (id: string, of: readonly string[], references = "") =>
      `<alert><identifier>${id}</identifier><sender>s</sender><status>${of[0]}</status><msgType>${of[1]}</msgType><scope>${of[2]}</scope>${references}<info><headline>Storm ${id}</headline></info></alert>`;
    const references = named.replace(/\w/g, "s,$&,2026-11-27T10:00:00+00:00");
    const alerts = ["a", "b"].map((id) => alert(id, ["Actual", "Alert", "Public"]));
    alerts.push(alert("c", [status, type, scope], `<references>${references}</references>`));
    const { entries } = read(`<alerts>${alerts.join("")}</alerts>`, { kind: "cap" });
    expect(entries.map(({ id }) => id)).toEqual(left);
  });
});
