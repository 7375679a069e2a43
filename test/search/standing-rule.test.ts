import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PostBackground } from "../../src/schema/subscription.ts";
import { parseQueryText } from "../../src/search/query-text.ts";
import {
  answers,
  floorOf,
  passesWords,
  postText,
  standingText,
} from "../../src/search/standing-rule/index.ts";
import { termsOf } from "../../src/search/standing-rule/terms.ts";
import { indexable } from "../../src/search/tokens.ts";
import { quantize } from "../../src/search/vectors.ts";
import { MIGRATIONS } from "../../src/search-index/index.ts";
import { DatabaseSync } from "../../src/sqlite.ts";

const KINDS = ["offer", "request", "event", "announcement", "thread"];
const vectorOf = (seed: number) => {
  const raw = Float32Array.from({ length: 384 }, (_, i) => Math.sin(i * 1.7 + seed));
  const norm = Math.hypot(...raw);
  return quantize(raw.map((x) => x / norm));
};

interface More {
  kinds?: string[];
  hasPlace?: boolean;
  model?: boolean;
  background?: PostBackground;
}
const query = (q: string, more: More = {}) =>
  standingText({
    text: parseQueryText(q),
    kinds: more.kinds ?? null,
    hasPlace: more.hasPlace ?? false,
    background: more.background ?? null,
    vector: (more.model ?? true) ? vectorOf(1) : null,
  });
const post = (
  title: string,
  body = "",
  kind = "offer",
  tags: string[] = [],
  placeName: string | null = null,
) => postText({ kind, title, body, tags, placeName });

/** The least cosine that makes a yes, in hundredths; 1.01 when none does. */
function needed(standing: ReturnType<typeof query>, text: ReturnType<typeof post>): number {
  for (let cosine = 0; cosine <= 1; cosine += 0.01) if (answers(standing, text, cosine)) return cosine;
  return 1.01;
}

describe("a standing query's words", () => {
  it("answer without any vector when all of them occur, in any form and field", () => {
    const text = post("Bicycles repaired", "In the evening.", "offer", ["workshop"], "Zürich");
    expect(answers(query("bicycle repairs workshop zurich"), text, null)).toBe(true);
    expect(answers(query("bicycle repairs", { model: false }), text, 0)).toBe(true);
  });

  it.each([
    ["check-in desk", "Checkin: who has a desk?"],
    ["checkin desk", "A desk for the check-in"],
    ["piano teacher Müller", "Mueller, piano teacher"],
    ["piano teacher mueller", "Müller, piano teacher"],
    ["piano teacher Müller", "Muller, piano teacher"],
  ])("are found however they are written: %s, %s", (q, title) => {
    expect(answers(query(q), post(title), null)).toBe(true);
    expect(answers(query(`${q} abroad`), post(title), null)).toBe(false);
  });

  it("do not answer alone when one is missing", () => {
    expect(answers(query("bicycle repairs abroad"), post("Bicycle repairs"), null)).toBe(false);
  });

  it("are found inside a run of a script without blanks", () => {
    expect(answers(query("自転車"), post("中古の自転車を売ります"), null)).toBe(true);
    expect(answers(query("自転車"), post("自動車を売ります"), null)).toBe(false);
  });

  it("are compared as the index compares them", () => {
    const database = new DatabaseSync(":memory:");
    for (const statement of MIGRATIONS) database.exec(statement);
    database.exec("CREATE VIRTUAL TABLE terms USING fts5vocab(index_words, instance)");
    const indexed = (text: string) => {
      database.exec("INSERT INTO index_words (index_words) VALUES ('delete-all')");
      database
        .prepare("INSERT INTO index_words (rowid, title, body, more) VALUES (1, ?, '', '')")
        .run(indexable(text));
      const terms = database.prepare("SELECT term FROM terms ORDER BY offset").all() as { term: string }[];
      return terms.map(({ term }) => term).join(" ");
    };
    const texts =
      `Running runners ran; Straßen STRASSE|Οδός ΟΔΟΣ τις|Ёлка за́мок йод|Łódź œuvres Smørrebrød|İstanbul
      ısparta|أحمد مُعَلِّم|東京の自転車 Tower|हिन्दी की कक्षा|Ꭰ Ა Ǆ|C++, e-mail, don’t 12,50|a\u034F\u0301`.split(
        "|",
      );
    for (const text of texts) expect(termsOf(text), text).toBe(indexed(text));
    database.close();
  });

  it("make phrases across tags, as in a search", () => {
    const tagged = post("Lessons", "", "offer", ["jazz", "piano"], "Riga");
    expect(answers(query('"jazz piano"', { model: false }), tagged, null)).toBe(true);
    expect(answers(query('lessons -"piano riga"', { model: false }), tagged, null)).toBe(false);
  });

  it("leave phrases and exclusions their say, whatever the cosine", () => {
    const standing = query('tent "two persons" -wanted');
    expect(answers(standing, post("Tent for two persons"), 0.9)).toBe(true);
    expect(passesWords(standing, post("Tent", "Two. Persons."))).toBe(true);
    expect(answers(standing, post("Tent for persons two"), 0.9)).toBe(false);
    expect(answers(standing, post("Wanted: tent for two persons"), 0.9)).toBe(false);
  });

  it("are not asked for when there are only phrases or exclusions", () => {
    expect(answers(query('"night train"'), post("The night trains of May"), null)).toBe(true);
    expect(answers(query("-electric"), post("Bike"), null)).toBe(true);
    expect(answers(query("!?"), post("Bike"), 0.9)).toBe(false);
  });
});

