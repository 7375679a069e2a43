import { getEncoding } from "js-tiktoken";
import { beforeAll, describe, expect, it } from "vitest";
import { answerOf, type Call } from "../../src/adapters/mcp/results.ts";
import { servedTools } from "../../src/adapters/mcp/tool-list.ts";
import { cutToTokens, estimatedTokens } from "../../src/adapters/text/tokens.ts";
import { loadCatalog } from "../../src/catalog.ts";
import { Site } from "../../src/domain/site.ts";
import type { Post } from "../../src/schema/post.ts";

const encoding = getEncoding("o200k_base");
const tokensOf = (text: string) => encoding.encode(text).length;
const SITE = new Site("http://localhost:8787");
const NOW = Date.parse("2026-11-22T12:00:00Z");
const TOKENS_OF_TEN = 1_100;

/** One sentence each, as people write. */
const SENTENCES: Record<string, string> = {
  English:
    "Come and try ceramics with us: no experience needed, all material is there, coffee and tea are free. ",
  German:
    "Kommt und probiert Keramik mit uns aus: keine Erfahrung nötig, Material ist da, Kaffee und Tee sind frei. ",
  Finnish: "Tule kokeilemaan keramiikkaa kanssamme: kokemusta ei tarvita, kahvi ja tee ovat ilmaisia. ",
  Vietnamese:
    "Hãy đến và thử làm gốm cùng chúng tôi: không cần kinh nghiệm, cà phê và trà miễn phí cho mọi người. ",
  Russian: "Приходите попробовать керамику вместе с нами: опыт не нужен, кофе и чай бесплатно для всех. ",
  Greek: "Ελάτε να δοκιμάσετε κεραμική μαζί μας, δεν χρειάζεται εμπειρία, ο καφές είναι δωρεάν. ",
  Arabic: "تعالوا وجربوا الخزف معنا: لا حاجة إلى خبرة، جميع المواد متوفرة، والقهوة والشاي مجانيان. ",
  Hebrew: "בואו לנסות קרמיקה איתנו: לא נדרש ניסיון, כל החומרים במקום, קפה ותה בחינם לכולם. ",
  Hindi: "हमारे साथ मिट्टी के बर्तन बनाना आज़माएं: किसी अनुभव की आवश्यकता नहीं है, चाय मुफ़्त है। ",
  Thai: "มาลองทำเครื่องปั้นดินเผากับเรา ไม่ต้องมีประสบการณ์ มีวัสดุครบ กาแฟและชาฟรี ",
  Chinese: "欢迎来和我们一起尝试陶艺：无需经验，所有材料都已备齐，咖啡和茶免费。",
  Japanese: "一緒に陶芸を体験しましょう。経験は必要ありません。コーヒーと紅茶は無料です。",
  Korean: "저희와 함께 도자기를 체험해 보세요. 경험이 없어도 괜찮고, 커피와 차는 무료입니다. ",
  Georgian: "მოდით და სცადეთ კერამიკა ჩვენთან ერთად: გამოცდილება საჭირო არ არის. ",
};

/** Every character of a block, in an order without sense. */
function shuffled(from: number, to: number): string {
  const chars = Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i)).filter(
    (char) => /[\p{L}\p{N}\p{S}\p{P}\p{M}]/u.test(char) && char.normalize("NFC") === char,
  );
  let seed = 7;
  const draw = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return chars[Math.floor((seed / 2_147_483_648) * chars.length)] ?? "";
  };
  return Array.from({ length: 400 }, draw).join("");
}
const NONSENSE: Record<string, string> = {
  letters: shuffled(97, 122),
  capitals: shuffled(65, 90),
  ASCII: shuffled(33, 126),
  "letters with accents": shuffled(0xc0, 0x24f),
  Cyrillic: shuffled(0x410, 0x4ff),
  Arabic: shuffled(0x620, 0x6d3),
  Devanagari: shuffled(0x905, 0x939),
  Ethiopic: shuffled(0x1200, 0x137f),
  "Chinese characters": shuffled(0x4e00, 0x9fff),
  "rare Chinese characters": shuffled(0x20000, 0x2a6df),
  Hangul: shuffled(0xac00, 0xd7a3),
  Yi: shuffled(0xa000, 0xa48c),
  hieroglyphs: shuffled(0x13000, 0x1342e),
  symbols: shuffled(0x2190, 0x22ff),
  emoji: shuffled(0x1f300, 0x1f64f),
  families: "👨‍👩‍👧‍👦".repeat(60),
  "piled marks": "a\u0301\u0323\u0308\u0332".repeat(100),
  syllables: "stquer".repeat(70),
  "words of one letter": "x 1 q, ".repeat(60),
  quotes: '"\\'.repeat(200),
};

