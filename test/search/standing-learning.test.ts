import { describe, expect, it } from "vitest";
import { seeded } from "../../bench/support/random.ts";
import { Percolator } from "../../src/search/percolator/index.ts";
import { parseQueryText } from "../../src/search/query-text.ts";
import {
  answers,
  floorOf,
  learningFrom,
  learningInWords,
  type PostText,
  postText,
  standingText,
  standingVector,
} from "../../src/search/standing-rule/index.ts";
import { cosineOf, quantize } from "../../src/search/vectors.ts";
import { OPEN_FILTER } from "../support/boards/questions.ts";

const DIMENSION = 128;
const KINDS = ["offer", "request", "event"] as const;
const WORDS = ["canoe", "paddle", "river", "club", "vendo", "wanted", "rent", "tent", "course", "kayak"];

const random = seeded(20_261_123);
const noise = () => Float32Array.from({ length: DIMENSION }, () => random() - 0.5);
const TOPICS = Array.from({ length: 4 }, noise);
/** A vector that leans towards a topic. */
const leaning = (topic: number, share = 0.6 + random()) => {
  const [about, besides] = [TOPICS[topic] ?? noise(), noise()];
  const sum = about.map((v, i) => share * v + (besides[i] ?? 0));
  const length = Math.hypot(...sum);
  return quantize(sum.map((v) => v / length));
};
const text = (title: string, kind: string = "offer") =>
  postText({ kind, title, body: "", tags: [], placeName: null });
const posts = Array.from({ length: 200 }, (_, i) => {
  const kind = KINDS[i % KINDS.length] ?? "offer";
  const words = Array.from({ length: 5 }, () => WORDS[Math.floor(random() * WORDS.length)]);
  return { kind, text: text(words.join(" "), kind), vector: leaning(i % 4) };
});
const around = posts.slice(0, 40);

function queryWith(vector: Int8Array | null, words = "canoe paddle") {
  const plain = { text: parseQueryText(words), kinds: null, hasPlace: true, vector, background: null };
  const own = standingText({ ...plain, learning: null });
  const learn = (judged: readonly { text: PostText; vector: Int8Array | null; relevant: boolean }[]) => {
    const seen = judged.map((post) => ({
      ...post,
      cosine: vector === null || post.vector === null ? null : cosineOf(vector, post.vector),
    }));
    const learning = {
      judged: judged.map(({ relevant }, i) => ({ id: `p_${i}`, relevant })),
      ...learningFrom(own, vector, seen, around),
    };
    return { learning, standing: standingText({ ...plain, learning }) };
  };
  return { own, learn };
}

describe("what a saved query learns from its owner", () => {
  it("hides from the percolator no post that the query then answers", () => {
    let byMeaning = 0;
    for (let round = 0; round < 30; round += 1) {
      const vector = leaning(round % 4);
      const judged = posts
        .slice(round * 5, round * 5 + 1 + (round % 6))
        .map((post, i) => ({ ...post, relevant: (round + i) % 3 === 0 }));
      const { learning, standing } = queryWith(vector).learn(judged);
      const compared = standingVector(vector, learning);
      const floors = [false, true].map((foreign) =>
        Math.min(...KINDS.map((kind) => floorOf(standing, { kind, foreign }))),
      );
      const percolator = new Percolator<null>({ dimension: DIMENSION, kinds: KINDS, classes: 2 });
      const words = standing.words.flatMap((terms) => terms.split(" "));
      const meaning = { vector: compared, floors };
      percolator.add("q", { filter: OPEN_FILTER, createdAt: 0, required: [], words, meaning }, null);
      for (const post of posts) {
        const cosine = cosineOf(compared, post.vector);
        const isFound = answers(standing, post.text, cosine);
        const [candidate] = percolator.candidates({
          ...NEW_POST,
          kind: post.kind,
          words: post.text.speech.single,
          vector: post.vector,
          postClass: Number(post.text.foreign),
        });
        if (!isFound) continue;
        expect(candidate?.cosine).toBeCloseTo(cosine, 6);
        if (!answers(standing, post.text, null)) byMeaning += 1;
      }
    }
    expect(byMeaning).toBeGreaterThan(100);
  });

  it("takes words alone for no answer once they brought a wrong post, where meaning can be compared", () => {
    const wrong = { text: text("Canoe paddle as a wall lamp"), vector: leaning(1), relevant: false };
    const vector = leaning(0);
    const { own, learn } = queryWith(vector);
    const other = text("A canoe and one paddle");
    expect(answers(own, other, 0)).toBe(true);
    const { learning, standing } = learn([wrong]);
    expect([answers(standing, other, 0), answers(standing, other, null)]).toEqual([false, false]);
    expect(answers(standing, other, 0.9)).toBe(true);
    expect(learningInWords(learning)).toContain("all words alone no longer enough");
    expect(learn([{ ...wrong, relevant: true }]).learning.meaningToo).toBe(false);
    const wordsOnly = queryWith(null).learn([wrong]);
    expect(answers(wordsOnly.standing, other, null)).toBe(true);
  });

  it("stays within its bounds after fifty words on one thing", () => {
    const judged = posts.slice(0, 50).map(({ text: its }, i) => ({
      text: its,
      vector: leaning(2, 3),
      relevant: i % 10 === 9,
    }));
    const { learning } = queryWith(leaning(0)).learn(judged);
    expect(learning.direction?.weight).toBeGreaterThan(1);
    expect(learning.direction?.weight).toBeLessThanOrEqual(6);
    expect(Math.abs(learning.cut)).toBeLessThanOrEqual(3);
    expect(Object.keys(learning.words).length).toBeLessThanOrEqual(64);
  });

  it("keeps a right post that reached it when one word of three was a mistake", () => {
    const vector = leaning(0);
    const near = () => leaning(0, 4);
    const kept = text("Boat for two");
    const wrong = [1, 2].map((topic) => ({
      text: text("Tent course"),
      vector: leaning(topic),
      relevant: false,
    }));
    const mistaken = { text: text("Folding boat"), vector: near(), relevant: false };
    const { learning, standing } = queryWith(vector).learn([...wrong, mistaken]);
    const right = near();
    expect(answers(standing, kept, cosineOf(standingVector(vector, learning), right))).toBe(true);
  });
});

const NEW_POST = {
  tags: [],
  place: null,
  windowStart: 0,
  windowEnd: 10,
  verified: false,
  publisherId: "p",
  parentId: null,
  syndicated: false,
  createdAt: 5,
};
