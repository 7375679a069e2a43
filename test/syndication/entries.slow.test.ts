import { describe, expect, it } from "vitest";
import { entriesOf } from "../../src/syndication/entries.ts";
import { aFeedOf } from "../support/boards/feed-source.ts";
import { NOW, read, readRows, shown } from "../support/syndication/berlin-feeds.ts";

it("entries of one id are as many as differ in title, or else in start or address", () => {
  const course = (start: string) => ({ id: "c", title: "Course", start });
  const note = (title: string, url: string) => ({ id: "n", title, url });
  const found = readRows(
    ...["2026-12-10T10:00Z", "2026-12-17T10:00Z", "2026-12-10T10:00Z"].map(course),
    ...["https://a.example/1", "https://a.example/2"].map((url) => note("Note", url)),
    note("Other note", "https://a.example/1"),
    { id: "s", title: "Said twice" },
    { id: "s", title: "Said twice" },
  );
  const [first, second] = [Date.UTC(2026, 11, 10, 10), Date.UTC(2026, 11, 17, 10)];
  const ids = [
    "n Note https://a.example/1",
    "n Note https://a.example/2",
    "n Other note https://a.example/1",
    "s",
    `c Course ${first}`,
    `c Course ${second}`,
  ];
  expect(found.entries.map(({ id }) => id)).toEqual(ids);
  expect(found.entries.map(({ input }) => input.metadata?.["source_id"])).toEqual(ids);
  expect(found.present.sort()).toEqual([...ids].sort());
});

describe("rows", () => {
  it("of one id are told apart by their titles and addresses", () => {
    const items = ["One a", "Two a", "Two a", "Two b"].map((item) => item.split(" "));
    const text = items.map(
      ([title, page]) =>
        `<item><guid isPermaLink="false">x</guid><title>${title}</title><link>https://a.example/${page}</link></item>`,
    );
    const found = read(`<rss version="2.0"><channel>${text.join("")}</channel></rss>`, { kind: "rss" });
    expect(shown(found)).toEqual(["One", "Two", "Two"]);
  });

  it("are posted up to a thousand", () => {
    const later = Array.from({ length: 999 }, (_, n) => ({ id: `${n}`, title: "T", start: NOW + 2e9 - n }));
    const [last, undated] = [
      { id: "last", title: "T", start: NOW + 3e9 },
      { id: "undated", title: "T" },
    ];
    expect(readRows(last, ...later)).toMatchObject({ entries: { length: 1_000 }, left: 0 });
    const { entries, left } = readRows(last, ...later, undated);
    // Those that begin soonest; what has no start is there already.
    expect([left, entries.length, entries[0]?.id, entries[1]?.id]).toEqual([1, 1_000, "undated", "998"]);
    expect(entries.some(({ id }) => id === "last")).toBe(false);
  });

  it("that cannot be read are named up to the twentieth, and counted", () => {
    const bad = (count: number) =>
      readRows(...Array.from({ length: count }, (_, n) => ({ id: `${n}`, title: "T", start: "TBD" })))
        .refused;
    expect([bad(20).length, bad(20).at(-1)]).toEqual([20, expect.stringContaining("Entry 20")]);
    expect([bad(22).length, bad(22).at(-1)]).toEqual([21, "and 2 more"]);
  });
});

describe("letters", () => {
  const café = (encoding = "utf-8") =>
    `<?xml version="1.0" encoding="${encoding}"?><rss version="2.0"><channel><item><title>Café</title><guid>1</guid></item></channel></rss>`;
  const [utf8, latin1] = [(text: string) => Buffer.from(text), (text: string) => Buffer.from(text, "latin1")];
  const marked = (text: string) => `\uFEFF${text}`;
  it.each([
    ["XML", latin1(café("iso-8859-1")), ""],
    ["the header, before XML", utf8(café("iso-8859-1")), 'text/xml; charset="utf-8"'],
    ["the header", latin1(café()), "text/xml; charset=iso-8859-1"],
    ["a mark, before both", utf8(marked(café("iso-8859-1"))), "text/xml; charset=iso-8859-1"],
    ["a mark", Buffer.from(marked(café("utf-16")), "utf16le"), "text/xml"],
    ["XML, where the header names none that there is", latin1(café("iso-8859-1")), "text/xml; charset=ours"],
    ["nothing", utf8(café().replace(/<\?.*\?>/, "")), "text/xml"],
  ])("are read by the charset that is named by %s", (_by, bytes, contentType) => {
    const { entries } = entriesOf({ bytes, contentType }, aFeedOf({ kind: "rss" }), NOW);
    expect(entries.map(({ input }) => input.title)).toEqual(["Café"]);
  });
});
