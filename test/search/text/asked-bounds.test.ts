import { describe, expect, it } from "vitest";
import { putBehind } from "../../../src/domain/search/behind.ts";
import { holdsUnwanted } from "../../../src/search/standing/index.ts";
import { amountsIn, askedBounds, breaksPrice, withoutDenied } from "../../../src/search/text/asked-bounds.ts";
import { parseQueryText } from "../../../src/search/text/query-text.ts";
import { aPost, aPublisher } from "../../support/search/rows.ts";
import { sqliteUnderTest } from "../../support/search/store-under-test.ts";

const ANY = Number.POSITIVE_INFINITY;

describe("a bound on a price", () => {
  it.each([
    ["used e-bike below 900 EUR", 0, 900, "EUR"],
    ["bike under 900 €", 0, 900, "EUR"],
    ["Fahrrad bis 700 Euro", 0, 700, "EUR"],
    ["Fahrrad unter 1.200 €", 0, 1_200, "EUR"],
    ["vélo moins de 1 200 €", 0, 1_200, "EUR"],
    ["bici hasta 300 euros", 0, 300, "EUR"],
    ["room max £50", 0, 50, "GBP"],
    ["desk up to CHF 1'200", 0, 1_200, "CHF"],
    ["car less than 20k", 0, 20_000, null],
    ["rooms in Lisbon under 700", 0, 700, null],
    ["room under 700 a month", 0, 700, null],
    ["sofa between 300 and 500", 300, 500, null],
    ["flat from £700 to £900", 700, 900, "GBP"],
    ["piano over $2,500", 2_500, ANY, "USD"],
    ["free sofa", 0, 0, null],
    ["Sofa kostenlos", 0, 0, null],
  ])("is read in %s", (q, min, max, currency) => {
    expect(askedBounds(q).price).toMatchObject({ min, max, currency });
  });

  it.each([
    "football under 12",
    "hike under 20 km",
    "hall for over 200 people",
    "piano to buy or free",
    "sugar-free cake",
    '"under 900 €" bike',
    "bike -under 900",
    "iPhone 15",
    "sofa between 500 and 300",
    "sofa between 300 and 300",
    "sofa from 500 to 300 €",
  ])("is not read in %s", (q) => {
    expect(askedBounds(q)).toMatchObject({ price: null, rest: q });
  });

  it.each([
    [
      "under|below|less than|up to|max|max.|maximum|at most|not more than|no more than|cheaper than",
      "over|above|more than|at least|from|min|min.|minimum",
    ],
    ["unter|bis|bis zu|maximal|höchstens|weniger als", "über|ab|mindestens|mehr als"],
    ["moins de|jusqu'à|jusqu’à|maximum", "plus de|au moins"],
    ["menos de|hasta|máximo", "más de|desde"],
    ["meno di|fino a|massimo", "più di|almeno"],
    ["onder|tot|minder dan|maximaal", "meer dan|vanaf|minstens"],
    ["poniżej|do", "powyżej|od"],
    ["menos de|até", "mais de"],
  ])("is at most behind %s, and at least behind %s", (most, least) => {
    for (const word of most.split("|"))
      expect(askedBounds(`cello ${word} 150 €`).price).toEqual({
        said: `${word} 150 €`,
        min: 0,
        max: 150,
        currency: "EUR",
      });
    for (const word of least.split("|"))
      expect(askedBounds(`cello ${word} 150 €`).price).toEqual({
        said: `${word} 150 €`,
        min: 150,
        max: ANY,
        currency: "EUR",
      });
  });

  it.each([
    [
      "between 150 and 300 €|from 150 to 300 €|zwischen 150 und 300 €|von 150 bis 300 €|entre 150 et 300 €",
      "EUR",
    ],
    [
      "entre 150 y 300 €|de 150 a 300 €|tra 150 e 300 €|da 150 a 300 €|tussen 150 en 300 €|van 150 - 300 €",
      "EUR",
    ],
    ["między 150 i 300 zł|od 150 – 300 zł|od 150-300 zł|between 150 zł and 300", "PLN"],
  ])("has two ends in %s", (texts, currency) => {
    for (const said of texts.split("|"))
      expect(askedBounds(`cello ${said}`).price).toEqual({ said, min: 150, max: 300, currency });
  });

  it("has no currency where a number ends it, or a time that it is paid for", () => {
    const ends =
      " a month| an hour| per month| pro Monat| par mois| al mes| por mes| im Monat| each|, new|; new|. New|! New|?|/month|";
    for (const end of ends.split("|"))
      expect([end, askedBounds(`room under 700${end}`).price?.max]).toEqual([end, 700]);
    expect(askedBounds("(room under 700) Leeds").price?.max).toBe(700);
    for (const end of [" people", " imps", " pages", " ants"])
      expect([end, askedBounds(`room under 700${end}`).price]).toEqual([end, null]);
  });

  it.each([
    ["EUR", "150 €|€150|€ 150|150€|150 euro|150 Euros|150 EUR|EUR 150|150,- €|150,– €|150.- €"],
    ["GBP", "£150|150 £|150 GBP|150 pound|150 pounds|150 quid"],
    ["USD", "$150|US$150|us$ 150|150 USD|150 dollar|150 dollars"],
    ["CHF", "CHF 150|CHF. 150|150 Franken|150 franc|150 francs|150 franchi"],
    ["PLN", "150 PLN|150 zł|150 zl|150 złotych"],
    ["INR", "₹150|Rs 150|Rs. 150|150 INR|150 rupee|150 rupees"],
    ["SEK", "150 SEK|150 kronor"],
    ["TRY", "₺150"],
    ["JPY", "¥150"],
  ])("is in %s: %s", (currency, texts) => {
    for (const text of texts.split("|"))
      expect([text, amountsIn(`Cello, ${text}, as new`)]).toEqual([text, [{ value: 150, currency }]]);
  });

  it("reads numbers as they are written, and no other words for currencies", () => {
    for (const text of [
      "1.200 €",
      "1,200 €",
      "1'200 €",
      "1’200 €",
      "1 200 €",
      "1\u00A0200 €",
      "1\u202F200 €",
      "1.2k €",
      "1200.00 €",
    ])
      expect([text, amountsIn(text)]).toEqual([text, [{ value: 1_200, currency: "EUR" }]]);
    expect(amountsIn("1.200.300,50 €")).toEqual([{ value: 1_200_300.5, currency: "EUR" }]);
    for (const text of ["150 Eurovision", "150 dollarbirds", "150 rsx", "150 poundal", "150 kg", "150 km"])
      expect([text, amountsIn(text)]).toEqual([text, []]);
  });

  it.each([
    "free sofa|sofa for free|sofa, free|Sofa kostenlos|Sofa umsonst|Sofa gratis|canapé gratuit|sofá gratuito|sofa bezpłatnie",
  ])("is nothing in %s", (texts) => {
    for (const text of texts.split("|")) {
      expect(askedBounds(text).price).toMatchObject({ min: 0, max: 0, currency: null });
      expect(amountsIn(text)).toEqual([{ value: 0, currency: null }]);
    }
    for (const text of [
      "kostenlose Stühle",
      "canapé gratuite",
      "mesa gratuita",
      "bezpłatna sofa",
      "Sofa zu verschenken",
      "canapé à donner",
    ])
      expect([text, amountsIn(text)]).toEqual([text, [{ value: 0, currency: null }]]);
    for (const text of ["sugar-free cake", "freedom", "umsonstladen", "à donnerie", "duty free-range"])
      expect([text, amountsIn(text)]).toEqual([text, []]);
  });

  it("is one without a currency from a hundred on: smaller numbers are ages and sizes", () => {
    for (const words of ["under", "from"]) {
      expect(askedBounds(`bike ${words} 99`).price, words).toBeNull();
      expect(askedBounds(`bike ${words} 100`).price, words).not.toBeNull();
      expect(askedBounds(`bike ${words} 99 €`).price, words).not.toBeNull();
    }
  });

  it("of at least something is broken by what is free, in any currency, and kept by either end", () => {
    const breaks = (q: string, text: string) => {
      const { price } = askedBounds(q);
      return price !== null && breaksPrice(price, amountsIn(text));
    };
    for (const q of ["bike over 100 €", "bike over 100 USD", "bike over 100"]) {
      expect(breaks(q, "A bike, zu verschenken"), q).toBe(true);
      expect(breaks(q, "A bike, kostenlos or 150 € with a lock and 150 USD"), q).toBe(false);
    }
    expect(breaks("bike from 50 to 80 €", "A bike, 50 €")).toBe(false);
    expect(breaks("bike from 50 to 80 €", "A bike, 80 €")).toBe(false);
    expect(breaks("bike from 50 to 80 €", "A bike, 49 €")).toBe(true);
    expect(breaks("bike from 50 to 80 €", "A bike, 81 €")).toBe(true);
  });

  it("is looked for in the first two hundred posts of a ranking, and what follows comes no further ahead", async () => {
    const { store, destroy } = await sqliteUnderTest();
    await store.publishers.insert(aPublisher("pub_a"));
    const { bounds } = parseQueryText("bike under 900 €");
    const ids = Array.from({ length: 201 }, (_, n) => `p${n}`);
    for (const id of ids) await store.posts.insert(aPost(id, { body: id === "p5" ? "1,000 €" : "800 €" }));
    const ranked = async (order: readonly string[]) => {
      const given = order.map((id) => ({ id, relevance: 0.9 }));
      return (await putBehind(store.posts, given, bounds)).slice(-2);
    };
    const others = ids.filter((id) => id !== "p5");
    expect(await ranked([...others.slice(0, 199), "p5", "p200"])).toEqual([
      { id: "p5", relevance: 0.5 },
      { id: "p200", relevance: 0.5 },
    ]);
    expect(await ranked([...others, "p5"])).toEqual([
      { id: "p200", relevance: 0.9 },
      { id: "p5", relevance: 0.9 },
    ]);
    await destroy();
  });

  it("leaves words and meaning to the rest", () => {
    // What is given away is called so.
    expect(parseQueryText("free sofa").any).toEqual(["free", "sofa"]);
    const { any, plain } = parseQueryText("used e-bike under 900 €, Leeds");
    expect(any).toEqual(["used", "e", "bike", "leeds"]);
    expect(plain).not.toContain("900");
  });

  it("breaks where amounts of its currency are named, and none fits", () => {
    const breaks = (q: string, text: string) => {
      const { price } = askedBounds(q);
      return price !== null && breaksPrice(price, amountsIn(text));
    };
    const q = "bike under 900 €";
    expect(breaks(q, "Bike, 1.250 EUR")).toBe(true);
    expect(breaks(q, "Bike, 900 €")).toBe(false);
    expect(breaks(q, "Bike, 900,50 €")).toBe(true);
    expect(breaks(q, "Bike 1,250 €, lock €20")).toBe(false);
    expect(breaks(q, "Bike for £1,250, 54 cm, 2019")).toBe(false);
    expect(breaks(q, "Bike, make an offer")).toBe(false);
    expect(breaks(q, "Free: bike")).toBe(false);
    expect(breaks("room under 700", "Room, 750 €")).toBe(true);
    expect(breaks("free sofa", "Sofa, £40")).toBe(true);
    expect(breaks("free sofa", "Sofa zu verschenken, Abholung mit 5 € Pfand")).toBe(false);
  });
});

