import { expect, it } from "vitest";
import { expectExact } from "../../support/search/exact.ts";
import { History, wordAt } from "../../support/search/history.ts";
import { question, useIndexFile, vectorOf } from "../../support/search/open-index.ts";

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
