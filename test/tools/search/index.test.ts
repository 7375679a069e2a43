import { beforeAll, describe, expect, it } from "vitest";
import { startBoard } from "../../support/boards/board.ts";
import { call, register } from "../../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { found, titles, write } from "../../support/boards/writing.ts";

const DAY_MS = 86_400_000;
const encoded = encodeURIComponent;

describe("search", () => {
  let now = Date.UTC(2026, 10, 20, 12);
  const at = (days: number) => new Date(now + days * DAY_MS).toISOString();
  const search = (query: string) => call(board, `GET /search?${query}`);
  const sorted = async (query: string) => (await titles(board, `/search?${query}`)).sort();
  /** Writes posts under their own tag, so that no test finds another's. */
  const seed = async (tag: string, posts: readonly object[]) => {
    for (const post of posts) {
      now += 1_000;
      await write(board, me.key, { tags: [tag], ...post });
    }
  };
  const board = useTestBoard({ REPORTS_TO_HIDE: "1" }, { clock: () => now });
  const me = usePublisher(board);

  describe("filters", () => {
    it("keeps posts with any of several tags, compared in their stored form", async () => {
      await seed("x", [
        { title: "a", tags: ["Straße", "x"] },
        { title: "b", tags: ["ju\u0308rgen"] },
        { title: "c", tags: ["other"] },
      ]);
      expect(await sorted(`tags=${encoded("STRASSE,J\u00dcRGEN")}`)).toEqual(["b"]);
      expect(await sorted(`tags=${encoded(" straße , Jürgen ,")}`)).toEqual(["a", "b"]);
    });

    it("needs coordinates for near, and gives distances rounded to 0.1 km", async () => {
      await seed("place", [
        { title: "centre", location: { lat: 52.52, lng: 13.405 } },
        { title: "potsdam", location: { name: "Potsdam", lat: 52.3906, lng: 13.0645 } },
        { title: "by name only", location: { name: "The old mill" } },
        { title: "nowhere" },
      ]);
      expect(await sorted("tags=place&near=52.52,13.405")).toEqual(["centre"]);
      const [elsewhere] = await found(board, "/search?tags=place");
      expect(elsewhere).not.toHaveProperty("distance_km");
      expect(elsewhere).not.toHaveProperty("relevance");
      const wide = await found(board, "/search?tags=place&near=52.52,13.405&radius_km=30");
      const byTitle = Object.fromEntries(wide.map((post) => [post.title, post.distance_km]));
      expect(byTitle).toEqual({ centre: 0, potsdam: 27.2 });
    });

    it("takes dates, which cover their day, and date-times with any offset, as bounds", async () => {
      await seed("dates", [
        { title: "d", starts_at: "2026-12-24T00:30:00+02:00", ends_at: "2026-12-24T01:00:00+02:00" },
      ]);
      // It ends at 23:00 UTC on the 23rd, when the 24th has begun in half of the world.
      expect(await sorted("tags=dates&after=2026-12-24")).toEqual(["d"]);
      expect(await sorted("tags=dates&after=2026-12-25")).toEqual([]);
      expect(await sorted("tags=dates&before=2026-12-23")).toEqual(["d"]);
      expect(await sorted("tags=dates&before=2026-12-22")).toEqual([]);
      expect(await sorted(`tags=dates&before=${encoded("2026-12-24T00:30:00+02:00")}`)).toEqual(["d"]);
      expect(await sorted(`tags=dates&before=${encoded("2026-12-23T22:29:59Z")}`)).toEqual([]);
    });

    it("reads days in the zone that is sent, or else in that of the place", async () => {
      const bound = async (zone: string) =>
        (await call(board, `GET /search?after=2026-12-24${zone}`)).body.meta.query.after;
      expect(await bound("&timezone=America/New_York")).toBe("2026-12-24T05:00:00.000Z");
      expect(await bound("&near=52.52,13.4")).toBe("2026-12-23T23:00:00.000Z");
      expect(await bound("&near=52.52,13.4&timezone=America/New_York")).toBe("2026-12-24T05:00:00.000Z");
    });

    it("takes a midnight for its day where no end is said", async () => {
      const midnight = "2026-12-24T00:00:00-05:00";
      await seed("midnights", [
        { title: "day", starts_at: midnight, timezone: "America/New_York" },
        { title: "placed", starts_at: midnight, location: { lat: 40.71, lng: -74.01 } },
        { title: "ends", starts_at: midnight, ends_at: "2026-12-24T02:00:00-05:00" },
        { title: "elsewhere", starts_at: midnight, timezone: "Europe/Berlin" },
      ]);
      const on = (moment: string) => sorted(`tags=midnights&after=${encoded(moment)}`);
      expect(await on("2026-12-24T01:00:00-05:00")).toEqual(["day", "ends", "placed"]);
      expect(await on("2026-12-24T23:59:59-05:00")).toEqual(["day", "placed"]);
      expect(await on("2026-12-25T00:00:00-05:00")).toEqual([]);
    });

    it("keeps one publisher's posts, and the replies of one thread, by id or page", async () => {
      const { id, key } = await register(board, "Another");
      const root = await write(board, me.key, { title: "root" });
      await write(board, key, { title: "reply", parent_id: root.id });
      await write(board, key, { title: "theirs" });
      for (const publisher of [id, `${board.url}/publishers/${id}`])
        expect(await sorted(`publisher=${encoded(publisher)}`)).toEqual(["theirs"]);
      for (const thread of [root.id, root.url])
        expect(await sorted(`thread=${encoded(thread)}`)).toEqual(["reply"]);
    });

    it("ranks flagged posts where they would stand without a flag", async () => {
      const posts = ["Kayak and paddle", "Kayak, red", "Two kayaks"].map((title) => ({ title }));
      await seed("unmoved", posts);
      const ranked = async (sort: string) =>
        (await found(board, `/search?q=kayak+red&tags=unmoved&sort=${sort}`)).map(({ id, relevance }) => [
          id,
          relevance,
        ]);
      for (const sort of ["relevance", "newest"]) {
        const before = await ranked(sort);
        expect(before).toHaveLength(3);
        const [id] = before[0] ?? [];
        const flags = ["possible_instruction", "many_links"] as const;
        await board.board.store.posts.update(id, { flags: [...flags] }, { text: false });
        expect((await found(board, "/search?tags=unmoved")).find((post) => post.id === id).flags).toEqual(
          flags,
        );
        expect(await ranked(sort)).toEqual(before);
      }
    });

    it("leaves hidden posts, removed posts and suspended publishers' posts out of every search", async () => {
      const author = await register(board, "Author");
      const write3 = (title: string) =>
        write(board, author.key, { title: `${title} flugelhorn`, tags: ["gone"] });
      const [hidden, removed] = [await write3("hidden"), await write3("removed"), await write3("kept")];
      await call(board, "POST /reports", { post_id: hidden.id, reason: "spam" });
      await call(board, `DELETE /posts/${removed.id}`, undefined, { key: author.key });
      const everywhere = ["tags=gone", "q=flugelhorn", "include_expired=true&include_replies=true&tags=gone"];
      for (const query of everywhere) expect(await sorted(query)).toEqual(["kept flugelhorn"]);
      await board.board.services.moderation.act("suspend", author.id, "test", now);
      for (const query of everywhere) expect(await sorted(query)).toEqual([]);
      await board.board.services.moderation.act("reinstate", author.id, "test", now);
      for (const query of everywhere) expect(await sorted(query)).toEqual(["kept flugelhorn"]);
    });
  });

  describe("words", () => {
    beforeAll(() =>
      seed("words", [
        { title: "Road bike for sale", body: "Steel frame, hardly ridden." },
        { title: "Mountain bike", body: "For sale by the road." },
        { title: "東京の自転車修理", body: "パンク修理します。" },
        { title: "دروس بيانو", body: "مُعَلِّم بيانو للمبتدئين" },
        { title: "हिन्दी की कक्षा", body: "शुरुआती लोगों के लिए" },
        { title: "Crêpes à volonté 🥞", body: "Dès dix heures." },
        { title: "Ordering of ÉCOLE supplies", body: "ﬁne pens" },
        { title: "ΣΠΊΤΙ, ΟΔΌΣ ΕΡΜΟΎ", body: "κοντά στη στάση" },
        { title: "Ёлка", body: "Большой выбор, чай" },
        { title: "Wohnung in Łódź", body: "in der Hauptstraße" },
      ]),
    );

    it.each([
      ["bikes", ["Mountain bike", "Road bike for sale"]],
      ["ROAD", ["Mountain bike", "Road bike for sale"]],
      ['"road bike"', ["Road bike for sale"]],
      ["“road bike”", ["Road bike for sale"]],
      ['"bike road"', []],
      ["bike -mountain", ["Road bike for sale"]],
      ['bike -"road bike"', ["Mountain bike"]],
      ["ＢＩＫＥ -road", []],
      ["mountain ＢＩＫＥ", ["Mountain bike", "Road bike for sale"]],
      ["自転車", ["東京の自転車修理"]],
      ["京の", ["東京の自転車修理"]],
      ["京都", []],
      ['"自転車修理"', ["東京の自転車修理"]],
      ["自転車 -東京", []],
      ["معلم", ["دروس بيانو"]],
      ["कक्षा", ["हिन्दी की कक्षा"]],
      ["crepes", ["Crêpes à volonté 🥞"]],
      ["🥞 crêpe", ["Crêpes à volonté 🥞"]],
      ["ecole fine", ["Ordering of ÉCOLE supplies"]],
      ["🥞", []],
      ["οδος", ["ΣΠΊΤΙ, ΟΔΌΣ ΕΡΜΟΎ"]],
      ["Στασή", ["ΣΠΊΤΙ, ΟΔΌΣ ΕΡΜΟΎ"]],
      ["елка", ["Ёлка"]],
      ["чаи", []],
      ["lodz", ["Wohnung in Łódź"]],
      ["HAUPTSTRASSE", ["Wohnung in Łódź"]],
      ["wohnung -lodz", []],
    ])("finds for %s %j", async (q, expected) => {
      expect(await sorted(`tags=words&q=${encoded(q)}`)).toEqual([...expected].sort());
    });

    it("returns everything else for a query that only excludes", async () => {
      expect(await sorted(`tags=words&q=${encoded("-bike -自転車 -بيانو")}`)).toHaveLength(6);
    });

    it("finds in titles, bodies, tags and place names", async () => {
      const place = { location: { name: "Ukulele Bar" } };
      await seed("fields", [{ title: "Ukulele" }, { body: "ukulele" }, { tags: ["ukulele"] }, place]);
      expect(await found(board, "/search?q=ukulele")).toHaveLength(4);
    });

    it("finds what publishers of a name wrote, if it has three letters and more", async () => {
      for (const name of ["Quy", "Quy", "Qz"]) {
        const { key } = await register(board, name);
        await write(board, key, { title: `Harpsichord of ${name === "Qz" ? "two" : "three"}`, tags: ["by"] });
      }
      const three = "Harpsichord of three";
      const strong = async (q: string) =>
        (await found(board, `/search?tags=by&q=${encoded(q)}`))
          .filter(({ weak }) => weak !== true)
          .map(({ title }) => title);
      for (const q of ["Quy", "posts by Quy"]) expect(await strong(q), q).toEqual([three, three]);
      expect(await strong("Qz")).toEqual([]);
    });

    it("finds an edited post by its new words and no longer by its old ones", async () => {
      const { id } = await write(board, me.key, { title: "Clavichord" });
      await call(board, `PATCH /posts/${id}`, { title: "Glockenspiel" }, me);
      expect(await titles(board, "/search?q=clavichord")).toEqual([]);
      expect(await titles(board, "/search?q=glockenspiel")).toEqual(["Glockenspiel"]);
    });
  });

  describe("order", () => {
    const NEWEST = ["offer", "over", "sooner", "later"];
    const titlesOf = ({ data }: { data: { title: string }[] }) => data.map(({ title }) => title);
    beforeAll(() => {
      const over = { starts_at: at(-3), ends_at: at(-2), expires_at: at(20) };
      return seed("order", [
        { title: "later", kind: "event", starts_at: at(9), body: "Theremin concert" },
        { title: "sooner", kind: "event", starts_at: at(3), body: "Theremin and theremin, theremin concert" },
        { title: "over", kind: "event", body: "Theremin talk", ...over },
        { title: "offer", kind: "offer", body: "Theremin for rent" },
      ]);
    });

    it("is newest without words", async () => {
      const { body } = await search("tags=order");
      expect(body.meta).toMatchObject({ ranking: "newest", query: { sort: "newest" } });
      expect(titlesOf(body)).toEqual(NEWEST);
    });

    it("is soonest for events alone within bounds, and drops past ones", async () => {
      const { body } = await search(`tags=order&kind=event&before=${encoded(at(30))}`);
      expect(body.meta).toMatchObject({ ranking: "soonest", query: { sort: "soonest" } });
      expect(titlesOf(body)).toEqual(["sooner", "later"]);
      expect((await search("tags=order&kind=event")).body.meta.ranking).toBe("newest");
      expect((await search(`tags=order&kind=event,offer&after=${encoded(at(0))}`)).body.meta.ranking).toBe(
        "newest",
      );
    });

    it("keeps past events in soonest when `after` asks for them", async () => {
      const { body } = await search(`tags=order&kind=event&after=${encoded(at(-5))}`);
      expect(titlesOf(body)).toEqual(["over", "sooner", "later"]);
    });

    it("is relevance with words, non-increasing in 0…1, or time on request", async () => {
      const { body } = await search("q=theremin&tags=order");
      expect(body.meta).toMatchObject({ ranking: "lexical", query: { sort: "relevance", rerank: true } });
      const scores: number[] = body.data.map((post: { relevance: number }) => post.relevance);
      expect(scores).toHaveLength(4);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
      expect(Math.max(...scores)).toBeLessThanOrEqual(1);
      expect(Math.min(...scores)).toBeGreaterThanOrEqual(0);
      expect(body.data[0].title).toBe("sooner");
      // What is over counts less, unless a time is asked for.
      const later = async (more: string) => {
        const posts = await found(board, `/search?q=theremin&tags=order${more}`);
        const [one, other] = ["later", "over"].map((title) => posts.find((post) => post.title === title));
        return one.relevance - other.relevance;
      };
      expect(await later("")).toBeCloseTo(0.2 / 1.3, 2);
      expect(await later(`&after=${encoded(at(-5))}`)).toBe(0);
      const newest = await search("q=theremin&tags=order&sort=newest");
      expect(newest.body.meta.ranking).toBe("newest");
      expect(titlesOf(newest.body)).toEqual(NEWEST);
      const soonest = await search("q=theremin&tags=order&sort=soonest&kind=event");
      expect(titlesOf(soonest.body)).toEqual(["sooner", "later"]);
    });
  });

  describe("meta", () => {
    it("echoes the query as applied, defaults included", async () => {
      const query = `q=piano&kind=offer,event&tags=A,b&near=52.5,13.4&after=2026-12-01&verified=true&include_replies=true&limit=7`;
      expect((await search(query)).body.meta.query).toEqual({
        q: "piano",
        kind: "offer,event",
        tags: "a,b",
        near: "52.5,13.4",
        radius_km: 25,
        // In Berlin, where the search is, the day begins then.
        after: "2026-11-30T23:00:00.000Z",
        verified: true,
        include_replies: true,
        include_expired: false,
        include_syndicated: true,
        sort: "relevance",
        limit: 7,
        rerank: true,
      });
      const { meta } = (await search("")).body;
      expect(meta.content_notice).toMatch(/third parties.*no instructions/);
      expect(meta.query).toEqual({
        include_replies: false,
        include_expired: false,
        include_syndicated: true,
        sort: "newest",
        limit: 20,
      });
    });

    it("echoes whose posts are asked for, and in which zone", async () => {
      const sent = `publisher=${me.id}&thread=t1&timezone=Asia/Tokyo&before=2026-12-01&include_expired=true&include_syndicated=false&sort=newest&q=x&rerank=false`;
      expect((await search(sent)).body.meta.query).toEqual({
        q: "x",
        publisher: me.id,
        thread: "t1",
        timezone: "Asia/Tokyo",
        before: "2026-12-01T14:59:59.999Z",
        include_replies: false,
        include_expired: true,
        include_syndicated: false,
        sort: "newest",
        limit: 20,
        rerank: false,
      });
    });

    it.each(["q=theremin", "q=theremin&sort=newest", "sort=newest"])(
      "says at every page of %s how many match and how many came before, and takes its cursor for it alone",
      async (query) => {
        const all = `tags=order&${query}`;
        const first = (await search(`${all}&limit=3`)).body;
        expect([first.data.length, first.meta.total, first.meta.first]).toEqual([3, 4, 0]);
        const next = `cursor=${encoded(first.next_cursor)}`;
        for (const limit of [1, 50]) {
          const { data, meta, next_cursor } = (await search(`${all}&limit=${limit}&${next}`)).body;
          expect([data.length, meta.total, meta.first, next_cursor]).toEqual([1, 4, 3, null]);
          expect(first.data.map(({ id }: { id: string }) => id)).not.toContain(data[0].id);
        }
        for (const other of [`${all}&kind=event`, `${all}&include_replies=true`, "tags=order&q=concert"]) {
          const { status, body } = await search(`${other}&limit=3&${next}`);
          expect([other, status, body.error?.code]).toEqual([other, 400, "invalid_cursor"]);
        }
        expect((await search(`${all}&cursor=x`)).body.error.code).toBe("invalid_cursor");
      },
    );

    it("says what of quotes and exclusions it did not look at", async () => {
      const q = '"a b" "c" "d" "e" "f g" theremin -20';
      const { note } = (await search(`tags=order&q=${encoded(q)}`)).body.meta;
      expect(note).toContain(
        'Of quoted phrases the first 4 count, of exclusions the first 8; not looked at: "f g".',
      );
      expect(note).toContain(
        'Posts with "20" were left out: a hyphen excludes. To find a number, quote it or leave out its sign.',
      );
    });

    it("names an unknown parameter, and the one that was meant", async () => {
      const { status, body } = await search("raduis_km=5&near=1,1&colour=red&constructor=1&__proto__=3");
      expect(status).toBe(200);
      expect(body.meta.note).toContain("`raduis_km` is not a parameter; did you mean `radius_km`?");
      for (const name of ["colour", "constructor", "__proto__"])
        expect(body.meta.note).toContain(`\`${name}\` is not a parameter`);
    });

    it("says which filter emptied a result, and what a search without it finds", async () => {
      await seed("lonely", [{ title: "Sitar", kind: "offer", location: { lat: 10, lng: 10 } }]);
      const near = await search("tags=lonely&near=10.5,10&radius_km=20");
      expect(near.body.data).toEqual([]);
      expect(near.body.meta.note).toContain("`radius_km=100` finds 1");
      const kind = await search("tags=lonely&kind=request&q=sitar");
      expect(kind.body.meta.note).toContain("any `kind` finds 1");
      expect(kind.body.meta.note).not.toContain("without `tags` finds");
      expect((await search("tags=lonely&q=sitar%20-sitar")).body.meta.note).toContain("exclusions finds 1");
    });

    it("counts what another order, unquoted words or replies would find, as that search does", async () => {
      const text = { title: "Viola", body: "Bow and strings" };
      const root = { ...text, kind: "event", tags: ["hints"], starts_at: at(2) };
      const { id } = await write(board, me.key, root);
      const over = { starts_at: at(-2), ends_at: at(-1), expires_at: at(9) };
      await write(board, me.key, { ...root, ...over, title: "Over" });
      await write(board, me.key, { title: "Answer", tags: ["hinted"], parent_id: id });
      const note = async (query: string) => (await search(query)).body.meta.note;
      const past = `tags=hints&before=${encoded(at(-5))}`;
      expect(await note(`${past}&sort=soonest`)).toContain("without `after` and `before` finds 1");
      expect(await note(`${past}&sort=newest`)).toContain("without `after` and `before` finds 2");
      expect(await note(`tags=hints&q=${encoded('"strings and bow"')}`)).toContain("exclusions finds 2");
      expect(await note("tags=hinted")).toContain("`include_replies=true` finds 1");
    });

    it("says that signs are not searched for when a text has no words", async () => {
      for (const q of ["🥞", '""', "-"]) {
        const { body } = await search(`q=${encoded(q)}`);
        expect(body.data).toEqual([]);
        expect(body.meta.note).toContain("`q` holds no word");
      }
    });

    it("says how small the board is when a small board finds nothing", async () => {
      const small = await startBoard();
      const { body } = await call(small, "GET /search?q=anything");
      await small.stop();
      expect(body.meta.note).toContain("this board is small and holds 0 posts");
    });

    it("has no note when there is nothing to say, and says of a radius without a place that it does nothing", async () => {
      expect((await search("tags=order&publisher=&kind=")).body.meta).not.toHaveProperty("note");
      expect((await search("tags=order&radius_km=5")).body.meta.note).toContain("`radius_km` does nothing");
    });

    it("says how many posts fit the filters alone where they are more, and the page has room for them", async () => {
      const note = "4 posts fit the filters alone: the same search without `q`.";
      // Two of four have the word.
      for (const [query, fitting] of [
        ["q=concert&limit=3", 4],
        ["q=concert&limit=2", undefined],
        ["q=theremin&limit=20", undefined],
      ] as const) {
        const { meta } = (await search(`tags=order&${query}`)).body;
        expect([meta.fitting, meta.note?.includes(note) === true], query).toEqual([fitting, fitting === 4]);
      }
    });

    it("says that bounds are in the wrong order where they are", async () => {
      const bounds = async (after: number, before: number) =>
        (await search(`tags=order&after=${encoded(at(after))}&before=${encoded(at(before))}`)).body.meta.note;
      expect(await bounds(2, 1)).toContain("`after` is later than `before`");
      expect((await bounds(2, 2)) ?? "").not.toContain("`after` is later");
    });
  });

  it("answers the same over GET /posts as over GET /search", async () => {
    for (const query of ["q=theremin&limit=2", "tags=order&kind=event", "near=10,10"]) {
      const [a, b] = [await search(query), await call(board, `GET /posts?${query}`)];
      // The first search raised `retrievals`, and the board may have written them before the second.
      const still = (posts: Record<string, unknown>[]) => posts.map((post) => ({ ...post, retrievals: 0 }));
      expect(still(b.body.data)).toEqual(still(a.body.data));
      expect(b.body.meta.query).toEqual(a.body.meta.query);
    }
  });

  it("counts a retrieval for each post of each page of a search, and for nothing else", async () => {
    await seed("counted", [{ title: "first" }, { title: "second" }, { title: "third" }]);
    const ids = (await found(board, "/posts?tags=counted")).map((post) => post.id); // 1
    const page = await search("tags=counted&limit=2&sort=newest"); // 2 for third and second
    await search(`tags=counted&limit=2&sort=newest&cursor=${page.body.next_cursor}`); // 2 for first
    for (const id of ids) {
      await call(board, `GET /posts/${id}`);
      await call(board, `GET ${board.url}/p/${id}`, undefined, { headers: { accept: "application/json" } });
    }
    await call(board, `GET ${board.url}/feed.xml?tags=counted`);
    await call(board, `GET ${board.url}/search?tags=counted`, undefined, {
      headers: { accept: "application/json" },
    });
    await call(board, `GET /publishers/${me.id}`);
    await board.flush();
    const counts = await Promise.all(
      ids.map(async (id) => (await call(board, `GET /posts/${id}`)).body.data.retrievals),
    );
    expect(counts).toEqual([2, 2, 2]);
  });

  it("reads the plus of an offset in a URL, where it arrives as a blank", async () => {
    const { body } = await search("after=2026-12-01T18:30:00+01:00");
    expect(body.meta.query.after).toBe("2026-12-01T17:30:00.000Z");
  });

  it("takes the name of a place, and says which it took and who else bears the name", async () => {
    await write(board, me.key, { title: "pavilion", tags: ["named"], location: { lat: 52.53, lng: 13.41 } });
    const { body } = await search("tags=named&near=Berlin");
    expect(body.data[0].distance_km).toBeLessThan(2);
    expect(body.meta.query.near).toMatch(/^52\.5\d{1,2},13\.4\d{0,2}$/);
    expect(body.meta.note).toContain(`read as Berlin, Germany (${body.meta.query.near}).`);
  });

  it("asks back for a name that several places bear", async () => {
    const { status, body } = await search("near=Springfield");
    expect([status, body.error.code]).toEqual([400, "invalid_query"]);
    expect(body.error.issues[0]).toMatchObject({ path: "near", code: "ambiguous_place" });
    expect(body.error.issues[0].message).toContain('"Springfield, Illinois"');
    expect((await search("near=Springfield,%20Illinois")).status).toBe(200);
  });

  it("takes the one place of a name that has posts, and says so; with posts in two it asks back", async () => {
    const near = () => search("near=Cambridge&tags=cam");
    // Forty kilometres to the north: only a wider circle has it.
    await write(board, me.key, { title: "fen", tags: ["cam"], location: { lat: 52.56, lng: 0.12 } });
    expect((await near()).body.error.issues[0].code).toBe("ambiguous_place");
    expect((await search("near=Cambridge&tags=cam&radius_km=60")).body.data[0].title).toBe("fen");
    await write(board, me.key, { title: "punt", tags: ["cam"], location: { lat: 52.2, lng: 0.12 } });
    const { status, body } = await near();
    expect([status, body.data[0].title]).toEqual([200, "punt"]);
    expect(body.meta.note).toContain("read as Cambridge, United Kingdom (52.2,0.");
    expect(body.meta.note).toMatch(
      /the only place of this name with posts; others .*Cambridge, Massachusetts/,
    );
    // What any post has there counts, whatever else is asked for.
    expect((await search("near=Cambridge&kind=thread")).status).toBe(200);
    const saved = { query: { near: "Cambridge", tags: "cam" } };
    const watch = await call(board, "POST /subscriptions", saved, { key: me.key });
    expect([watch.status, watch.body.data.query.near]).toEqual([201, body.meta.query.near]);
    await write(board, me.key, { title: "sculling", tags: ["cam"], location: { lat: 42.37, lng: -71.11 } });
    expect((await near()).body.error.issues[0].message).toBe(
      'Several places bear this name; the board has posts at more than one. Send one of "Cambridge, United Kingdom", ' +
        '"Cambridge, Ontario", "Cambridge, Massachusetts", "Cambridge, New Zealand", "Cambridge, Maryland", or "Cambridge, Ohio", or its `lat,lng`.',
    );
    const refused = await call(board, "POST /subscriptions", saved, { key: me.key });
    expect([refused.body.error.code, refused.body.error.issues[0].path]).toEqual([
      "invalid_request",
      "query.near",
    ]);
    expect((await search("near=Cambridge,%20Massachusetts&tags=cam")).body.data).toHaveLength(1);
  });

  it.each([
    ["Bali", 80, -8.1, 114.6],
    ["Ontario", 345, 45.42, -75.7],
    ["Tenerife", 45, 28.46, -16.25],
  ])("takes %s as its middle and its size", async (name, km, lat, lng) => {
    await write(board, me.key, { title: name, tags: ["area"], location: { lat, lng } });
    const { body } = await search(`near=${name}&tags=area`);
    expect(body.data.map(({ title }: { title: string }) => title)).toEqual([name]);
    expect(body.meta.query.radius_km).toBe(km);
    expect(body.meta.note).toContain(`within ${km} km of its middle`);
    const { meta } = (await search(`near=${name}&tags=area&radius_km=1`)).body;
    expect([meta.query.radius_km, meta.note.includes("of its middle")]).toEqual([1, false]);
  });

  it("says that a country which no search covers is none to search near", async () => {
    const { body } = await search("near=France");
    expect(body.error.issues[0]).toMatchObject({ path: "near", code: "not_a_place" });
  });

  it("shows the bound that `soonest` adds, and adds none when the past is asked for", async () => {
    const applied = async (query: string) => (await search(`sort=soonest&${query}`)).body.meta.query;
    expect((await applied("kind=event")).after).toBe(new Date(now).toISOString());
    for (const [before, after] of [
      [at(0), undefined],
      [new Date(now + 1).toISOString(), new Date(now).toISOString()],
    ] as const)
      expect((await applied(`kind=event&before=${encoded(before)}`)).after).toBe(after);
    expect((await applied("kind=event&include_expired=true")).after).toBeUndefined();
  });

  it.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=1.5", "limit"],
    ["limit=0x10", "limit"],
    ["radius_km=501&near=1,1", "radius_km"],
    ["radius_km=0&near=1,1", "radius_km"],
    ["near=91,0", "near"],
    ["near=0,180.1", "near"],
    ["near=1", "near"],
    ["near=1,2,3", "near"],
    ["kind=poem", "kind"],
    ["after=yesterday", "after"],
    ["before=2026-13-01", "before"],
    ["after=2026-12-01T10:00:00", "after"],
    ["verified=yes", "verified"],
    ["sort=best", "sort"],
    ["q=a&q=b", "q"],
    [`q=${encoded("ü".repeat(501))}`, "q"],
  ])("fails with invalid_query for %s", async (query, path) => {
    const { status, body } = await search(query);
    expect(status).toBe(400);
    expect(body.error.code).toBe("invalid_query");
    expect(body.error.issues.map((issue: { path: string }) => issue.path)).toEqual([path]);
  });
});