describe("a standing query's meaning", () => {
  it("answers a near text without any shared word, and no far one", () => {
    const text = post("Racing bicycle for sale", "Aluminium frame.");
    expect(answers(query("used road cycle"), text, 0.6)).toBe(true);
    expect(answers(query("used road cycle"), text, 0.19)).toBe(false);
    expect(answers(query("used road cycle"), text, null)).toBe(false);
  });

  it("needs less where filters have already chosen", () => {
    const text = post("Racing bicycle", "Aluminium frame.");
    const plain = needed(query("used road cycle"), text);
    expect(needed(query("used road cycle", { kinds: ["offer"], hasPlace: true }), text)).toBeLessThan(plain);
  });

  it("needs more where more posts pass the filters, and where these are nearer to the query", () => {
    const text = post("Racing bicycle", "Aluminium frame.");
    const seen = (passing: number, meanCosine: number) => {
      const background = { posts: 1_000, passing, compared: Math.min(passing, 200), meanCosine };
      return needed(query("used road cycle", { background }), text);
    };
    expect(seen(100, 0.15)).toBeGreaterThan(seen(10, 0.15) + 0.1);
    expect(seen(100, 0.25)).toBeGreaterThan(seen(100, 0.15) + 0.1);
    // A count far beyond those of the labelled sets says no more.
    expect(seen(900_000, 0.15)).toBe(seen(1_000, 0.15));
  });

  it("is judged on a board of few posts as on a usual one, by the filters", () => {
    const text = post("Racing bicycle", "Aluminium frame.");
    const seen = (posts: number, passing: number) =>
      needed(query("used road cycle", { background: { posts, passing, compared: 0, meanCosine: 0 } }), text);
    expect(seen(0, 0)).toBe(needed(query("used road cycle"), text));
    expect(seen(2, 2)).toBeGreaterThan(seen(200, 2) + 0.1);
  });

  it("needs more of a text that repeats some of the words, whose cosine they have lifted", () => {
    const standing = query("telescope mirror cleaning kit");
    const shared = needed(standing, post("Telescope with a mirror"));
    expect(shared).toBeGreaterThan(needed(standing, post("Everything that makes optics shine again")));
  });
});

describe("the floor", () => {
  const words = fc.constantFrom(
    "bike",
    "wanted",
    "concert",
    "how",
    "Utrecht",
    "vendo",
    "el",
    "new",
    "-loan",
    '"a b"',
    "自転車",
  );
  const texts = fc.array(words, { maxLength: 8 }).map((list) => list.join(" "));
  const kind = fc.constantFrom(...KINDS);
  const queries = fc
    .tuple(texts, fc.option(kind), fc.boolean(), fc.boolean())
    .map(([q, only, hasPlace, model]) =>
      query(q, { ...(only === null ? {} : { kinds: [only] }), hasPlace, model }),
    );
  const posts = fc.tuple(texts, texts, kind).map(([title, body, of]) => post(title, body, of));

  it("is one below which only words answer, lowest for a post of unknown kind", () => {
    fc.assert(
      fc.property(queries, posts, fc.double({ min: -1, max: 1, noNaN: true }), (standing, text, cosine) => {
        const byWords = answers(standing, text, null);
        expect(floorOf(standing, text)).toBeGreaterThanOrEqual(floorOf(standing));
        if (cosine < floorOf(standing, text)) expect(answers(standing, text, cosine)).toBe(byWords);
      }),
    );
  });

  it("is out of reach without a vector", () => {
    expect(floorOf(query("bike", { model: false }))).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("a meaning that is very near", () => {
  it("is not held back by shared words: most of the words and a cosine of 0.55 are a match", () => {
    const background = { posts: 260, passing: 50, compared: 50, meanCosine: 0.15 };
    const standing = query("used road bike", { kinds: ["offer"], background });
    const bike = post("Road bike, Shimano 105", "Frame of 56 cm, serviced last spring.");
    expect(answers(standing, bike, 0.55)).toBe(true);
    expect(answers(standing, bike, 0.45)).toBe(false);
  });
});
