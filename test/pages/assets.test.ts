import { XMLParser } from "fast-xml-parser";
import { beforeAll, describe, expect, it } from "vitest";
import { useTestBoard } from "../support/boards/use.ts";
import { getPage } from "../support/texts/html.ts";

/** The width and height in the header of a PNG. */
function sizeOf(png: Buffer): [number, number] {
  expect(png.subarray(1, 4).toString("latin1")).toBe("PNG");
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

describe("the files that pages name", () => {
  let home: string;
  const site = "https://board.example";
  const board = useTestBoard({ SITE_URL: site });
  beforeAll(async () => {
    home = (await getPage(board, "/")).text;
  });
  const get = async (path: string) => {
    const response = await fetch(board.url + path);
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      keep: response.headers.get("cache-control"),
      body: Buffer.from(await response.arrayBuffer()),
    };
  };
  const named = (pattern: RegExp) => String(pattern.exec(home)?.[1]).replace(site, "");

  it.each([
    ["style", /rel="stylesheet" href="([^"]+)"/, "text/css; charset=utf-8"],
    ["script", /<script src="([^"]+)"/, "text/javascript; charset=utf-8"],
    ["icon", /rel="icon"[^>]* href="([^"]+)"/, "image/svg+xml; charset=utf-8"],
    ["touch icon", /rel="apple-touch-icon" href="([^"]+)"/, "image/png"],
    ["picture of link cards", /property="og:image" content="([^"]+)"/, "image/png"],
  ])("%s: with its type, kept for good, small", async (_name, pattern, type) => {
    const file = await get(named(pattern));
    expect(file).toMatchObject({ status: 200, type, keep: "public, max-age=31536000, immutable" });
    expect(file.body.length).toBeGreaterThan(100);
    expect(file.body.length).toBeLessThanOrEqual(20_000);
  });

  it("pictures have the sizes that pages tell", async () => {
    const touch = await get(named(/rel="apple-touch-icon" href="([^"]+)"/));
    expect(sizeOf(touch.body)).toEqual([180, 180]);
    const social = await get(named(/property="og:image" content="([^"]+)"/));
    const told = ["width", "height"].map((side) =>
      Number(named(new RegExp(`og:image:${side}" content="(\\d+)"`))),
    );
    expect(sizeOf(social.body)).toEqual(told);
  });

  it.each(["/favicon.ico", "/apple-touch-icon.png", "/apple-touch-icon-precomposed.png"])(
    "%s is answered, which programs ask for without reading a page",
    async (path) => {
      expect(await get(path)).toMatchObject({
        status: 200,
        type: "image/png",
        keep: "public, max-age=86400",
      });
    },
  );

  it("a description lets browsers search the board", async () => {
    const path = named(/rel="search"[^>]* href="([^"]+)"/);
    const file = await get(path);
    expect(file.type).toBe("application/opensearchdescription+xml");
    expect(file.keep).toBe("public, max-age=86400");
    const parser = new XMLParser({ ignoreAttributes: false });
    const { OpenSearchDescription: description } = parser.parse(file.body.toString(), true);
    expect(description.ShortName.length).toBeLessThanOrEqual(16);
    const [pages] = description.Url;
    const address = String(pages["@_template"]).replace("{searchTerms}", "jazz").replace(site, "");
    expect((await getPage(board, address)).status).toBe(200);
  });
});