/** A post that has everything a post may have, each as long as it may be. */
function largestPost(i: number, text: string): Post {
  const cut = (length: number) =>
    [...text.repeat(Math.ceil(length / [...text].length) + 1)].slice(i, i + length).join("");
  return {
    id: `7fKm3Qx9R${i}-a1B2c${i}`,
    url: `https://board.example/p/7fKm3Qx9R${i}-a1B2c${i}`,
    kind: "announcement",
    title: cut(200),
    body: cut(8_000),
    link: `https://example.org/${"u8-".repeat(320)}`,
    tags: Array.from({ length: 20 }, (_, n) => cut(38) + n),
    location: { name: cut(200), lat: -52.123456, lng: -104.987654 },
    starts_at: `2027-03-${10 + i}T18:37:00.000Z`,
    ends_at: `2027-04-${10 + i}T20:41:00.000Z`,
    timezone: "America/Argentina/ComodRivadavia",
    expires_at: "2026-11-21T00:00:00.000Z",
    source_url: null,
    syndicated: true,
    metadata: {},
    retrievals: 12,
    parent_id: `7fKm3Qx9R${i}`,
    thread_url: null,
    reply_count: 0,
    last_reply_at: null,
    flags: ["possible_instruction", "hidden_unicode", "encoded_blob", "many_links"],
    created_at: "2026-11-18T08:00:00.000Z",
    updated_at: "2026-11-18T08:00:00.000Z",
    distance_km: 476.5,
    relevance: 0.9,
    publisher: {
      id: `pub_4yTq8WnZ2kPv6${i}`,
      name: cut(80),
      description: null,
      url: null,
      domain: null,
      verified: true,
      first_seen: "2026-01-01T00:00:00.000Z",
      post_count: 20,
      crier_url: "https://board.example/publishers/x",
    },
  };
}

/** A cursor as long as those of a walk by relevance. */
const CURSOR =
  "son0WulWEW3IWyJkNWE0M2MxZDM2MjMiLCJxa29zbmYxSHRVc3ciLDEwLDE3OTUzNjM3Njc3NjAsIkFMekVHeDAyS3hFeXZadEMtVndTU21vcWJfODQiLDAuMjVd";

let shown: (posts: Post[]) => string;
beforeAll(async () => {
  const tool = servedTools(await loadCatalog()).get("search");
  if (tool === undefined) throw new Error("there is no search");
  const sent = { q: "ceramics", near: "52.37,4.90" };
  const call: Call = { tool, served: tool.operations[0], sent, detail: "compact", now: NOW, site: SITE };
  shown = (posts) =>
    answerOf(call, {
      reply: { outcome: "ok", data: posts },
      body: { ok: true, data: posts, next_cursor: CURSOR, meta: { query: sent, ranking: "hybrid+rerank" } },
    }).text;
});

describe("ten results", () => {
  const texts = Object.entries({ ...SENTENCES, ...NONSENSE });

  it.each(texts)("cost at most 1,100 tokens when every field is as long as it may be: %s", (_name, text) => {
    const answer = shown(Array.from({ length: 10 }, (_, i) => largestPost(i, text)));
    expect(tokensOf(answer)).toBeLessThanOrEqual(TOKENS_OF_TEN);
    expect(answer.match(/^\d+\. `/gm)).toHaveLength(10);
    expect(answer.isWellFormed()).toBe(true);
  });

  it.each(Object.entries(SENTENCES))("leave room for title, place and an excerpt: %s", (_name, text) => {
    const usual = (post: Post): Post => ({
      ...post,
      id: post.id.slice(0, 10),
      kind: "event",
      parent_id: null,
      distance_km: 4.2,
      title: [...text].slice(0, /\p{Script=Latin}/u.test(text) ? 28 : 16).join(""),
      location: { name: [...text].slice(0, 10).join(""), lat: 52.1, lng: 4.9 },
      publisher: { ...post.publisher, name: [...text].slice(0, 10).join("") },
      body: text.repeat(9),
      tags: [],
      flags: [],
      link: null,
      timezone: "Europe/Amsterdam",
      ends_at: null,
      reply_count: 0,
      syndicated: false,
      expires_at: "2027-11-21T00:00:00.000Z",
    });
    const posts = Array.from({ length: 10 }, (_, i) => usual(largestPost(i, text)));
    const answer = shown(posts);
    expect(tokensOf(answer)).toBeLessThanOrEqual(TOKENS_OF_TEN);
    expect(answer).toContain(JSON.stringify(posts[0]?.title.trim()));
    const excerpts = [...answer.matchAll(/^ {3}> (.*)$/gm)].map(([, excerpt = ""]) => tokensOf(excerpt));
    expect(Math.min(...excerpts)).toBeGreaterThanOrEqual(3);
  });
});

describe("estimatedTokens", () => {
  it("is right within a third for natural text, whatever its language", () => {
    for (const [name, text] of Object.entries(SENTENCES)) {
      const ratio = estimatedTokens(text.repeat(3)) / tokensOf(text.repeat(3));
      expect({ name, ratio: ratio > 0.75 && ratio < 1.7 ? "near" : ratio }).toEqual({ name, ratio: "near" });
    }
  });
});

describe("cutToTokens", () => {
  it("cuts between what people see as characters, and says so", () => {
    for (const char of ["👨‍👩‍👧‍👦", "🇳🇱", "e\u0301\u0323", "한", "क्षि"]) {
      const cut = cutToTokens(char.repeat(50), 25);
      expect(cut.endsWith("…")).toBe(true);
      expect(cut.slice(0, -1)).toBe(char.repeat((cut.length - 1) / char.length));
    }
    expect(cutToTokens("short", 25)).toBe("short");
  });
});
