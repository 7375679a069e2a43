import { describe, expect, it } from "vitest";
import { call, eventually, register } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { write } from "../support/boards/writing.ts";

describe("what a query asks in words", () => {
  const board = useTestBoard();
  const me = usePublisher(board);
  const titles = (posts: { title: string }[]) => posts.map(({ title }) => title);
  const search = async (q: string) => {
    const { body } = await call(board, `GET /search?q=${encodeURIComponent(q)}`);
    return { titles: titles(body.data), note: body.meta.note as string | undefined, posts: body.data };
  };
  const save = async (q: string) => {
    const owner = await register(board, "Reader");
    const { body } = await call(board, "POST /subscriptions", { query: { q } }, owner);
    const told = async () =>
      titles((await call(board, `GET /subscriptions/${body.data.id}/pending`, undefined, owner)).body.data);
    return { told, note: body.meta.note as string };
  };

  it("puts other prices behind, tells no owner of them, and leaves posts without a price alone", async () => {
    const saved = await save("zebrawood desk under 900 €");
    expect(saved.note).toContain(
      "Read “under 900 €” as a price up to 900 EUR: posts that name other prices only are not told of",
    );
    await write(board, me.key, { title: "Zebrawood desk", body: "1.250 EUR" });
    await write(board, me.key, { title: "Zebrawood desk with drawers", body: "Was 1.400 EUR, now 890 EUR" });
    await write(board, me.key, { title: "Zebrawood desk from a school", body: "Make an offer" });
    const found = await search("zebrawood desk under 900 €");
    expect(found.titles.at(-1)).toBe("Zebrawood desk");
    expect(found.titles).toHaveLength(3);
    expect(found.posts.map(({ relevance }: { relevance: number }) => relevance)).toEqual(
      found.posts
        .map(({ relevance }: { relevance: number }) => relevance)
        .sort((a: number, b: number) => b - a),
    );
    expect(found.note).toContain("as a price up to 900 EUR: posts that name other prices only rank lower.");
    const told = await eventually(saved.told, (all) => all.length === 2);
    expect(told.sort()).toEqual(["Zebrawood desk from a school", "Zebrawood desk with drawers"]);
  });

  it("puts what is not wanted behind where the body or a tag has it, too", async () => {
    const title = "Sackbut tuition";
    const fitting = await write(board, me.key, { title, body: "At the town hall." });
    const inBody = await write(board, me.key, { title, body: "At the town hall or online." });
    const inTag = await write(board, me.key, { title, body: "At the town hall!", tags: ["online"] });
    for (const not of ["not", "NOT", "Without", "but not", "no", "except", "OHNE"]) {
      const { posts } = await search(`sackbut tuition, ${not} online`);
      const relevanceOf = ({ id }: { id: string }) =>
        posts.find((post: { id: string }) => post.id === id).relevance;
      expect(relevanceOf(fitting) - relevanceOf(inBody), not).toBeGreaterThan(0.3);
      expect(relevanceOf(fitting) - relevanceOf(inTag), not).toBeGreaterThan(0.3);
    }
  });

  it("puts what is not wanted behind, and tells no owner of it where a title has it", async () => {
    const saved = await save("ocarina lessons, not online");
    expect(saved.note).toContain(
      "Read “online” as not wanted: posts with it in the title are not told of; `-online`",
    );
    await write(board, me.key, { title: "Ocarina lessons online", body: "Each Monday." });
    await write(board, me.key, { title: "Ocarina lessons", body: "At the library, and online." });
    await write(board, me.key, { title: "Ocarina lessons, not online", body: "Each Friday, in town." });
    const found = await search("ocarina lessons, not online");
    expect(found.titles[0]).toBe("Ocarina lessons, not online");
    expect(found.titles).toHaveLength(3);
    expect(found.note).toContain(
      "Read “online” as not wanted: posts with it rank lower; `-online` leaves out",
    );
    const told = await eventually(saved.told, (all) => all.length === 2);
    expect(told.sort()).toEqual(["Ocarina lessons", "Ocarina lessons, not online"]);
  });
});
