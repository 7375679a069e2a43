import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtPlaces } from "../../scripts/gazetteer/build.ts";
import { readData, readText } from "../../src/data/read.ts";
import { openPlaces } from "../../src/gazetteer/file.ts";
import { placeInText } from "../../src/gazetteer/in-text.ts";
import {
  placeNamed,
  resolvePlace,
  suggestPlaces,
  townAround,
  townAt,
  townNumbered,
} from "../../src/gazetteer/index.ts";
import { isCountryName, regionCodes } from "../../src/gazetteer/regions.ts";

describe("the gazetteer's file", () => {
  it("is what `npm run gazetteer` makes", () => {
    expect(builtPlaces() === readText("places.jsonl.br")).toBe(true);
  });
});

describe("a country", () => {
  it.each([
    ["US", "usa|us|united states of america|america|united states|estados unidos|vereinigte staaten"],
    ["GB", "uk|great britain|united kingdom|vereinigtes konigreich"],
    ["KR", "korea|republic of korea|south korea"],
    ["FR", "france|frankreich|francia|franca|frankrijk|francja|fr"],
    ["ES", "spain|spanien|espagne|espana|spagna|spanje|espanha|es"],
    ["IT", "italy|italien|italie|italia|it"],
    ["PL", "poland|polen|pologne|polonia|polska"],
    ["RU", "russia|russland|russie|rusia|rosja"],
    ["NL", "holland|the netherlands|netherlands|niederlande"],
    ["AE", "uae"],
    ["CZ", "czech republic|czechia"],
    ["TR", "turkey|turkiye"],
    ["HK", "hong kong"],
    ["MO", "macau|macao"],
    ["CI", "ivory coast"],
    ["MM", "burma|myanmar"],
    ["MK", "macedonia|north macedonia"],
    ["VN", "viet nam|vietnam"],
    ["CN", "prc|china"],
    [
      "DE",
      "germany|deutschland|allemagne|alemania|germania|duitsland|alemanha|niemcy|tyskland|saksa|nemecko|almanya",
    ],
  ])("is %s by the name: %s", (code, names) => {
    for (const name of names.split("|")) expect([name, regionCodes().get(name)]).toEqual([name, [code]]);
  });

  it("is none by a code that no country has, or had", () => {
    for (const code of "eu ez un qo zz xa xb an bu cs dd fx su tp yu zr yd vd nt rh".split(" "))
      expect([code, (regionCodes().get(code) ?? []).filter((one) => one === code.toUpperCase())]).toEqual([
        code,
        [],
      ]);
    expect([isCountryName("fr"), isCountryName("france"), isCountryName("illinois")]).toEqual([
      true,
      true,
      false,
    ]);
  });
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
      expect(listed.length).toBeLessThanOrEqual(6);
      if (name === "Springfield") expect(listed).toHaveLength(6);
      for (const place of listed.slice(0, 3))
        expect(resolvePlace(place.label)).toMatchObject({ place: { lat: place.lat, lng: place.lng } });
    }
  });

  it.each([
    ["Portland", "Portland, Oregon"],
    ["Portland (Maine)", "Portland, Maine"],
    ["Portland / Maine", "Portland, Maine"],
    ["Paris (Texas)", "Paris, Texas"],
    ["Portland Maine", "Portland, Maine"],
    ["Berlin Kreuzberg", "Kreuzberg, Berlin"],
    ["Boston / Cambridge", "Cambridge, Massachusetts"],
    ["04109 Leipzig", "Leipzig, Germany"],
    ["near Leipzig", "Leipzig, Germany"],
    ["Leipzig area", "Leipzig, Germany"],
    // The larger of two neighbours is not in the smaller.
    ["Leipzig, Markkleeberg", "Markkleeberg, Germany"],
    // The largest of this name is far away.
    ["Waterloo, Cambridge", "Waterloo, Ontario"],
    ["Somerville, Cambridge", "Somerville, Massachusetts"],
    ["Portland Oregon", "Portland, Oregon"],
    ["Paris Texas", "Paris, Texas"],
    ["Washington DC", "Washington, D.C., District of Columbia"],
    // None lies there, so the country is meant.
    ["Portland / Germany", "region"],
  ])("reads what stands beside a name: %s", (name, label) => {
    expect(labelOf(name)).toBe(label);
  });

  it("tells who else bears the name, where it is of comparable size", () => {
    const othersOf = (name: string) => {
      const found = resolvePlace(name);
      return "place" in found ? found.others.map(({ label }) => label) : null;
    };
    expect(othersOf("Birmingham")).toEqual(["Birmingham, Alabama"]);
    // The second of these is a tenth as large as the one that is meant.
    expect(othersOf("Cordoba")).toEqual(["Córdoba, Spain", "Córdoba, Mexico"]);
    expect(othersOf("Paris")).toEqual([]);
    // The largest is 3.5 times as large as the next.
    expect(othersOf("Hamilton")).toBeNull();
  });

  it.each([
    ..."Bali Tenerife Sardinia Madeira Skye Kent Cornwall Ontario Scotland Italy Cuba Malta Germany".split(
      " ",
    ),
    ..."Deutschland Sardinien Mali Georgia Sicily Essex Kreta".split(" "),
    "Isle of Skye",
    "Kent, England",
  ])("takes %s for a country or region, and for no small town", (name) => {
    expect(resolvePlace(name)).toHaveProperty("region", name.split(",")[0]);
  });

  it("knows middle and size of every island and region with an entry of its own, where its country is", () => {
    const table = openPlaces();
    const wrong = readData<[number, number, number, ...string[]]>("areas.jsonl").flatMap(
      ([lat, lng, radiusKm, ...names]) =>
        names.filter((name) => {
          const found = resolvePlace(name);
          // Okinawa and Komodo are also towns of their islands.
          if ("place" in found) return Math.abs(found.place.lat - lat) > 1;
          const isThere = "region" in found && found.area?.lat === lat && found.area.lng === lng;
          return !isThere || table.around({ lat, lng }, Math.max(50, Math.min(radiusKm, 100))).length === 0;
        }),
    );
    expect(wrong).toEqual([]);
  });

  it("gives a division or country the middle of its people, and none to what reaches too far", () => {
    const areaOf = (name: string) => {
      const found = resolvePlace(name);
      return "region" in found ? found.area : undefined;
    };
    expect(areaOf("Ontario")).toMatchObject({ lat: expect.closeTo(43.97, 1), lng: expect.closeTo(-79.5, 1) });
    // It lies on both sides of the antimeridian.
    expect(Math.abs(areaOf("Fiji")?.lng ?? 0)).toBeGreaterThan(177);
    expect(areaOf("Malta")?.radiusKm).toBe(25);
    const sizes = { Denmark: 180, Netherlands: 145, Vermont: 140, Maine: 190, Ireland: 180, Belgium: 110 };
    for (const [name, km] of Object.entries(sizes))
      expect([name, areaOf(name)?.radiusKm]).toEqual([name, km]);
    expect(areaOf("Texas")).toBeNull();
    // A state and a country.
    expect(areaOf("Georgia")).toBeNull();
    // A canton, of which only the country is known.
    expect(areaOf("Thurgau")).toBeNull();
    const kent = resolvePlace("Kent");
    expect("region" in kent && kent.namesakes.map(({ label }) => label)).toEqual([
      "Kent, Washington",
      "Kent, Ohio",
    ]);
  });

  it.each([
    ["New York", "New York City, New York"],
    // An island of Cape Verde has this name too; the other town lies on both sides of a border.
    ["Santiago", "Santiago, Chile"],
    ["Kansas City", "Kansas City, Missouri"],
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
    ["Ste-Foy", "Sainte-Foy, France"],
    ["Ft. Worth", "Fort Worth, Texas"],
    ["Mt Isa", "Mount Isa, Queensland"],
    // Smaller places of these names lie in the country too.
    ["Newport", "Newport, United Kingdom"],
    ["Hagen", "Hagen, Germany"],
    ["Bad Homburg", "Bad Homburg vor der Höhe, Germany"],
    ["Freiburg im Breisgau", "Freiburg, Germany"],
    ["Esslingen am Neckar", "Esslingen, Germany"],
    ["Ludwigshafen", "Ludwigshafen am Rhein, Germany"],
    ["La Coruña", "A Coruña, Spain"],
    ["Kreuzberg", "Kreuzberg, Berlin"],
    ["Glenmore Park", "Glenmore Park, Liverpool"],
  ])("takes %s for the town", (name, label) => {
    expect(labelOf(name)).toBe(label);
  });

  it("takes a venue for the town it stands in, and no venue alone", () => {
    expect(labelOf("Café Kino, Leipzig")).toBe("Leipzig, Germany");
    expect(labelOf("Old Town Hall, Springfield, MO")).toBe("Springfield, Missouri");
    // Spelt like this, it is the one of several.
    expect(labelOf("Union Station, St. Louis")).toBe("St. Louis, Missouri");
    for (const venue of ["Riverside Park", "Online", "Community Hall", "Zoom", "Remote", "my place"])
      expect([venue, labelOf(venue)]).toEqual([venue, "unknown"]);
  });

  it("lets the caller say which places fit", () => {
    const found = resolvePlace("Birmingham", ({ lng }) => lng < -50);
    expect("place" in found && found.place.label).toBe("Birmingham, Alabama");
    expect(placeNamed("Cambridge")).toBeNull();
    const inBoston = ({ lng }: { lng: number }) => lng > -72 && lng < -70;
    expect(placeNamed("Cambridge", inBoston)?.label).toBe("Cambridge, Massachusetts");
  });

  it("understands any text", () => {
    const texts = [..." ,-\u0000🙂٣", "", "()", ", , ,", "near ", "in in in", "a".repeat(5_000)];
    for (const text of texts) expect(() => resolvePlace(text)).not.toThrow();
  });
});