describe("what is not wanted", () => {
  it.each([
    ["translation service without Japanese", [["japanese"]]],
    ["flat to rent, not a room", [["room"]]],
    ["Christmas events not for children", [["children"]]],
    [
      "AI event, no technical background, not a hack night",
      [
        ["technical", "background"],
        ["hack", "night"],
      ],
    ],
    ["guitar lessons, anything but classical", [["classical"]]],
    ["Fahrrad ohne Motor", [["motor"]]],
    ["appartement sans meubles", [["meubles"]]],
    ["piso sin muebles", [["muebles"]]],
  ])("is read in %s", (q, words) => {
    expect(askedBounds(q).unwanted.map((each) => each.words)).toEqual(words);
    expect(parseQueryText(q).any).not.toEqual(expect.arrayContaining(words.flat()));
  });

  it.each([
    "flat not far from the station",
    "job, no experience needed",
    '"no doubt" tribute',
    "no wifi",
    "not",
    'bike not "red one"',
    "bike -not red",
  ])("is not read in %s", (q) => {
    expect(askedBounds(q)).toMatchObject({ unwanted: [], rest: q });
  });

  it.each([
    "not|no|except|except for|anything but|but not|and not",
    "nicht|kein|keine|keinen|keiner|keinem|keines|außer|aber nicht|und nicht",
    "pas|sauf|mais pas",
    "no|excepto|pero no",
    "non|tranne|eccetto|ma non",
    "niet|geen|behalve|maar niet",
    "oprócz|não|exceto",
  ])("is what follows %s, and no subject", (words) => {
    for (const word of words.split("|")) {
      const { unwanted, rest, subject } = askedBounds(`violins ${word} trumpets`);
      expect([word, unwanted]).toEqual([word, [{ said: "trumpets", words: ["trumpets"] }]]);
      expect([rest.trim(), subject.trim()]).toEqual(["violins", "violins"]);
    }
  });

  it.each([
    "without|not for",
    "ohne|nicht für",
    "sans|pas pour",
    "sin|no para",
    "senza",
    "zonder",
    "bez",
    "sem",
  ])("is what follows %s, and a subject too", (words) => {
    for (const word of words.split("|")) {
      const { unwanted, rest, subject } = askedBounds(`violins ${word} trumpets`);
      expect([word, unwanted.length, rest.trim()]).toEqual([word, 1, "violins"]);
      expect(subject).toBe(`violins ${word} trumpets`);
    }
    for (const word of ["within", "knot", "noise", "exceptional", "passing", "sinus", "nothing"])
      expect([word, askedBounds(`violins ${word} trumpets`).unwanted]).toEqual([word, []]);
  });

  it("is read beside a price, each without the other; where nothing else was asked, neither is", () => {
    expect(askedBounds("bike under 900 €, not red, ohne Motor")).toEqual({
      price: { said: "under 900 €", min: 0, max: 900, currency: "EUR" },
      unwanted: [
        { said: "red", words: ["red"] },
        { said: "Motor", words: ["motor"] },
      ],
      rest: "bike            ,        ,           ",
      subject: "bike            ,        , ohne Motor",
    });
    for (const q of ["under 900 €", "not red", "without gears", "for the, not red"])
      expect(askedBounds(q)).toEqual({ price: null, unwanted: [], rest: q, subject: q });
  });

  it("is what a text says that it is not, each time that it says so", () => {
    const plain = (text: string) => withoutDenied(text).replace(/\s+/g, " ").trim();
    expect(plain("Mower without petrol, not for hire. New, no cable; and quiet")).toBe(
      "Mower , . New, ; and quiet",
    );
    expect(plain("Mower with petrol")).toBe("Mower with petrol");
  });

  it("is nothing that is meant well", () => {
    const meant =
      "far weit loin lejos lontano ver longe too zu more less later only just nur yet matter problem experience prior previous need longer fee fees charge cost";
    for (const word of meant.split(" "))
      expect([word, askedBounds(`violins, not ${word} trumpets`).unwanted]).toEqual([word, []]);
    for (const word of ["farm", "costume", "tool", "version", "charged"])
      expect([word, askedBounds(`violins, not ${word} trumpets`).unwanted.length]).toEqual([word, 1]);
  });

  it("is held by a post that has all of its words, unless it says that it is without", () => {
    const longest = askedBounds("tent without red nylon poles bags, or rope").unwanted[0]?.words;
    expect(longest).toEqual(["red", "nylon", "poles", "bags"]);
    expect(askedBounds("tent without red nylon poles bags stains").unwanted).toEqual([]);
    const { unwanted } = askedBounds("lawn mower without petrol engine, not a scooter");
    expect(holdsUnwanted(unwanted, "Mower, petrol engines serviced")).toBe(true);
    expect(holdsUnwanted(unwanted, "Mower with petrol")).toBe(false);
    expect(holdsUnwanted(unwanted, "Mower without petrol engine")).toBe(false);
    expect(holdsUnwanted(unwanted, "Scooters and mowers")).toBe(true);
    expect(holdsUnwanted(unwanted, "Mower without petrol engine, no scooter")).toBe(false);
    expect(holdsUnwanted([], "Scooters and mowers")).toBe(false);
  });
});
