import { beforeAll, describe, expect, it } from "vitest";
import { call, eventually, register } from "../../support/boards/client.ts";
import { usePublisher, useTestBoard } from "../../support/boards/use.ts";
import { titles, write } from "../../support/boards/writing.ts";

const board = useTestBoard({ EMBEDDINGS: "off", RATE_LIMITS: "off" });
const author = usePublisher(board, "Kleinanzeigen");

/** What is asked, and the one post that has it inside a compound. */
const GERMAN = {
  Tisch: "Esstisch aus Eiche",
  Reifen: "Winterreifen auf Felgen",
  Kurs: "Nähkurs für Anfänger",
  Fahrrad: "Kinderfahrrad 20 Zoll",
  Lampe: "Schreibtischlampe für Schüler",
  Garten: "Gartenstuhl aus Holz",
  Führung: "Stadtführung im Regen",
  Feuer: "Feuerwehr sucht Helfer",
  Rad: "Laufrad für Kinder",
  Schuh: "Wanderschuhe in Größe 42",
  Buch: "Kinderbücher zu verschenken",
  Hut: "Sonnenhut aus Stroh",
};
const OTHERS = {
  fiets: "kinderfiets te koop",
  kast: "boekenkast van eikenhout",
  tafel: "keukentafel gratis af te halen",
  markt: "rommelmarkt op het plein",
  cykel: "elcykel till salu",
  bord: "matbord i ek",
  hjelm: "sykkelhjelm til salgs",
  vagn: "barnvagn och leksaker",
  stol: "kontorstol med hjul",
  marked: "loppemarked på torvet",
  tas: "handtas van leer",
  kör: "barnkör för alla som vill sjunga",
  bok: "barnbok om en hund som kan flyga",
};
const NEITHER = [
  "Party on the roof with a band",
  "Praktisch und romantisch: ein Abend mit dem Chor",
  "The airport bus leaves from the football ground",
  "Wanderung durch das Moor",
  "Verkauf von Pflanzen",
  "Holland trip",
  "Kamerad für den Umzug gesucht",
  "Direktor der Schule",
];

describe("a compound is found by its part", () => {
  beforeAll(async () => {
    for (const title of [...Object.values(GERMAN), ...Object.values(OTHERS), ...NEITHER])
      await write(board, author.key, { title, body: title });
  });
  const found = (q: string) => titles(board, `/search?limit=50&q=${encodeURIComponent(q)}`);

  it.each(Object.entries(GERMAN))("%s: %s", async (part, title) =>
    expect(await found(part)).toContain(title),
  );

  it("of thirteen Dutch and Nordic ones at least eleven", async () => {
    const missed = [];
    for (const [part, title] of Object.entries(OTHERS))
      if (!(await found(part)).includes(title)) missed.push(part);
    expect(missed.length, missed.join()).toBeLessThanOrEqual(2);
  });

  it.each(["art", "Rat", "Wand", "Kauf", "port", "ball", "Tisch", "land", "Rad", "Tor"])(
    "%s is in none of other words",
    async (q) => {
      const all = await found(q);
      expect(all.filter((title) => NEITHER.includes(title) || (q === "Rat" && /rad/.test(title)))).toEqual(
        [],
      );
    },
  );

  it("below a post with the whole word", async () => {
    await write(board, author.key, {
      title: "Tisch aus Glas",
      body: "Ein Tisch für die Küche, kaum gebraucht.",
    });
    const all = await found("Tisch");
    expect(all[0]).toBe("Tisch aus Glas");
    expect(all).toContain("Esstisch aus Eiche");
  });
});

it("saved queries get compounds and numbers, and exclusions are whole words", async () => {
  const seeker = await register(board, "Seeker");
  const save = async (q: string): Promise<string> => {
    const { status, body } = await call(board, "POST /subscriptions", { query: { q } }, seeker);
    expect(status, JSON.stringify(body)).toBe(201);
    return body.data.id;
  };
  const [bikes, cheap, others, tyres] = [
    await save("Fahrrad"),
    await save("1490"),
    await save("Zoll -Fahrrad"),
    await save("Reifen"),
  ];
  const wanted = "Kinderfahrrad 24 Zoll, Winterreifen, 1\u00a0490 € VB";
  await write(board, author.key, { title: "Fahrt ins Grüne", body: "Mit dem Bus" });
  await write(board, author.key, { title: wanted, body: "Kaum gefahren" });
  for (const id of [bikes, cheap, others, tyres]) {
    const { body } = await eventually(
      () => call(board, `GET /subscriptions/${id}/pending`, undefined, seeker),
      (answer) => answer.body.data.length > 0,
    );
    expect(body.data.map(({ title }: { title: string }) => title)).toEqual([wanted]);
  }
});

describe("numbers as people write them", () => {
  const PRICES = {
    1875: ["Sofa, 1\u00a0875 € or best offer", "Sofa bed, 1 875 €"],
    12500: ["Camper van, EUR 12.500", "Camper with awning, 12.500,00 €"],
    2450: ["Piano, CHF 2'450.-", "Upright piano, 2’450 CHF"],
    150000: ["Scooter, ₹ 1,50,000"],
    3200: ["Geladeira, R$ 3.200,00", "Fridge, NZ$3,200"],
  };
  beforeAll(async () => {
    for (const title of Object.values(PRICES).flat()) await write(board, author.key, { title, body: title });
  });

  it.each(Object.entries(PRICES))("%s", async (q, all) => {
    const found = await titles(board, `/search?q=${q}`);
    expect(found.sort()).toEqual([...all].sort());
  });
});
