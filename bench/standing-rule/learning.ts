/**
 * What is an owner's word worth? Simulates owners who call wrong posts that reach them "not relevant", one by one, and
 * judges the rule on posts they did not judge.
 *
 *   BENCH_DATA=/path npx tsx bench/standing-rule/learning.ts       ($BENCH_DATA/standing-queries-2/{queries,posts,pairs}.jsonl)
 *
 * "dense": the densely labelled queries. "wide": the queries of a theme said at once, by an owner who is after one of them.
 * "rest": judged on all other posts; a rule that learns nothing gains too, since wrong posts that were judged are gone
 * from them. "half", "tenths": words on a half or nine tenths of the posts, judged on what is left, each part once.
 * "all labels": the owner judged the 50 nearest of them, whether they reached it or not. "best cuts": nothing but a cut of
 * its own for each query, chosen by an oracle that knows every label.
 */
import { JUDGED_MAX, type Learning } from "../../src/schema/subscription.ts";
import { parseQueryText } from "../../src/search/query-text.ts";
import {
  answers,
  learningFrom,
  postText,
  standingText,
  standingVector,
} from "../../src/search/standing-rule/index.ts";
import { cosineOf } from "../../src/search/vectors.ts";
import { dataFolder } from "../support/data.ts";
import { openModel } from "../support/model.ts";
import { seeded } from "../support/random.ts";
import { type Collection, labelledPairs, type Query } from "./pairs.ts";
import { type Judged, judgedOf, type Row } from "./rows.ts";

const ORDERS = 5;
const DRAWS = 2_000;
/** Cuts that an oracle may choose from, in logits. */
const CUTS = Array.from({ length: 121 }, (_, i) => 6 - i * 0.1);
const PARTS = { rest: 1, half: 2, tenths: 10 } as const;

interface Word {
  row: Row;
  relevant: boolean;
}

interface Owner {
  /** What passes the filters. */
  rows: readonly Row[];
  /** The deployed rule's answers, after words on some posts. */
  answersAfter(words: readonly Word[]): (row: Row) => boolean;
  answersWith(learning: Learning | null): (row: Row) => boolean;
}

interface Counts {
  right: number;
  found: number;
  wanted: number;
}

/** What owners say: words on wrong posts, of which the first may be said of a right one by mistake, or also on right ones. */
type Says = "not relevant" | "one mistaken" | "relevant too" | "all labels";

interface Measured {
  learnt: number;
  unlearnt: number;
  /** 95 % of the gains when owners are drawn with repeats. */
  interval: [low: number, high: number];
  /** Words for each owner: fewer than allowed where fewer wrong posts came. */
  given: number;
  /** Share of the posts called not relevant that would be refused if they came again. */
  refused: number;
}

/** F1 over owners after at most so many words, with learning and without. */
function afterWords(
  owners: readonly Owner[],
  words: number,
  way: keyof typeof PARTS,
  says: Says = "not relevant",
): Measured {
  let [given, wrong, refused] = [0, 0, 0];
  const counted = owners.map((owner) => {
    const [learnt, unlearnt] = [none(), none()];
    const before = owner.answersAfter([]);
    for (let order = 0; order < ORDERS; order += 1) {
      const rows = shuffled(owner.rows, seeded(order + 1));
      for (let part = 0; part < PARTS[way]; part += 1) {
        const isLeft = (_: Row, i: number) => i % PARTS[way] === part;
        const shown = way === "rest" ? rows : rows.filter((row, i) => !isLeft(row, i));
        const called = wordsOn(shown, owner, words, says);
        const after = owner.answersAfter(called);
        const notRelevant = called.filter(({ relevant }) => !relevant);
        given += called.length;
        wrong += notRelevant.length;
        refused += notRelevant.filter(({ row }) => !after(row)).length;
        const left = rows.filter((row, i) => isLeft(row, i) && !called.some((word) => word.row === row));
        count(learnt, left, after);
        count(unlearnt, left, before);
      }
    }
    return { learnt, unlearnt };
  });
  const gain = (some: typeof counted) =>
    f1(some.map(({ learnt }) => learnt)) - f1(some.map(({ unlearnt }) => unlearnt));
  const random = seeded(1);
  const gains = Array.from({ length: DRAWS }, () =>
    gain(counted.map(() => counted[Math.floor(random() * counted.length)] as (typeof counted)[0])),
  ).sort((a, b) => a - b);
  return {
    learnt: f1(counted.map(({ learnt }) => learnt)),
    unlearnt: f1(counted.map(({ unlearnt }) => unlearnt)),
    interval: [gains[DRAWS * 0.025] ?? 0, gains[DRAWS * 0.975] ?? 0],
    given: given / (owners.length * ORDERS * PARTS[way]),
    refused: refused / Math.max(1, wrong),
  };
}

/** F1 over owners when an oracle chooses for each the cut that is best for the whole. */
function withBestCuts(owners: readonly Owner[]): number {
  const choices = owners.map((owner) =>
    CUTS.map((cut) => {
      const counts = none();
      const learning = { judged: [], direction: null, cut, words: {}, meaningToo: true };
      count(counts, owner.rows, owner.answersWith(learning));
      return counts;
    }),
  );
  // Each step takes the cuts that are best at the F1 of the step before, which never falls.
  let best = 0;
  for (let step = 0; step < 10; step += 1) {
    const worth = ({ right, found, wanted }: Counts) => 2 * right - best * (found + wanted);
    best = f1(choices.map((of) => of.reduce((a, b) => (worth(b) > worth(a) ? b : a))));
  }
  return best;
}

