import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readText } from "../../src/data/read.ts";
import { openPlaces } from "../../src/gazetteer/file.ts";
import { placeInText } from "../../src/gazetteer/in-text.ts";
import { resolvePlace, suggestPlaces, townAround, townAt, townNumbered } from "../../src/gazetteer/index.ts";
import { TimeZone } from "../../src/schema/scalars.ts";
import { builtPlaces } from "../support/gazetteer/build.ts";

describe("the gazetteer's file", () => {
  it("is what `npm run gazetteer` makes", () => {
    expect(builtPlaces() === readText("places.jsonl.br")).toBe(true);
  });

  it("holds more than 130,000 places", () => expect(openPlaces().size).toBeGreaterThan(130_000));
});

describe("resolvePlace", () => {
  const labelOf = (name: string) => {
    const found = resolvePlace(name);
    return "place" in found ? found.place.label : Object.keys(found)[0];
  };

  it("gives each place it lists among several a label that means this place alone", () => {
    for (const name of ["Springfield", "Cambridge", "Newcastle", "Halle", "San José", "Hyderabad"]) {
      const found = resolvePlace(name);
      const listed = "oneOf" in found ? found.oneOf : [];
      expect(listed.length).toBeGreaterThan(1);
      for (const place of listed.slice(0, 3))
        expect(resolvePlace(place.label)).toMatchObject({ place: { lat: place.lat, lng: place.lng } });
    }
  });

  it("tells who else bears the name, where it is of comparable size", () => {
    const othersOf = (name: string) => {
      const found = resolvePlace(name);
      return "place" in found ? found.others.map(({ label }) => label) : null;
    };
    expect(othersOf("Birmingham")).toEqual(["Birmingham, Alabama"]);
    expect(othersOf("Paris")).toEqual([]);
  });

  it.each([
    ..."Bali Tenerife Sardinia Madeira Skye Kent Cornwall Ontario Scotland Italy Cuba Malta Germany".split(
      " ",
    ),
    ..."Deutschland Sardinien Mali Georgia Sicily Essex Kreta".split(" "),
    "Isle of Skye",
    "Kent, England",
  ])("takes %s for a country or region, and for no small town", (name) => {
    expect(resolvePlace(name)).toHaveProperty("region");
  });

  it.each([
    ["New York", "New York City, New York"],
    ["Washington", "Washington, D.C., District of Columbia"],
    ["Luxembourg", "Luxembourg, Luxembourg"],
    ["Salzburg", "Salzburg, Austria"],
    ["Monaco", "Monaco, Monaco"],
    ["Limerick", "Luimneach, Ireland"],
    ["Kent, WA", "Kent, Washington"],
    ["Ontario, California", "Ontario, California"],
    ["St. Gallen", "Sankt Gallen, Switzerland"],
    ["Sankt Gallen", "Sankt Gallen, Switzerland"],
    ["St. Pölten", "Sankt Pölten, Austria"],
    ["Bad Homburg", "Bad Homburg vor der Höhe, Germany"],
    ["Freiburg im Breisgau", "Freiburg, Germany"],
    ["Esslingen am Neckar", "Esslingen, Germany"],
    ["Ludwigshafen", "Ludwigshafen am Rhein, Germany"],
    ["La Coruña", "A Coruña, Spain"],
  ])("takes %s for the town", (name, label) => {
    expect(labelOf(name)).toBe(label);
  });

  it("takes a venue for the town it stands in, and no venue alone", () => {
    expect(labelOf("Café Kino, Leipzig")).toBe("Leipzig, Germany");
    expect(labelOf("Old Town Hall, Springfield, MO")).toBe("Springfield, Missouri");
    for (const venue of ["Riverside Park", "Online", "Community Hall", "Zoom", "Remote", "my place"])
      expect([venue, labelOf(venue)]).toEqual([venue, "unknown"]);
  });

  it("lets the caller say which places fit", () => {
    const found = resolvePlace("Birmingham", ({ lng }) => lng < -50);
    expect("place" in found && found.place.label).toBe("Birmingham, Alabama");
  });

  it("understands any text", () => {
    for (const text of [
      "",
      " ",
      ",",
      "()",
      "-",
      "\u0000",
      "🙂",
      "a".repeat(5_000),
      ", , ,",
      "near ",
      "in in in",
      "٣",
    ])
      expect(() => resolvePlace(text)).not.toThrow();
  });
});

