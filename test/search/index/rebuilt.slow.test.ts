import { describe, expect, it } from "vitest";
import { aPage } from "../../support/boards/questions.ts";
import { allAnswers } from "../../support/search/all-answers.ts";
import { answersOn, expectExact } from "../../support/search/exact.ts";
import { History, wordAt } from "../../support/search/history.ts";
import { MODEL, question, useIndexFile, vectorOf } from "../../support/search/open-index.ts";

const openIndex = useIndexFile();

/** Lets every post pass. */
const EVERYTHING = { includeExpired: true, includeReplies: true, includeSyndicated: true };

/** Of few and many words, the last two of one stem. */
const ASKED = [[0], [40, 700], [3, 20, 90, 400, 1_500], [2_000, 3_000]].map((ranks) =>
  ranks.map(wordAt).join(" "),
);
const QUESTIONS = [...ASKED, `${wordAt(5)} ${wordAt(5)}s`].flatMap((q) =>
  [null, vectorOf(7)].map((vector) => question({ q, vector, minCosine: 0.1, filter: EVERYTHING })),
);

describe("a memory that lived through a long history", () => {
  it("answers and scores as one that was just loaded", async () => {
    const opened = openIndex();
    const live = answersOn(opened, { deadRows: 150 });
    const history = new History(32);
    opened.write((index) => history.grow(index, 600));
    live.follower.follow();
    const moves: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      opened.write((index) => history.go(index, 170));
      live.follower.stale = true;
      if (i === 3) {
        const loaded = answersOn(opened);
        expect(await allAnswers(live)).toEqual(await allAnswers(loaded));
        await expectExact(live, history.indexed(), QUESTIONS);
        loaded.release();
      }
      live.follower.follow();
      moves.push(live.follower.memory.moves);
    }
    // Dead rows were dropped on the way, and others are left at the end.
    expect(moves.at(-1)).toBeGreaterThan(0);
    expect(live.follower.memory.rows.dead).toBeGreaterThan(0);
    expect(live.follower.memory.rows.live).toBe(history.posts.size);
    expect(await allAnswers(live)).toEqual(await allAnswers(answersOn(opened)));
    await expectExact(live, history.indexed(), QUESTIONS);
  });

  it("answers with sign codes as it does without, also after rows moved", async () => {
    const opened = openIndex();
    const history = new History(33);
    const live = answersOn(opened, { codesFrom: 500, deadRows: 100 });
    opened.write((index) => history.grow(index, 450));
    live.follower.follow();
    expect(live.follower.memory.coded).toBe(0);
    for (let i = 0; i < 8; i += 1) {
      opened.write((index) => {
        history.grow(index, 40);
        history.go(index, 120);
      });
      live.follower.stale = true;
      live.follower.follow();
    }
    expect(live.follower.memory.coded).toBeGreaterThan(500);
    expect(live.follower.memory.moves).toBeGreaterThan(0);
    const exact = await allAnswers(answersOn(opened));
    // On a board of this size the codes name more candidates than there are posts.
    expect(await allAnswers(live)).toEqual(exact);
    const loaded = answersOn(opened, { codesFrom: 500 });
    expect(await allAnswers(loaded)).toEqual(exact);
    expect(loaded.follower.memory.coded).toBeGreaterThan(500);
  });
});

it("a removed vector does not lower the score of a post found by words", async () => {
  const opened = openIndex();
  const history = new History(35);
  const opposite = vectorOf(5).map((x) => -x);
  opened.write((index) => {
    history.grow(index, 2_500);
    for (const id of history.posts.keys()) index.putVector(id, MODEL, opposite);
  });
  opened.index.follow();
  // More posts compete than are looked at; half of them lose their vectors.
  opened.write((index) => {
    for (const id of [...history.posts.keys()].filter((_, i) => i % 2 === 0)) index.putVector(id, null, null);
  });
  const q = Array.from({ length: 30 }, (_, i) => wordAt(i)).join(" ");
  const asked = question({ q, vector: vectorOf(5), filter: EVERYTHING });
  const live = await opened.index.ask("rank", asked, aPage(1_000));
  expect(live).toEqual(await openIndex().index.ask("rank", asked, aPage(1_000)));
});

it("a ranking is right although rows move while it is made", async () => {
  const opened = openIndex();
  const history = new History(36);
  opened.write((index) => history.grow(index, 2_500));
  const asked = question({ q: wordAt(3), vector: vectorOf(5), minCosine: 0, filter: EVERYTHING });
  const options = { rerank: true, limit: 50, except: new Set<string>() };
  await opened.index.ask("rank", asked, options);
  const ranking = opened.index.ask("rank", asked, options);
  opened.write((index) => history.thin(index, 0.7));
  opened.index.follow();
  expect(await ranking).toEqual(await openIndex().index.ask("rank", asked, options));
});

it("a memory that could not be read to the end is read again", async () => {
  const opened = openIndex();
  opened.write((index) => new History(37).grow(index, 5_500));
  const last = "(SELECT max(seq) FROM index_doc)";
  opened.database.exec(`UPDATE index_doc SET post = '[' || post WHERE seq = ${last}`);
  const list = () => opened.pass(EVERYTHING);
  await expect(list()).rejects.toThrow("JSON");
  opened.database.exec(`UPDATE index_doc SET post = substr(post, 2) WHERE seq = ${last}`);
  expect(await list()).toHaveLength(5_500);
});
