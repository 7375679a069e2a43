import { describe, expect, it } from "vitest";
import { call } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { prose, titles, write } from "../support/boards/writing.ts";

describe("a post with the name of a place alone", () => {
  const board = useTestBoard({}, { clock: () => Date.UTC(2026, 11, 1) });
  const me = usePublisher(board);

  const placeOf = async (location: unknown, over: object = {}) =>
    (await write(board, me.key, { location, ...over })).location;
  const roughly = (name: string, lat: number, lng: number) => ({
    name,
    lat: expect.closeTo(lat, 1),
    lng: expect.closeTo(lng, 1),
    approximate: true,
  });

  it("gets the coordinates of the place that the name means without doubt, and is found near it", async () => {
    expect(await placeOf("Berlin")).toEqual(roughly("Berlin", 52.52, 13.41));
    expect(await placeOf({ name: "Kreuzberg, Berlin" })).toEqual(roughly("Kreuzberg, Berlin", 52.5, 13.39));
    expect(await placeOf("Paris, Texas")).toEqual(roughly("Paris, Texas", 33.66, -95.56));
    expect(await placeOf("Café Kino, Leipzig")).toEqual(roughly("Café Kino, Leipzig", 51.34, 12.38));
    expect(await placeOf("東京")).toEqual(roughly("東京", 35.69, 139.69));
    await write(board, me.key, { title: "A choir", location: "Ljubljana" });
    expect(await titles(board, "/search?near=46.05,14.51&radius_km=5")).toEqual(["A choir"]);
    expect(await titles(board, "/search?near=Ljubljana&radius_km=1")).toEqual(["A choir"]);
  });

  it.each([
    ["Canterbury, Kent", 51.28, 1.08],
    ["Graefestr. 12, 10967 Berlin", 52.52, 13.41],
    ["London SE15", 51.51, -0.13],
    ["Zürich HB", 47.37, 8.55],
    ["Berlin Kreuzberg", 52.5, 13.4],
    ["Kino, Temple", 31.1, -97.3],
  ])("finds the town within %s", async (name, lat, lng) => {
    expect(await placeOf(name)).toEqual(roughly(name, lat, lng));
  });

  it.each([
    "London Road",
    "Bavaria",
    "Springfield",
    "Home",
    "Online",
    "Germany",
    "Lisbon / Porto",
    "Vienna, Lima",
  ])("gets none for %s", async (name) => {
    expect(await placeOf(name)).toEqual({ name, lat: null, lng: null });
  });

  it("gets none where the clock is another than the post's", async () => {
    const timezone = "America/New_York";
    expect(await placeOf("Berlin", { timezone })).toEqual({ name: "Berlin", lat: null, lng: null });
    expect(await placeOf("Boston", { timezone })).toEqual(roughly("Boston", 42.36, -71.06));
  });

  it.each([
    ["Bali", -8.4, 115.15, "Asia/Makassar", "2026-12-05T09:00:00+08:00"],
    ["Tenerife", 28.27, -16.61, "Atlantic/Canary", "2026-12-05T09:00:00+00:00"],
  ])("gets the middle of %s, and its clock for local times", async (name, lat, lng, zone, at) => {
    const post = await write(board, me.key, { location: name, kind: "event", starts_at: "2026-12-05T09:00" });
    expect(post.location).toEqual(roughly(name, lat, lng));
    expect([zone, Date.parse(post.starts_at)]).toEqual([zone, Date.parse(at)]);
    expect(await titles(board, `/search?near=${name}&kind=event`)).toContain(post.title);
  });

  it("is placed by its clock where several places bear its name", async () => {
    const at = (timezone: string) => placeOf("Valencia", { timezone });
    expect(await at("Europe/Madrid")).toEqual(roughly("Valencia", 39.47, -0.38));
    expect(await at("America/Caracas")).toEqual(roughly("Valencia", 10.16, -68.0));
    expect(await at("Asia/Tokyo")).toEqual({ name: "Valencia", lat: null, lng: null });
  });

  it("compares the clocks at the start of the post, and by the zone that is sent with the place", async () => {
    // Helsinki has the clock of Moscow in summer alone.
    const in2027 = (month: string) => `2027-${month}-01T12:00:00Z`;
    const [summer, winter] = [{ starts_at: in2027("07") }, { starts_at: in2027("01") }];
    const moscow = { timezone: "Europe/Moscow" };
    expect(await placeOf("Helsinki", { ...moscow, ...summer })).toEqual(roughly("Helsinki", 60.17, 24.94));
    expect((await placeOf("Helsinki", { ...moscow, ...winter })).lat).toBeNull();
    const { id } = await write(board, me.key, { ...winter, timezone: "Europe/Helsinki" });
    const edited = async (patch: object) =>
      (await call(board, `PATCH /posts/${id}`, { location: { name: "Helsinki" }, ...patch }, me)).body.data
        .location.lat;
    expect(await edited({})).not.toBeNull();
    expect(await edited(moscow)).toBeNull();
    expect(await edited({})).toBeNull();
    expect(await edited(summer)).not.toBeNull();
    expect(await edited({ starts_at: null })).toBeNull();
    expect(await edited({ ...winter, timezone: null })).not.toBeNull();
  });

  it("keeps the publisher's own coordinates", async () => {
    const own = { name: "Berlin", lat: 52.4, lng: 13.1 };
    expect(await placeOf(own)).toEqual(own);
  });

  it("says where it was put, or that the name is unclear, with the call that corrects it", async () => {
    const noteOn = async (location: string) => {
      const sent = { kind: "offer", title: "A room", body: prose(), location };
      const { body } = await call(board, "POST /posts", sent, me);
      return { id: body.data.id, note: body.meta.note ?? "" };
    };
    const berlin = await noteOn("Berlin");
    expect(berlin.note).toMatch(/^`near` finds this post at Berlin, Germany \(52\.5\d*,13\.4\d*\), by the /);
    expect(berlin.note).toContain(
      `, by the name of its place; if another place is meant, send \`lat\` and \`lng\`: PATCH /posts/${berlin.id}.`,
    );
    for (const [name, why] of [
      ["Springfield", "several places bear this name; send its region too, or"],
      ["The old mill", 'the name of its place is not known; send the town too (as in "Oost, Amsterdam"), or'],
      [
        "Bavaria",
        'the name of its place is that of a country or region; send the town too (as in "Oost, Amsterdam"), or',
      ],
    ] as const) {
      const { id, note } = await noteOn(name);
      expect(note).toBe(
        `\`near\` does not find this post, since ${why} \`lat\` and \`lng\`: PATCH /posts/${id}.`,
      );
    }
    expect((await noteOn("Liepzig")).note).toContain(
      "since the name of its place is not known (perhaps Leipzig, Germany); send",
    );
    const nowhere =
      "Online; Remote; virtual; Anywhere; worldwide; everywhere; Zoom; Internet; on the web; a video call";
    for (const name of nowhere.split("; ")) expect((await noteOn(name)).note, name).toBe("");
  });

  it.each([
    [
      "Berlin",
      13.4,
      52.52,
      /^`near` finds this post at 13\.4,52\.52, \d+ km from Berlin, Germany, which its place names, as if `lat` and `lng` were exchanged; if that is not meant, correct them: PATCH \/posts\/\w+\.$/,
    ],
    ["Mission Bay, Auckland", 36.85, 174.76, /km from /],
    ["Praça da Sé, São Paulo", -23.55, 46.63, /km from São Paulo/],
    ["Salt Lake, Kolkata", 88.4, 22.58, /exchanged/],
    ["Berlin", 52.4, 13.1, null],
    // A thousand kilometres are far.
    ["Berlin", 43.6, 13.4, null],
    ["Berlin", 43.4, 13.4, /1015 km from/],
    // The Alps are near enough to Milan; a Birmingham and a Paris lie in America too.
    ["Milano", 47.1, 11.4, null],
    ["Birmingham", 33.52, -86.8, null],
    ["Café Kino, Paris", 33.66, -95.56, null],
    ["Online", 13.4, 52.52, null],
    ["The old mill", 13.4, 52.52, null],
  ])("is told where %s is not at %s, %s", async (name, lat, lng, told) => {
    const location = { name, lat, lng };
    const posted = await call(board, "POST /posts", { title: "A room", body: prose(), location }, me);
    const edited = await write(board, me.key, { location: "Berlin" });
    const moved = await call(board, `PATCH /posts/${edited.id}`, { location }, me);
    for (const { body } of [posted, moved]) {
      expect(body.data.location).toEqual(location);
      if (told === null) expect(body.meta.note ?? "").not.toContain("km from");
      else expect(body.meta.note).toMatch(told);
    }
  });

  it.each([
    ["52.5,13.4", null],
    [{ type: "Point", coordinates: [13.4, 52.5] }, null],
    [
      {
        type: "Feature",
        geometry: { type: "Point", coordinates: [13.4, 52.5] },
        properties: { name: "Hall" },
      },
      "Hall",
    ],
    [{ name: "Hall", latitude: 52.5, longitude: 13.4 }, "Hall"],
    ['{"name":"Hall","lat":52.5,"lon":13.4}', "Hall"],
    [{ lat: 52.5, longitude: 13.4 }, null],
    [{ latitude: "52.5", lng: 13.4 }, null],
  ])("is read, new and edited, as the point it is: %j", async (location, name) => {
    const point = { name, lat: 52.5, lng: 13.4 };
    expect(await placeOf(location)).toEqual(point);
    const { id } = await write(board, me.key, { location: "Lyon" });
    const { body } = await call(board, `PATCH /posts/${id}`, { location }, me);
    expect(body.data.location).toEqual(point);
  });

  it.each([
    [{ name: "Hall", latitude: 52.5 }, "location.latitude", "`lat`"],
    [{ naem: "Hall", lat: 52.5, lng: 13.4 }, "location.naem", "`name`"],
  ])("is refused, new and edited, with what was meant: %j", async (location, path, meant) => {
    const { id } = await write(board, me.key, { location: "Lyon" });
    for (const place of ["POST /posts", `PATCH /posts/${id}`] as const) {
      const { status, body } = await call(board, place, { title: "A room", body: prose(), location }, me);
      const issue = body.error?.issues.find((one: { path: string }) => one.path === path);
      expect([status, issue?.message]).toEqual([400, expect.stringContaining(meant)]);
    }
    expect((await call(board, `GET /posts/${id}`)).body.data.location.name).toBe("Lyon");
  });

  it("moves when its place's name changes, and stays when something else does", async () => {
    const { id } = await write(board, me.key, { location: "Berlin" });
    const edit = async (patch: object) => (await call(board, `PATCH /posts/${id}`, patch, me)).body;
    expect((await edit({ title: "Another" })).data.location).toEqual(roughly("Berlin", 52.52, 13.41));
    const { data, meta } = await edit({ location: { name: "Lyon" } });
    expect(data.location).toEqual(roughly("Lyon", 45.75, 4.85));
    expect(meta.note).toContain("at Lyon, France");
    expect((await edit({ location: { name: "Lyon", lat: 45.8, lng: 4.9 } })).data.location).toEqual({
      name: "Lyon",
      lat: 45.8,
      lng: 4.9,
    });
    expect((await edit({ location: { name: "The old mill" } })).data.location.lat).toBeNull();
    expect((await call(board, `GET /posts/${id}`)).body.data.location).not.toHaveProperty("approximate");
  });
});