describe("the zone of a post", () => {
  it.each([
    ["europe/berlin", "Europe/Berlin"],
    [" Europe/Berlin", "Europe/Berlin"],
    ["AMERICA/NEW_YORK", "America/New_York"],
    ["utc", "UTC"],
  ])("%s is %s", (sent, zone) => {
    expect(TimeZone.parse(sent)).toBe(zone);
  });

  it("is no offset and no unknown name", () => {
    for (const sent of ["+01:00", "Berlin", "Europe/Atlantis"])
      expect(TimeZone.safeParse(sent).success).toBe(false);
  });
});

describe("suggestPlaces", () => {
  it("lists the largest places first, each by a label of its own", () => {
    const labels = suggestPlaces("ber").map(({ label }) => label);
    expect(labels[0]).toBe("Berlin, Germany");
    expect(new Set(labels).size).toBe(labels.length);
    expect(suggestPlaces("spring", 8)).toHaveLength(8);
  });

  it("knows other scripts, and lists nothing for nothing", () => {
    expect(suggestPlaces("東京")[0]?.label).toBe("Tokyo, Japan");
    expect(suggestPlaces("")).toEqual([]);
  });
});

/** Sentences of files of posts or abstracts, evenly drawn, each with the name of the post's own place. */
function sentencesOf(files: readonly string[], count: number) {
  const all = files
    .flatMap((file) => readFileSync(file, "utf8").split("\n").filter(Boolean))
    .map((line) => JSON.parse(line))
    .flatMap(({ title = "", body = "", text = "", location }) =>
      `${title}. ${body || text}`
        .split(/(?<=[.!?])\s+|\n+/)
        .filter((sentence) => sentence.split(/\s+/).length > 3)
        .map((sentence) => ({ sentence, place: String(location?.name ?? "") })),
    );
  const drawn = Math.min(count, all.length);
  return Array.from({ length: drawn }, (_, n) => all[Math.floor((n * all.length) / drawn)]);
}

/** What is read as a place that is not the post's own. */
const readWrongly = (sentences: ReturnType<typeof sentencesOf>) =>
  sentences.flatMap((each) => {
    const found = each === undefined ? null : placeInText(each.sentence);
    return found === null || each?.place.includes(found.place.name)
      ? []
      : [`${found.text} → ${found.place.label}: ${each?.sentence}`];
  });

const DATA = process.env["BENCH_DATA"] ?? "";

describe("words of ordinary sentences", () => {
  it("are read as places where they name one, and hardly anywhere else", () => {
    const files = ["harmless", "harmless-seen"].map((name) =>
      join(import.meta.dirname, `../support/flags/${name}.jsonl`),
    );
    const sentences = sentencesOf(files, 500);
    const right = /^(?:in Lyon|Porto|near Ghent|Paris) → /;
    const wrong = readWrongly(sentences).filter((reading) => !right.test(reading));
    expect(sentences.length).toBeGreaterThan(400);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(sentences.length / 100);
  });

  it.skipIf(!existsSync(join(DATA, "notices")))("of notices and abstracts, too (BENCH_DATA)", () => {
    const abstracts = ["cacm", "cisi", "cranfield"].map((name) =>
      join(DATA, "relevance", name, "corpus.jsonl"),
    );
    const notices = ["notices", "notices-2"].map((name) => join(DATA, name, "posts.jsonl"));
    const sentences = [...sentencesOf(abstracts, 250), ...sentencesOf(notices, 250)];
    const wrong = readWrongly(sentences);
    expect(sentences).toHaveLength(500);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(5);
  });
});