describe("words of ordinary sentences", () => {
  it("are read as places where they name one, and hardly anywhere else", () => {
    const sentences = ["harmless", "harmless-seen"]
      .map((name) => readFileSync(join(import.meta.dirname, `../support/flags/${name}.jsonl`), "utf8"))
      .flatMap((file) => file.trim().split("\n"))
      .flatMap((line) => (JSON.parse(line).text as string).split(/(?<=[.!?])\s+|\n+/))
      .filter((sentence) => sentence.split(/\s+/).length > 3);
    const right = /^(?:in Lyon|Porto|near Ghent|Paris)$/;
    const wrong = sentences.flatMap((sentence) => {
      const found = placeInText(sentence);
      return found === null || right.test(found.text)
        ? []
        : [`${found.text} → ${found.place.label}: ${sentence}`];
    });
    expect(sentences.length).toBeGreaterThan(400);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(sentences.length / 100);
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
    ["a flat in Nice", "in Nice", "Nice"],
    ["jazz in São Paulo - tonight", "in São Paulo", "São Paulo"],
    ["Lessons move to Etobicoke", "to Etobicoke", "Etobicoke"],
    ["meet in Kent, Washington", "in Kent, Washington", "Kent"],
    // A capital letter makes a city of 215,000 a name, unless every word has one; of 750,000 it needs none.
    ["a lamp Eindhoven cheap", "Eindhoven", "Eindhoven"],
    ["Lamp Amsterdam Cheap", "Amsterdam", "Amsterdam"],
    ["lamp amsterdam cheap", "amsterdam", "Amsterdam"],
    // Behind a preposition 11,000 people are enough for a name with a capital, and 35,000 for one without.
    ["bikes in Oakham", "in Oakham", "Oakham"],
    ["bikes in zutphen", "in zutphen", "Zutphen"],
    ["a lamp Leipzig cheap Dresden", "Leipzig", "Leipzig"],
    [`${"a ".repeat(58)}in Leipzig`, "in Leipzig", "Leipzig"],
  ])("reads the whole name in %s", (text, words, name) => {
    const found = placeInText(text);
    expect(found?.text).toBe(words);
    expect(found?.place.name).toBe(name);
  });

  it.each([
    ...["holiday in Cuba", "surf in Bali", "room in Kent", "walking in Skye", "near Scotland"],
    ...["I can help", "loom for sale", "rum tasting", "soul music", "vin naturel", "a wedding", "a coin"],
    ...["Lamp Eindhoven Cheap", "lamp eindhoven cheap", "a lamp Delft cheap", "bikes in oakham"],
    `${"a ".repeat(59)}in Leipzig`,
    ...["what is to come", "to manage people", "bei Regen drinnen", "at Christmas", "nice bath"],
    ...["Nice flat to let", "A Flat In Nice", "a flat in nice"],
  ])("reads none in %s", (text) => {
    expect(placeInText(text)).toBeNull();
  });

  it.each([
    ["bike within 10 miles of Ulm", "within 10 miles of Ulm", 16.1],
    ["bike within 10 miles of Oakham", "within 10 miles of Oakham", 16.1],
    ["yoga 3km from Wellington", "3km from Wellington", 3],
    ["bike 10 mi from Ulm", "10 mi from Ulm", 16.1],
    ["Fahrrad 10 Meilen um Ulm", "10 Meilen um Ulm", 16.1],
    ["fiets binnen 10 mijl van Ulm", "binnen 10 mijl van Ulm", 16.1],
    ["vélo à moins de 10 milles de Lyon", "à moins de 10 milles de Lyon", 16.1],
    ["bici a 10 millas de Sevilla", "10 millas de Sevilla", 16.1],
    ["bicicleta num raio de 10 milhas de Lisboa", "num raio de 10 milhas de Lisboa", 16.1],
    ["bici entro 10 miglia da Torino", "entro 10 miglia da Torino", 16.1],
    ["Fahrrad im Umkreis von 20 km um Ulm", "im Umkreis von 20 km um Ulm", 20],
    ["vélo dans un rayon de 5,5 km autour de Lyon", "dans un rayon de 5,5 km autour de Lyon", 5.5],
    ["bici a menos de 15 kilómetros de Sevilla", "a menos de 15 kilómetros de Sevilla", 15],
    ["concerto nel raggio di 10 km da Torino", "nel raggio di 10 km da Torino", 10],
    ["curso num raio de 20 km de Lisboa", "num raio de 20 km de Lisboa", 20],
    ["fiets binnen 10 km van Utrecht", "binnen 10 km van Utrecht", 10],
    ["sofa Ulm +20km", "Ulm +20km", 20],
    ["sofa in Ulm, within 20 km", "in Ulm, within 20 km", 20],
    ["bike Berlin 10 km radius", "Berlin 10 km radius", 10],
    ["10 km run in Berlin", "in Berlin", null],
    ["Berlin 10 km run", "Berlin", null],
    ["100 meter van Utrecht", "van Utrecht", null],
  ])("reads the distance in %s", (text, words, radiusKm) => {
    const found = placeInText(text);
    expect(found?.text).toBe(words);
    expect(found?.radiusKm).toBe(radiusKm);
  });

  it("reads every word for a mile, and for a kilometre", () => {
    const read = (radiusKm: number, texts: string) =>
      expect(texts.split(" | ").filter((text) => placeInText(text)?.radiusKm !== radiusKm)).toEqual([]);
    read(
      16.1,
      "10 mi from Ulm | 10 mile of Ulm | 10 Miles from Ulm | 10 Meilen um Ulm | 10 mijl van Utrecht | 10 milla de Sevilla | 10 millas de Sevilla | " +
        "10 milha de Lisboa | 10 milhas de Lisboa | 10 miglia da Torino | 10 milles de Lyon",
    );
    read(
      10,
      "10km from Ulm | 10 kms from Ulm | 10-km from Ulm | 10 kilometer from Ulm | 10 kilometers from Ulm | 10 kilometre from Ulm | 10 kilometres from Ulm | " +
        "10 Kilometern von Ulm | 10 kilomètres de Lyon | 10 quilómetros de Lisboa | 10 quilômetros de Lisboa | 10 quilometro de Lisboa | " +
        "10 kilómetros de Sevilla | 10 chilometri da Torino",
    );
    for (const text of [
      "10 minutes from Ulm",
      "10 metres from Ulm",
      "10 kilos from Ulm",
      "10 m from Ulm",
      "10 mijlpalen van Ulm",
    ])
      expect([text, placeInText(text)?.radiusKm]).toEqual([text, null]);
  });

  it.each([
    ["in a radius of|within|within about|inside|less than|up to|about|around", "of|from|around", "Ulm"],
    ["im Umkreis von|in einem Umkreis von|Umkreis|Umkreis von|bis zu", "um|rund um|von", "Ulm"],
    ["dans un rayon de|à moins de", "de|autour de", "Lyon"],
    ["en un radio de|a menos de", "de|alrededor de", "Sevilla"],
    ["num raio de", "de", "Lisboa"],
    ["entro|nel raggio di|in un raggio di", "da|di", "Torino"],
    ["binnen|in een straal van", "van|rond|rondom", "Utrecht"],
    ["inom", "från", "Uppsala"],
    ["innen|inden for", "fra|om", "Oslo"],
  ])("reads a distance behind: %s, and before: %s %s", (openings, marks, name) => {
    const [first] = marks.split("|");
    for (const opening of openings.split("|")) {
      const [before, behind] = [`${opening} 10 km ${first} ${name}`, `${name} ${opening} 10 km`];
      expect([before, behind].map((words) => placeInText(`cello ${words}`))).toMatchObject([
        { text: before, radiusKm: 10 },
        { text: behind, radiusKm: 10 },
      ]);
    }
    for (const mark of marks.split("|"))
      for (const words of [
        `10 km ${mark} ${name}`,
        `10 km radius ${mark} ${name}`,
        `10 km Umkreis ${mark} ${name}`,
      ])
        expect(placeInText(`cello ${words}`)).toMatchObject({ text: words, radiusKm: 10 });
  });

  it.each([
    "Ulm ±10 km",
    "Ulm, + 10 km",
    "Ulm (10 km radius)",
    "Ulm 10 km Umkreis",
    "Ulm 10 km around",
    "Ulm within 10 km radius",
    "Ulm im Umkreis von 10 km Umkreis",
    "10 km from the Ulm",
    "within 10 km of The Hague",
  ])("reads the distance of %s whole", (words) => {
    expect(placeInText(`cello ${words}`)).toMatchObject({ text: words, radiusKm: 10 });
    expect(placeInText(`cello ${words.replace("10 km", "10 kg")}`)?.radiusKm).toBeNull();
  });

  it.each([
    ["in|near|around|at|from|within|to", "Ulm"],
    ["bei|nahe|aus|in der Nähe von|in der Nähe des|nahe bei|nahe an|unweit von|rund um", "Ulm"],
    ["à|en|de|près|près de|tout près de|autour de|aux alentours de", "Lyon"],
    ["cerca|cerca de|alrededor de", "Sevilla"],
    ["cerca del|près du|autour du|in der Nähe der", "Porto"],
    ["vicino|vicino a|vicino ad|nei pressi di|intorno a", "Ancona"],
    ["em|perto de|perto da|perto do|ao redor de", "Coimbra"],
    ["van|in de buurt van|rondom", "Utrecht"],
    ["w|na|i", "Kraków"],
  ])("takes what stands before a place with it: %s %s", (marks, name) => {
    for (const mark of marks.split("|"))
      expect(placeInText(`cello ${mark} ${name}`)?.text).toBe(`${mark} ${name}`);
    expect(placeInText(`cello by ${name}`)?.text ?? name).toBe(name);
  });

  it.each(["street", "Road", "avenue", "Lane", "square", "drive", "Terrace", "Bridge"])(
    "reads no town in the name of a %s",
    (kind) => {
      expect(placeInText(`a room in Oxford ${kind} from May`)).toBeNull();
      expect(placeInText(`a room in Oxford, ${kind} level`)?.place.name).toBe("Oxford");
      // A place further on is read.
      expect(placeInText(`a room in Oxford ${kind} in Leipzig`)?.text).toBe("in Leipzig");
    },
  );

  it("takes no mark behind a word for a part of a longer name", () => {
    expect(placeInText("the problem was solved by rayleigh . later, others")).toBeNull();
  });
});

