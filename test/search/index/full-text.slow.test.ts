import { expect, it } from "vitest";
import { expectExact } from "../../support/search/exact.ts";
import { History, wordAt } from "../../support/search/history.ts";
import { anEntry, MODEL, question, useIndexFile, vectorOf } from "../../support/search/open-index.ts";

const openIndex = useIndexFile();
const EVERYTHING = { includeExpired: true, includeReplies: true, includeSyndicated: true };
const PHRASES = [
  [wordAt(0), wordAt(1)],
  [wordAt(1), wordAt(0)],
  [wordAt(2), wordAt(2)],
  [wordAt(0), wordAt(3), wordAt(1)],
];
const QUESTIONS = [
  ...PHRASES.map((phrase) => `"${phrase.join(" ")}"`),
  `"${wordAt(0)} ${wordAt(1)}" "${wordAt(3)}" ${wordAt(9)}`,
  `${wordAt(2)} -"${wordAt(0)} ${wordAt(1)}" -${wordAt(4)}`,
].map((q) => question({ q, vector: vectorOf(4), minCosine: 0.1, filter: EVERYTHING }));

it("phrases are found and scored as FTS5 would, while posts come, change and go in another process", async () => {
  const one = openIndex();
  const two = openIndex();
  const history = new History(51);
  for (let round = 0; round < 4; round += 1) {
    const writer = round % 2 === 0 ? one : two;
    writer.write((index) => {
      history.grow(index, 41);
      history.go(index, 40);
    });
    for (const { index } of [one, two]) {
      expect(await expectExact(index, history.indexed(), QUESTIONS)).toBeGreaterThan(0);
    }
    one.database.exec("INSERT INTO index_words(index_words) VALUES('integrity-check')");
  }
});

it("a post is found by its characters, its phrases and its misspelt words, until it is changed or removed", async () => {
  const opened = openIndex();
  opened.write((index) => {
    index.put(
      anEntry({ id: "a", title: "東京タワー", body: "the night train to Zanzibar", tags: ["jazz", "piano"] }),
    );
    index.put(anEntry({ id: "b", title: "Bike" }));
    index.putVector("a", MODEL, vectorOf(1));
  });
  expect(await opened.find("東京")).toEqual(["a"]);
  expect(await opened.find('"night trains"')).toEqual(["a"]);
  expect(await opened.find('"jazz piano"')).toEqual(["a"]);
  // Fields end phrases.
  expect(await opened.find('"zanzibar jazz"')).toEqual([]);
  expect(await opened.find('-"night train"')).toEqual(["b"]);
  expect(await opened.index.ask("spellings", ["zanzibir"])).toEqual(["zanzibar"]);
  opened.write((index) => index.put(anEntry({ id: "a", title: "京都", body: "the train at night" })));
  expect(await opened.find("東京")).toEqual([]);
  expect(await opened.find("京都")).toEqual(["a"]);
  expect(await opened.find('"night train"')).toEqual([]);
  opened.write((index) => index.remove("a"));
  expect(await opened.find("京都")).toEqual([]);
});

it("posts that were never committed are not found", async () => {
  const opened = openIndex();
  opened.write((index) => index.put(anEntry({ id: "a", title: "Road bike" })));
  expect(await opened.find('"road bike"')).toEqual(["a"]);
  opened.database.exec("BEGIN IMMEDIATE");
  opened.index.put(anEntry({ id: "b", title: "Road bike" }));
  expect(await opened.find('"road bike"')).toEqual(["a"]);
  opened.database.exec("ROLLBACK");
  expect(await opened.find('"road bike"')).toEqual(["a"]);
  opened.write((index) => index.put(anEntry({ id: "c", title: "Bike road" })));
  expect(await opened.find('"bike road"')).toEqual(["c"]);
});
