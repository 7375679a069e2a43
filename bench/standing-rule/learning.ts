/**
 * What is an owner's word worth? Simulates owners of the densely labelled queries, who call the first wrong posts that
 * reach them "not relevant", and judges the rule on posts they did not judge.
 *
 *   BENCH_DATA=/path npx tsx bench/standing-rule/learning.ts       ($BENCH_DATA/standing-queries-2/{queries,posts,pairs}.jsonl)
 *
 * "rest": all other posts. Wrong ones that were judged are gone from them, so a rule that learns nothing gains too: it
 * stands beside. "half": words on one random half of the posts, judged on the other, so that only learning counts.
 */
import { pathToFileURL } from "node:url";
import {
  answers,
  learningFrom,
  postText,
  type StandingText,
  standingText,
  standingVector,
} from "../../src/search/standing-rule/index.ts";
import { cosineOf } from "../../src/search/vectors.ts";
import { dataFolder } from "../support/data.ts";
import { openModel } from "../support/model.ts";
import { seeded } from "../support/random.ts";
import { labelledPairs, type Query } from "./pairs.ts";
import { type Judged, judgedOf, type Row } from "./rows.ts";

const ORDERS = 10;

interface Owner {
  rows: readonly Row[];
  standing: StandingText;
  /** The deployed rule's answers, after words on some posts. */
  answersAfter(judged: readonly Row[]): (row: Row) => boolean;
}

/** F1 over the densely labelled queries after so many words, with learning and without. */
export function afterWords(judged: Judged, words: number, way: "rest" | "half") {
  const owners = judged.collection.queries
    .filter(({ dense }) => dense)
    .map((query) => ownerOf(judged, query));
  const sums = { learnt: { right: 0, found: 0 }, unlearnt: { right: 0, found: 0 }, wanted: 0 };
  for (let order = 0; order < ORDERS; order += 1) {
    const random = seeded(order + 1);
    for (const owner of owners) {
      const rows = shuffled(owner.rows, random);
      const shown = way === "half" ? rows.slice(0, Math.floor(rows.length / 2)) : rows;
      const called: Row[] = [];
      let learnt = owner.answersAfter(called);
      for (const row of shown) {
        if (called.length === words) break;
        if (row.match || !learnt(row)) continue;
        called.push(row);
        learnt = owner.answersAfter(called);
      }
      const left = way === "half" ? rows.slice(shown.length) : rows.filter((row) => !called.includes(row));
      sums.wanted += left.filter(({ match }) => match).length;
      for (const [sum, rule] of [
        [sums.learnt, learnt],
        [sums.unlearnt, owner.answersAfter([])],
      ] as const) {
        const found = left.filter(rule);
        sum.found += found.length;
        sum.right += found.filter(({ match }) => match).length;
      }
    }
  }
  const f1 = ({ right, found }: { right: number; found: number }) =>
    (2 * right) / Math.max(1, found + sums.wanted);
  return { learnt: f1(sums.learnt), unlearnt: f1(sums.unlearnt) };
}

function ownerOf({ collection, rows, vectors, backgrounds }: Judged, query: Query): Owner {
  const vector = vectors.get(query.id) ?? null;
  const background = backgrounds.get(query) ?? null;
  const standing = standingText({ ...query, vector, background, learning: null });
  const texts = new Map(collection.posts.map((post) => [post.id, postText(post)] as const));
  const passing = rows.filter((row) => row.query === query && row.passes);
  const around = passing.flatMap(({ post }) => {
    const text = texts.get(post.id);
    return text === undefined ? [] : [{ text, vector: vectors.get(post.id) ?? null }];
  });
  const answersAfter = (judged: readonly Row[]) => {
    const posts = judged.flatMap(({ post, match, cosine }) => {
      const text = texts.get(post.id);
      return text === undefined
        ? []
        : [{ text, vector: vectors.get(post.id) ?? null, cosine, relevant: match }];
    });
    const learning =
      posts.length === 0 ? null : { judged: [], ...learningFrom(standing, vector, posts, around) };
    const moved = standingText({ ...query, vector, background, learning });
    const compared = vector === null ? null : standingVector(vector, learning);
    return ({ post }: Row) => {
      const [text, its] = [texts.get(post.id), vectors.get(post.id)];
      if (text === undefined) return false;
      return answers(moved, text, compared === null || its === undefined ? null : cosineOf(compared, its));
    };
  };
  return { rows: passing, standing, answersAfter };
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const all = [...list];
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [all[at], all[other]] = [all[other] as T, all[at] as T];
  }
  return all;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const model = await openModel();
  const judged = await judgedOf(labelledPairs(dataFolder("standing-queries-2")), model);
  await model.close();
  for (const words of [0, 1, 3, 10]) {
    const [rest, half] = [afterWords(judged, words, "rest"), afterWords(judged, words, "half")];
    console.log(
      `${String(words).padStart(2)} words: rest F1 ${rest.learnt.toFixed(3)} (without learning ${rest.unlearnt.toFixed(3)})  half ${half.learnt.toFixed(3)} (${half.unlearnt.toFixed(3)})`,
    );
  }
}
