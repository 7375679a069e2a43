import { describe, expect, it } from "vitest";
import { call, register } from "../../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";
import { dataOf, getPage } from "../../support/texts/html.ts";

describe("pages", () => {
  let ahead = 0;
  const board = useTestBoard({}, { clock: () => Date.now() + ahead });
  const made = usePublisher(board, "Bike Kitchen");

  it.each([
    [
      "a headline of 110 characters",
      { kind: "thread", title: "T".repeat(111) },
      { headline: `${"T".repeat(109)}…` },
    ],
    ["a text of 500", { kind: "offer", body: "b".repeat(501) }, { description: `${"b".repeat(499)}…` }],
    ["no event without a date", { kind: "event" }, { "@type": "CreativeWork" }],
    [
      "when an offer ends",
      { kind: "offer", ends_at: "2099-05-28T18:00:00Z" },
      { validThrough: "2099-05-28T18:00:00+00:00" },
    ],
    ...[
      ["cancelled", "Cancelled"],
      ["postponed", "Postponed"],
      ["tentative", "Scheduled"],
    ].map(([status, said]): [string, object, object] => [
      `whether an event takes place: ${status}`,
      { kind: "event", starts_at: "2099-05-28T18:00:00Z", metadata: { status } },
      { eventStatus: `https://schema.org/Event${said}` },
    ]),
    [
      "when an offer begins, where it is, and what it links to",
      {
        ...{ kind: "offer", starts_at: "2099-05-28T18:00:00Z", url: "https://a.example/" },
        location: { name: "Mill", lat: 52, lng: 5 },
      },
      {
        ...{ validFrom: "2099-05-28T20:00:00+02:00", sameAs: "https://a.example/" },
        availableAtOrFrom: { name: "Mill", geo: { latitude: 52, longitude: 5 } },
      },
    ],
    [
      "the page of an event online that has no link",
      { kind: "event", starts_at: "2099-05-28T18:00:00Z", metadata: { online: true } },
      { location: { "@type": "VirtualLocation", url: expect.stringContaining("/p/") } },
    ],
    [
      "what a thread is about",
      { kind: "thread", tags: ["a", "b"], url: "https://a.example/", location: { name: "Mill" } },
      { keywords: "a, b", sharedContent: "https://a.example/", contentLocation: { name: "Mill" } },
    ],
    [
      "the offset of a zone behind UTC",
      { kind: "event", starts_at: "2099-05-28T18:00:00Z", timezone: "America/St_Johns" },
      { startDate: "2099-05-28T15:30:00-02:30", name: "A notice" },
    ],
  ])("give search engines %s", async (_name, fields, members) => {
    const { id } = await write(board, made.key, fields);
    expect(dataOf((await getPage(board, `/p/${id}`)).text)[0]).toMatchObject(members);
  });

  it("tell search engines of an edit, of the end of an offer, and of the site that a publisher proved", async () => {
    const named = { name: "Proved", url: "https://www.proved.example/", accept_terms: true };
    const { id: publisher, api_key: key } = (await call(board, "POST /publishers", named)).body.data;
    const own = { id: publisher, key };
    const { id, expires_at } = await write(board, own.key, { kind: "offer" });
    const [offer] = dataOf((await getPage(board, `/p/${id}`)).text);
    expect([offer?.["validThrough"]]).toEqual([`${expires_at.slice(0, 19)}+00:00`]);
    const profile = async () => {
      const { text } = await getPage(board, `/publishers/${own.id}`);
      const markdown = await getPage(board, `/publishers/${own.id}.md`);
      const site = text.split('<section class="source"><h2>Site</h2>')[1]?.split("</section>")[0];
      return [
        dataOf(text)[0]?.["mainEntity"],
        /nofollow[^"]*"><bdi>([^<]*)<.*small">([^<]*)</.exec(site ?? "")?.slice(1),
        /^"Proved", ([^|]*) \|/m.exec(markdown.text)?.[1],
      ];
    };
    const words = [
      "Claimed by the publisher, not proved.",
      "The publisher has proved that it controls this domain.",
    ];
    expect(await profile()).toEqual([
      expect.not.objectContaining({ sameAs: expect.anything() }),
      ["proved.example", words[0]],
      "not verified",
    ]);
    await board.board.store.publishers.update(own.id, { domain: "proved.example", verifiedAt: Date.now() });
    expect(await profile()).toEqual([
      expect.objectContaining({ sameAs: "https://www.proved.example/" }),
      ["proved.example", words[1]],
      "✓ verified: proved.example",
    ]);
    ahead += 86_400_000;
    const thread = await write(board, own.key, { kind: "thread" });
    expect((await getPage(board, `/publishers/${own.id}`)).text).toContain(
      `<dt>Latest</dt><dd class="day"><time datetime="${thread.created_at}">`,
    );
    for (const body of ["c".repeat(200), "d".repeat(201)]) {
      ahead += 1_000;
      await write(board, own.key, { parent_id: thread.id, body });
    }
    ahead += 60_000;
    const { updated_at } = (await call(board, `PATCH /posts/${thread.id}`, { title: "Edited" }, own)).body
      .data;
    const [data] = dataOf((await getPage(board, `/p/${thread.id}`)).text);
    expect(data).toMatchObject({
      datePublished: thread.created_at,
      dateModified: updated_at,
      commentCount: 2,
    });
    const comments = (data?.["comment"] ?? []) as { text: string }[];
    expect(comments.map(({ text }) => text)).toEqual(["c".repeat(200), `${"d".repeat(199)}…`]);
    expect(updated_at).not.toBe(thread.created_at);
  });

  it("give search engines all that is said, and nothing that is not", async () => {
    const named = { name: "Loom", url: "https://www.loom.example/", description: "Cloth,\nand more" };
    const sent = { ...named, accept_terms: true };
    const { id, api_key: key } = (await call(board, "POST /publishers", sent)).body.data;
    await board.board.store.publishers.update(id, { domain: "loom.example", verifiedAt: Date.now() });
    const author = {
      ...{ "@type": "Organization", name: "Loom", url: `${board.url}/publishers/${id}` },
      ...{ description: "Cloth, and more", sameAs: "https://www.loom.example/" },
    };
    const said = async (fields: object) => {
      const post = await write(board, key, fields);
      const { "@context": context, ...data } = dataOf((await getPage(board, `/p/${post.id}`)).text)[0] ?? {};
      expect([context, data["@id"], data["url"]]).toEqual(["https://schema.org", post.url, post.url]);
      return { post, data };
    };
    const place = { "@type": "Place", name: "Mill", address: "Mill" };
    const geo = { "@type": "GeoCoordinates", latitude: 52.5, longitude: 13.25 };
    const texts = { title: "Cloth & <more>", body: "One\n\ntwo" };
    const at = { location: { name: "Mill", lat: 52.5, lng: 13.25 }, timezone: "America/New_York" };
    const times = { starts_at: "2037-01-05T10:00", ends_at: "2037-07-05T10:30" };
    const more = { url: "https://a.example/", tags: ["wool", "silk"] };
    const [dated, undated] = [
      await said({ kind: "event", ...texts, ...at, ...times, ...more }),
      await said({ kind: "event", ...texts, body: "Three" }),
    ];
    expect(dated.data).toEqual({
      ...{ "@type": "Event", "@id": dated.post.url, url: dated.post.url },
      ...{ name: "Cloth & <more>", description: "One two", keywords: "wool, silk" },
      ...{ startDate: "2037-01-05T10:00:00-05:00", endDate: "2037-07-05T10:30:00-04:00" },
      eventStatus: "https://schema.org/EventScheduled",
      eventAttendanceMode: "https://schema.org/OfflineEventAttendanceMode",
      location: { ...place, geo },
      organizer: author,
      sameAs: "https://a.example/",
    });
    expect(undated.data).toEqual({
      ...{ "@type": "CreativeWork", "@id": undated.post.url, url: undated.post.url },
      ...{ name: "Cloth & <more>", description: "Three", organizer: author },
    });
    for (const [kind, type, by] of [
      ["offer", "Offer", { seller: author }],
      ["request", "Demand", { "@reverse": { seeks: author } }],
    ] as const) {
      const { post, data } = await said({ kind, ...texts, body: `${kind} one`, ...at, ...times, ...more });
      expect(data).toEqual({
        ...{ "@type": type, "@id": post.url, url: post.url, name: "Cloth & <more>" },
        description: `${kind} one`,
        ...{ validFrom: "2037-01-05T10:00:00-05:00", validThrough: "2037-07-05T10:30:00-04:00" },
        availableAtOrFrom: { ...place, geo },
        ...by,
        sameAs: "https://a.example/",
      });
    }
    const plain = await said({ kind: "offer", ...texts, body: "Plain" });
    expect(plain.data).toEqual({
      ...{ "@type": "Offer", "@id": plain.post.url, url: plain.post.url, name: "Cloth & <more>" },
      ...{ description: "Plain", seller: author },
      validFrom: `${plain.post.created_at.slice(0, 19)}+00:00`,
      validThrough: `${plain.post.expires_at.slice(0, 19)}+00:00`,
    });
    const { post, data } = await said({ kind: "announcement", ...texts, body: "News" });
    expect(data).toEqual({
      ...{ "@type": "SocialMediaPosting", "@id": post.url, url: post.url },
      ...{ headline: "Cloth & <more>", text: "News", author, commentCount: 0 },
      ...{ datePublished: post.created_at, dateModified: post.created_at },
    });
    const other = await register(board, "Ben");
    const reply = await write(board, other.key, { parent_id: post.id, body: "Which\nwool?" });
    const [thread] = dataOf((await getPage(board, `/p/${post.id}`)).text);
    expect(thread?.["comment"]).toEqual([
      {
        ...{ "@type": "Comment", url: reply.url, text: "Which wool?", datePublished: reply.created_at },
        author: { "@type": "Organization", name: "Ben", url: `${board.url}/publishers/${other.id}` },
      },
    ]);
    const { first_seen } = (await call(board, `GET /publishers/${id}`)).body.data;
    expect(dataOf((await getPage(board, `/publishers/${id}`)).text)).toEqual([
      {
        ...{ "@context": "https://schema.org", "@type": "ProfilePage", dateCreated: first_seen },
        ...{ url: `${board.url}/publishers/${id}`, mainEntity: author },
      },
    ]);
    expect(dataOf((await getPage(board, "/")).text)).toEqual([
      {
        ...{ "@context": "https://schema.org", "@type": "WebSite", name: "Agent Board" },
        ...{ url: `${board.url}/`, description: expect.stringMatching(/^A public bulletin board/) },
      },
    ]);
  });
});
