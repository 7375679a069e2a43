import { describe, expect, it } from "vitest";
import { isAfterSeekers } from "../../src/search/standing-rule/cues.ts";

describe("a search", () => {
  it.each([
    "someone who needs firewood",
    "organisation that accepts used laptops",
    "couple seeking a photographer",
    "family looking for a piano teacher",
    "school asking to borrow a telescope",
    "I have a spare room, who is searching for one",
    "does anybody need a document translated",
    "wer sucht eine Wohnung",
    "qui cherche un appartement",
  ])("is after those who seek: %s", (text) => expect(isAfterSeekers(text)).toBe(true));

  it.each([
    "firewood",
    "looking for firewood",
    "I am looking for a piano teacher",
    "we need a photographer for our wedding",
    "somebody to water the plants",
    "someone who can fix my bike",
    "dog walker wanted",
    "person needed for an afternoon",
    "suche Fahrrad",
    "adult afraid of the ocean wants coaching",
  ])("is after the thing itself: %s", (text) => expect(isAfterSeekers(text)).toBe(false));
});
