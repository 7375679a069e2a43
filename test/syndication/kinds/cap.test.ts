import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FeedError } from "../../../src/syndication/item.ts";
import { iso, parsed } from "../../support/syndication/parsed-feeds.ts";
import { file, folder, inputs, read, titles } from "../../support/syndication/utc-feeds.ts";

describe("an alert", () => {
  it("has the warnings that hold now, in English where it has them, and all their areas", () => {
    const [input] = inputs(file("12-two-infos.cap.xml", "cap"));
    expect(input).toMatchObject({
      title: "Wind warning",
      body: "Wind warning, in detail.\n\nSnow warning\n\nSnow warning, in detail.",
      location: { name: "Coast; Hills" },
      expires_at: Date.UTC(2026, 11, 21),
    });
    expect(titles(file("12b-first-info-past.cap.xml", "cap"))).toEqual(["Wind on Sunday"]);
    const text = readFileSync(join(folder, "12-two-infos.cap.xml"), "utf8");
    expect(titles(read(text.replaceAll("en-GB", "pt-BR"), { kind: "cap" }))).toEqual(["Aviso de viento"]);
  });

  it("in an Atom feed has its link", () => {
    const text = readFileSync(join(folder, "14b-message-type.atom.xml"), "utf8").replace(
      ">Cancel<",
      ">Alert<",
    );
    for (const kind of ["cap", "atom", "rss"] as const)
      expect(inputs(read(text, { kind }))[0], kind).toMatchObject({
        url: "https://hub.example.org/1",
        location: { name: "Lowlands" },
      });
  });
});

const alert = (...infos: string[]) =>
  parsed(
    "cap",
    `<?xml version="1.0"?><alert xmlns="urn:oasis:names:tc:emergency:cap:1.2"><identifier>a1</identifier><sender>s</sender><status>Actual</status><msgType>Alert</msgType>${infos.map((info) => `<info>${info}</info>`).join("")}</alert>`,
  ).items[0];

describe("alerts", () => {
  it("an alert has its area, its severity and its advice", () => {
    const area = "<areaDesc>Coast</areaDesc><polygon>54,8 54,10 56,10 56,8</polygon>";
    const info = `<event>Storm</event><headline>Storm warning</headline><severity>Severe</severity><category>Met</category><description>Wind.</description><instruction>Stay in.</instruction><area>${area}</area>`;
    expect(alert(info)).toMatchObject({
      id: "a1",
      title: "Storm warning",
      body: "Wind.\n\nStay in.",
      tags: ["Met", "Severe"],
      place: { name: "Coast", lat: 55, lng: 9 },
    });
  });

  it.each([
    [["23T10:00", "24T10:00"], "Warning 0", "2026-11-24T10:00"],
    [["24T10:00", "23T10:00"], "Warning 0", "2026-11-24T10:00"],
    [["23T10:00", ""], "Warning 0", null],
    // It is the 22nd, noon.
    [["22T12:00", "23T10:00"], "Warning 0", "2026-11-23T10:00"],
    [["22T11:59", "23T10:00"], "Warning 1", "2026-11-23T10:00"],
    [["22T11:58", "22T11:59"], "Warning 0", "2026-11-22T11:59"],
  ])("of warnings until %j, those that hold count, until the last one ends", (ends, title, end) => {
    const infos = ends.map(
      (at, n) => `<headline>Warning ${n}</headline>${at && `<expires>2026-11-${at}:00+00:00</expires>`}`,
    );
    const item = alert(...infos);
    expect([item?.title, iso(item?.expiresAt)?.slice(0, 16) ?? null]).toEqual([title, end]);
  });

  it("other documents are refused", () => {
    for (const text of ["<html></html>", "<alert><"]) expect(() => parsed("cap", text)).toThrow(FeedError);
  });
});
