import { describe, expect, it } from "vitest";
import { call, register } from "../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../support/boards/use.ts";
import { found, titles, write } from "../support/boards/writing.ts";

describe("a search for the name of a publisher", () => {
  const board = useTestBoard({ EMBEDDINGS: "off" });
  const kestrel = usePublisher(board, "Kestrel Repairs");
  const other = usePublisher(board, "Élan Vélo");
  const search = (q: string, more = "") => `/search?q=${encodeURIComponent(q)}${more}`;

  it("finds its posts, behind those that have the words, in any case of letters", async () => {
    for (const title of ["Puncture repair", "Chain and brakes"])
      await write(board, kestrel.key, { title, body: `${title} while you wait.` });
    await write(board, other.key, { title: "A kestrel over the meadow", body: "Seen at noon." });
    await write(board, other.key, { title: "Choir", body: "We sing." });
    const theirs = ["Chain and brakes", "Puncture repair"];
    for (const q of ["kestrel", "KESTREL", "Kestrel"]) {
      const shown = await titles(board, search(q));
      expect(shown[0], q).toBe("A kestrel over the meadow");
      expect(shown.slice(1).sort(), q).toEqual(theirs);
    }
    for (const q of ["kestrel repairs", "posts by Kestrel Repairs", "von Kestrel Repairs"]) {
      const posts = await found(board, search(q));
      expect(posts.filter(({ publisher }) => publisher.id === kestrel.id).length, q).toBe(2);
      expect(
        posts.some(({ weak }) => weak === true),
        q,
      ).toBe(false);
    }
    expect((await titles(board, search("élan"))).sort()).toEqual(["A kestrel over the meadow", "Choir"]);
    const { meta } = (await call(board, `GET ${search("kestrel repairs")}`)).body;
    expect(meta.note ?? "").not.toContain("No post has");
    expect(meta.total).toBe(3);
  });

  it("lists the newest first where no post has the words", async () => {
    const lone = await register(board, "Zwibbel Press");
    // It is no misspelt word while somebody bears it as a name.
    await write(board, other.key, { title: "Zwiebel soup" });
    for (const title of ["First", "Second", "Third"]) await write(board, lone.key, { title });
    const { data, meta } = (await call(board, `GET ${search("zwibbel")}`)).body;
    expect(data.map(({ title }: { title: string }) => title)).toEqual(["Third", "Second", "First"]);
    expect([meta.ranking, meta.total]).toEqual(["newest", 3]);
    expect(meta.note ?? "").not.toContain("No post has");
    expect(await titles(board, search("zwibbel", "&sort=relevance&kind=event"))).toEqual([]);
    await call(board, "DELETE /publishers/me", undefined, lone);
    expect(await titles(board, search("zwibbel"))).toEqual(["Zwiebel soup"]);
  });

  it("keeps filters, pages and exclusions, and takes a quoted name for words of posts", async () => {
    expect(await titles(board, search("kestrel repairs", "&kind=event"))).toEqual([]);
    expect(await titles(board, search("kestrel", `&publisher=${other.id}`))).toEqual([
      "A kestrel over the meadow",
    ]);
    expect(await titles(board, search('"kestrel repairs"'))).toEqual([]);
    expect(await titles(board, search("kestrel -repairs"))).toEqual(["A kestrel over the meadow"]);
    const first = (await call(board, `GET ${search("kestrel", "&limit=2")}`)).body;
    const second = (await call(board, `GET ${search("kestrel", `&limit=2&cursor=${first.next_cursor}`)}`))
      .body;
    const ids = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(second.next_cursor).toBeNull();
  });

  it("finds nothing by a part within the name, and follows a new name at once", async () => {
    expect(await titles(board, search("repairs"))).not.toContain("Chain and brakes");
    expect(await titles(board, search("kest"))).toEqual([]);
    await call(board, "PATCH /publishers/me", { name: "Merlin Repairs" }, kestrel);
    expect((await titles(board, search("merlin"))).sort()).toEqual(["Chain and brakes", "Puncture repair"]);
    expect(await titles(board, search("kestrel"))).toEqual(["A kestrel over the meadow"]);
    await board.board.services.moderation.act("suspend", kestrel.id, "test", Date.now());
    expect(await titles(board, search("merlin"))).toEqual([]);
  });
});