/** An owner's words on the posts that reach it, in this order, each learnt before the next post comes. */
function wordsOn(shown: readonly Row[], owner: Owner, most: number, says: Says): Word[] {
  if (says === "all labels") {
    const nearest = [...shown].sort((a, b) => b.cosine - a.cosine).slice(0, JUDGED_MAX);
    return nearest.map((row) => ({ row, relevant: row.match }));
  }
  const words: Word[] = [];
  let wrong = 0;
  let learnt = owner.answersAfter(words);
  for (const row of shown) {
    if (wrong === most) break;
    const isMistaken = says === "one mistaken" && row.match && wrong === 0;
    const isSaid = !row.match || isMistaken || says === "relevant too";
    if (!isSaid || !learnt(row)) continue;
    const relevant = row.match && !isMistaken;
    if (!relevant) wrong += 1;
    words.push({ row, relevant });
    learnt = owner.answersAfter(words);
  }
  return words;
}

const none = (): Counts => ({ right: 0, found: 0, wanted: 0 });

function count(counts: Counts, rows: readonly Row[], rule: (row: Row) => boolean): void {
  const found = rows.filter(rule);
  counts.found += found.length;
  counts.right += found.filter(({ match }) => match).length;
  counts.wanted += rows.filter(({ match }) => match).length;
}

function f1(counts: readonly Counts[]): number {
  const sum = (name: keyof Counts) => counts.reduce((total, one) => total + one[name], 0);
  return (2 * sum("right")) / Math.max(1, sum("found") + sum("wanted"));
}

function ownerOf({ collection, rows, vectors, backgrounds }: Judged, query: Query): Owner {
  const vector = vectors.get(query.id) ?? null;
  const background = backgrounds.get(query) ?? null;
  const plain = { ...query, vector, background, learning: null };
  const standing = standingText(plain);
  const passing = rows.filter((row) => row.query === query && row.passes);
  const passingIds = new Set(passing.map(({ post }) => post.id));
  const known = collection.posts.filter(({ id }) => passingIds.has(id));
  const texts = new Map(
    known.map((post) => [post.id, { text: postText(post), vector: vectors.get(post.id) ?? null }]),
  );
  const around = [...texts.values()].slice(0, 100);
  const answersAfter = (words: readonly Word[]) => {
    const posts = words.flatMap(({ row: { post, cosine }, relevant }) => {
      const its = texts.get(post.id);
      return its === undefined ? [] : [{ ...its, cosine, relevant }];
    });
    return answersWith(
      posts.length === 0 ? null : { judged: [], ...learningFrom(standing, vector, posts, around) },
    );
  };
  const answersWith = (learning: Learning | null) => {
    const moved = standingText({ ...plain, learning });
    const compared = vector === null ? null : standingVector(vector, learning);
    return ({ post }: Row) => {
      const its = texts.get(post.id);
      if (its === undefined) return false;
      const cosine = compared === null || its.vector === null ? null : cosineOf(compared, its.vector);
      return answers(moved, its.text, cosine);
    };
  };
  return { rows: passing, answersAfter, answersWith };
}

/** For each query one that asks for everything of its theme; the posts that answer stay the same. */
function widened({ queries, posts, pairs }: Collection): Collection {
  const wide = new Map(
    queries.map((query) => {
      const sisters = queries.filter(({ theme }) => theme === query.theme);
      const text = parseQueryText(sisters.map((sister) => sister.text.plain).join(", or "));
      return [query, { ...query, id: `wide ${query.id}`, text, kinds: null }];
    }),
  );
  const passing = new Set(
    pairs.filter(({ passes }) => passes).map(({ query, post }) => `${query.theme} ${post.id}`),
  );
  return {
    queries: [...wide.values()],
    posts,
    pairs: pairs.flatMap((pair) => {
      const query = wide.get(pair.query);
      return query === undefined
        ? []
        : [{ ...pair, query, passes: passing.has(`${query.theme} ${pair.post.id}`) }];
    }),
  };
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const all = [...list];
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [all[at], all[other]] = [all[other] as T, all[at] as T];
  }
  return all;
}

const model = await openModel();
const labelled = labelledPairs(dataFolder("standing-queries-2"));
const judged = await judgedOf(labelled, model);
const wide = await judgedOf(widened(labelled), model);
await model.close();
const dense = judged.collection.queries.filter((query) => query.dense);
const owners = {
  dense: dense.map((query) => ownerOf(judged, query)),
  wide: wide.collection.queries.map((query) => ownerOf(wide, query)),
};
const show = (whose: keyof typeof owners, words: number, way: keyof typeof PARTS, says: Says) => {
  const { learnt, unlearnt, interval, given, refused } = afterWords(owners[whose], words, way, says);
  const [low, high] = interval.map((gain) => gain.toFixed(3));
  const what = `${whose} ${way.padEnd(6)} ${String(words).padStart(2)} ${says.padEnd(12)} (${given.toFixed(1)} given)`;
  console.log(
    `${what}  F1 ${learnt.toFixed(3)}, without learning ${unlearnt.toFixed(3)}, gain ${low} to ${high}; again refused ${refused.toFixed(2)}`,
  );
};
for (const whose of ["dense", "wide"] as const) {
  for (const way of ["rest", "half", "tenths"] as const) {
    for (const words of [1, 3, 10]) show(whose, words, way, "not relevant");
  }
  for (const words of [1, 3]) show(whose, words, "half", "one mistaken");
  for (const words of [3, 10]) show(whose, words, "half", "relevant too");
  for (const way of ["half", "tenths"] as const) show(whose, JUDGED_MAX, way, "all labels");
  console.log(`${whose} best cuts: F1 ${withBestCuts(owners[whose]).toFixed(3)}`);
}