describe("the places that are suggested", () => {
  it("are eight at most, the largest first, those of another name by a tenth of their size", () => {
    const suggested = (begun: string) => suggestPlaces(begun).map(({ label }) => label);
    expect(suggested("mun").slice(0, 4)).toEqual([
      "Munich, Germany",
      "Münster, Germany",
      // By other names that they have.
      "Budapest, Hungary",
      "Monterrey, Mexico",
    ]);
    expect(suggested("mun")).toHaveLength(8);
    // A San Jose in the Philippines, one of several, has no label of its own.
    expect(suggested("san jos").slice(0, 4)).toEqual([
      "San Jose, California",
      "San José, Costa Rica",
      "San Jose del Monte, Philippines",
      "San José del Cabo, Mexico",
    ]);
    // One letter begins too many names, one sign does not.
    expect([suggested("s"), suggested("ü"), suggested("京")]).toEqual([[], [], ["Kyoto, Japan"]]);
  });

  it.each([
    ["Berln", ["Berlin, Germany", "Bern, Switzerland"]],
    ["Hambrug", ["Hamburg, Germany"]],
    ["Lepzgi", []],
    ["Berln, Qwxyz", ["Berlin, Germany", "Bern, Switzerland"]],
    ["Brl", []],
  ])("for %s are large towns with one other letter, with two from seven letters on", (name, labels) => {
    const found = resolvePlace(name);
    expect("unknown" in found && found.unknown.map(({ label }) => label)).toEqual(labels);
  });

  it("for a longer text are three at most of those that a part of it names", () => {
    const found = resolvePlace("Berlin Hamburg Munich Cologne flea market");
    expect("unknown" in found && found.unknown.map(({ name }) => name)).toEqual([
      "Berlin",
      "Hamburg",
      "Munich",
    ]);
  });

  it("have labels that mean them", () => {
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
    // 19 and 21 km from its middle.
    expect(labelAt(52.52, 13.69)).toBe("Berlin, Germany");
    expect(labelAt(52.52, 13.72)).not.toBe("Berlin, Germany");
    expect(labelAt(39.8, -89.65)).toBe("Springfield, Illinois");
    // A district of Moscow that has more people is nearer than its town.
    expect(labelAt(55.585, 37.26)).toBe("Odintsovo, Russia");
    expect(labelAt(0, -30)).toBeNull();
    expect(labelAt(90, 0)).toBeNull();
  });
});