describe("placeInText", () => {
  it.each([
    ["a flat in St. Louis from May", "in St. Louis", "St. Louis"],
    [
      "tool library Newcastle upon Tyne, United Kingdom",
      "Newcastle upon Tyne, United Kingdom",
      "Newcastle upon Tyne",
    ],
    ["WG-Zimmer bei Goettingen", "bei Goettingen", "Göttingen"],
    ["bikes near The Hague", "near The Hague", "The Hague"],
    ["jazz in São Paulo - tonight", "in São Paulo", "São Paulo"],
  ])("reads the whole name in %s", (text, words, name) => {
    const found = placeInText(text);
    expect(found?.text).toBe(words);
    expect(found?.place.name).toBe(name);
  });

  it.each([
    ["house in Cork", "Cork"],
    ["flat in Nice", "Nice"],
    ["yoga in Bath", "Bath"],
    ["Lessons move to Etobicoke", "Etobicoke"],
    ["chess club london", "London"],
    ["flat in munich", "Munich"],
    ["meet in Kent, Washington", "Kent"],
  ])("reads the place of %s", (text, name) => {
    expect(placeInText(text)?.place.name).toBe(name);
  });

  it.each([
    ...[
      "holiday in Cuba",
      "a flat in Italy",
      "surf in Bali",
      "room in Kent",
      "walking in Skye",
      "near Scotland",
    ],
    ...[
      "I can help",
      "loom for sale",
      "rum tasting",
      "soul music",
      "vin naturel",
      "a wedding",
      "a coin",
      "a deal",
    ],
    ...[
      "what is to come",
      "a table top",
      "to manage people",
      "bei Regen drinnen",
      "at Christmas",
      "nice bath",
    ],
  ])("reads none in %s", (text) => {
    expect(placeInText(text)).toBeNull();
  });

  it("takes no mark behind a word for a part of a longer name", () => {
    expect(placeInText("the problem was solved by rayleigh . later, others")).toBeNull();
  });
});

describe("the label of a suggestion", () => {
  it("means the place that was suggested", () => {
    const begun = ["san", "müns", "kreuz", "springf", "washing", "aurang", "halle", "st"];
    for (const place of begun.flatMap((each) => suggestPlaces(each))) {
      const meant = resolvePlace(place.label);
      if (!("place" in meant)) expect.fail(`${place.label} means no place`);
      const { lat, lng } = meant.place;
      expect(Math.abs(lat - place.lat) + Math.abs(lng - place.lng), place.label).toBeLessThan(0.3);
    }
  });
});

describe("townAt", () => {
  it("names the place whose coordinates these are, and none beside them", () => {
    expect(townAt({ lat: 52.5244, lng: 13.4105 })?.label).toBe("Berlin, Germany");
    expect(townAt({ lat: 52.53, lng: 13.42 })).toBeNull();
  });
});

describe("townAround", () => {
  it("is the largest town within 20 km of a point", () => {
    const labelAt = (lat: number, lng: number) => {
      const town = townAround({ lat, lng });
      return town === null ? null : townNumbered(town)?.label;
    };
    expect(labelAt(52.499, 13.403)).toBe("Berlin, Germany");
    expect(labelAt(52.4, 13.06)).toBe("Potsdam, Germany");
    expect(labelAt(39.8, -89.65)).toBe("Springfield, Illinois");
    expect(labelAt(0, -30)).toBeNull();
    expect(labelAt(90, 0)).toBeNull();
  });

  it("has a label that means this town alone", () => {
    for (const [lat, lng] of [
      [37.2, -93.3],
      [42.36, -71.06],
      [52.2, 0.12],
      [17.4, 78.5],
      [9.93, -84.08],
    ] as const) {
      const town = townNumbered(townAround({ lat, lng }) ?? -1);
      expect(resolvePlace(town?.label ?? "")).toMatchObject({ place: { lat: town?.lat, lng: town?.lng } });
    }
  });
});
