import { readFileSync } from "node:fs";
import { pick, weightedPlaces } from "../support/random.ts";
import { CITIES } from "./cities.ts";

/** A word of the list occurs so often in the texts that were counted. */
interface CountedWord {
  word: string;
  count: number;
}

export interface Vocabulary {
  /** The most frequent come first. */
  words: readonly CountedWord[];
  /** This share of all words of a text is too rare for the list. In their place come names of places. */
  rareShare: number;
  draw(random: () => number): string;
}

/** This share is numbers: prices, years, times, house numbers. */
const NUMBERS = 1 / 40;

let vocabularyOnce: Vocabulary | undefined;

/** Gives words as frequent as in real text: `bench/board/frequencies.txt` says whose, and 135,000 names of places beside them. */
export function vocabulary(): Vocabulary {
  vocabularyOnce ??= readVocabulary();
  return vocabularyOnce;
}

function readVocabulary(): Vocabulary {
  const text = readFileSync(new URL("./frequencies.txt", import.meta.url), "utf8");
  const [, all = "", rare = ""] = text.match(/Of (\d+) words, (\d+) occur/) ?? [];
  const words = text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((line) => {
      const [count = "", ...alike] = line.split(" ");
      return alike.map((word) => ({ word, count: Number(count) }));
    });
  const place = weightedPlaces(words.map(({ count }) => count));
  const rareShare = Number(rare) / Number(all);
  return {
    words,
    rareShare,
    draw(random) {
      const kind = random();
      if (kind < NUMBERS) return String(Math.floor(10 ** (1 + 3 * random())));
      if (kind < NUMBERS + rareShare) return pick(random, CITIES).name;
      return words[place(random)]?.word ?? "";
    },
  };
}
