import { beforeAll, describe, expect, it } from "vitest";
import { notesOnAsked } from "../../../src/domain/search/query.ts";
import { daysInText } from "../../../src/domain/search/understood/days.ts";
import {
  notesOnHere,
  notesOnSavedWords,
  notesOnUnderstood,
  understoodIn,
  withoutUnderstood,
} from "../../../src/domain/search/understood/index.ts";
import { SearchQuery } from "../../../src/schema/query.ts";
import { parseQueryText } from "../../../src/search/text/query-text.ts";
import { call, register } from "../../support/boards/client.ts";
import { useTestBoard } from "../../support/boards/use.ts";
import { write } from "../../support/boards/writing.ts";

/** A Thursday. */
const NOW = Date.parse("2026-12-10T12:00:00Z");

describe("words of days", () => {
  const read = async (text: string) => {
    const days = await daysInText(`cello ${text}`, NOW, 0);
    return days === null ? null : `${days.text}: ${days.first ?? ""} to ${days.last ?? ""}`;
  };
  /** Reads each of some words whole, as these days. */
  const reads = async (first: string, last: string, texts: string) => {
    for (const text of texts.split(" | ")) expect(await read(text)).toBe(`${text}: ${first} to ${last}`);
  };
  const DAYS = Array.from({ length: 7 }, (_, at) => `2026-12-${10 + at}`);

  it.each([
    "Donnerstag Freitag Samstag Sonntag Montag Dienstag Mittwoch",
    "donderdag vrijdag zaterdag zondag maandag dinsdag woensdag",
    "jeudi vendredi samedi dimanche lundi mardi mercredi",
    "jueves viernes este_sábado este_domingo lunes martes miércoles",
    "giovedì venerdì sabato domenica lunedì martedì mercoledì",
    "quinta-feira sexta-feira este_sábado este_domingo segunda-feira terça-feira quarta-feira",
    "Thursday Friday Saturday Sunday Monday Tuesday Wednesday",
    "on_Thu on_Fri on_Sat on_Sun on_Mon on_Tue on_Wed",
    "this_Thu this_Fri this_Sat this_Sun this_Mon this_Tue this_Wed",
  ])("mean these from a Thursday on: %s", async (week) => {
    for (const [at, name] of week.split(" ").entries())
      await reads(DAYS[at] ?? "", DAYS[at] ?? "", name.replace("_", " "));
  });

  it.each([
    [
      "2026-12-10",
      "heute | vandaag | vanavond | aujourd'hui | aujourd’hui | ce soir | hoy | esta noche | oggi | stasera | stanotte | hoje | today | tonight | this evening | this afternoon | this morning",
    ],
    ["2026-12-11", "morgen | demain | mañana | domani | amanhã | tomorrow"],
    [
      "2026-12-12",
      "übermorgen | overmorgen | après-demain | pasado mañana | dopodomani | depois de amanhã | the day after tomorrow | day after tomorrow | am Sonnabend",
    ],
    ["2026-12-12", "neste sábado"],
  ])("mean %s: %s", async (day, texts) => {
    for (const text of texts.split(" | ")) expect(await read(text)).toContain(`: ${day} to ${day}`);
  });

  it.each([
    ["ab|von|vom|ab dem", "seit", "bis|bis zum|vor|vor dem", "Montag", "am|guten|jeden|frühen", "Morgen"],
    ["vanaf", "sinds", "tot|tot en met", "maandag", "de|goede|elke", "maandag"],
    [
      "à partir de|à partir du|dès|dès le",
      "depuis|depuis le",
      "jusqu'à|jusqu’au|jusqu'en|avant|avant le",
      "lundi",
      "chaque|lendemain",
      "lundi",
    ],
    [
      "a partir de|a partir del|desde|desde el",
      "",
      "hasta|hasta el|antes de|antes del",
      "lunes",
      "la|esta|cada",
      "mañana",
    ],
    [
      "da|dal|a partire da|a partire dal",
      "",
      "fino a|fino ad|fino al|entro|entro il|prima di",
      "lunedì",
      "ogni",
      "lunedì",
    ],
    ["a partir de|desde", "", "até|até à|antes de", "segunda-feira", "cada", "segunda-feira"],
    ["from|starting|after|as of", "since", "until|till|by|before", "Monday", "", ""],
  ])(
    "open an end behind %s, the past behind %s, and the one before behind %s",
    async (from, since, until, day, no, noDay) => {
      const each = (words: string) => words.split("|").filter((word) => word !== "");
      for (const word of each(from)) await reads("2026-12-14", "", `${word} ${day}`);
      for (const word of each(since)) await reads("2026-12-07", "", `${word} ${day}`);
      for (const word of each(until)) await reads("", "2026-12-14", `${word} ${day}`);
      for (const word of each(no)) expect([word, await read(`${word} ${noDay}`)]).toEqual([word, null]);
    },
  );

  it.each([
    ["Freitag bis Sonntag", "2026-12-11", "2026-12-13"],
    ["Friday to Sunday", "2026-12-11", "2026-12-13"],
    ["1. bis 3. März", "2027-03-01", "2027-03-03"],
    ["1. bis 31. März", "2027-03-01", "2027-03-31"],
    ["3 au 5 mars", "2027-03-03", "2027-03-05"],
    ["1 to 3 March", "2027-03-01", "2027-03-03"],
    ["12 - 14 December", "2026-12-12", "2026-12-14"],
  ])("have both ends where both are said: %s", async (span, first, last) => {
    for (const opening of ["", "from ", "von ", "vom "])
      expect([opening, await read(opening + span)]).toEqual([opening, `${span}: ${first} to ${last}`]);
  });

  it("mean a month, and days of it, that are not over", async () => {
    const readOn = async (today: string, text: string) => {
      const days = await daysInText(`cello ${text}`, Date.parse(`${today}T12:00:00Z`), 0);
      return days && [days.first, days.last];
    };
    for (const text of ["im Dezember", "in December", "en décembre"]) {
      for (const today of ["2026-12-01", "2026-12-10", "2026-12-31"])
        expect([text, await readOn(today, text)]).toEqual([text, ["2026-12-01", "2026-12-31"]]);
      expect(await readOn("2027-01-01", text)).toEqual(["2027-12-01", "2027-12-31"]);
    }
    expect(await readOn("2026-12-10", "from December")).toEqual(["2026-12-01", null]);
    expect(await readOn("2026-12-10", "in December 2027")).toEqual(["2027-12-01", "2027-12-31"]);
    expect(await readOn("2026-12-10", "im März 2028")).toEqual(["2028-03-01", "2028-03-31"]);
    for (const text of ["12. bis 14. Dezember", "12 to 14 December"])
      expect(await readOn("2026-12-12", text)).toEqual(["2026-12-12", "2026-12-14"]);
    expect(await readOn("2026-12-14", "12. bis 14. Dezember")).toEqual(["2026-12-12", "2026-12-14"]);
    expect(await readOn("2026-12-15", "12. bis 14. Dezember")).toEqual(["2027-12-12", "2027-12-14"]);
    for (const [text, day] of [
      ["am 10. Dezember", "2026-12-10"],
      ["am 9. Dezember", "2027-12-09"],
      ["on 10 December", "2026-12-10"],
      ["on 9 December", "2027-12-09"],
      ["5. Mai 2028", "2028-05-05"],
      ["3 mai 2027", "2027-05-03"],
      ["28. bis 3. Januar", "2027-01-03"],
      ["bis 5. März", null],
    ] as const)
      expect([text, (await readOn("2026-12-10", text))?.[0]]).toEqual([text, day]);
    for (const text of ["31. Februar", "30. Februar"])
      expect([text, await readOn("2026-12-10", text)]).toEqual([text, null]);
  });

  it("mean by the last of a weekday, and by the one since when, the one that was", async () => {
    await reads("2026-12-04", "2026-12-04", "last Friday");
    await reads("2026-12-03", "2026-12-03", "last Thursday");
    await reads("2026-12-05", "2026-12-06", "last weekend");
    await reads("2026-11-30", "2026-12-06", "last week");
    await reads("2026-11-01", "2026-11-30", "last month");
    await reads("2026-12-04", "", "since Friday | seit Freitag | since last Friday");
    await reads("2026-12-10", "", "since Thursday | seit Donnerstag");
    await reads("2026-12-19", "2026-12-20", "next weekend");
    for (const text of ["evening class", "afternoon tea", "night market", "at noon"])
      expect([text, await read(text)]).toEqual([text, null]);
  });

  it.each([
    ["2026-12-10T23:30Z", 60, "2026-12-11", "today | tonight | this morning | heute | next 3 days"],
    ["2026-12-10T00:30Z", -60, "2026-12-09", "today | tonight | this evening | heute | next 3 days"],
    ["2026-12-10T23:30Z", 60, "2026-12-12", "tomorrow | morgen | this weekend | dieses Wochenende"],
    ["2026-12-10T00:30Z", -60, "2026-12-11", "übermorgen | overmorgen | the day after tomorrow"],
    ["2026-12-10T21:00Z", 0, "2026-12-10", "tonight | this evening | this afternoon | ce soir | esta noche"],
    ["2026-12-13T23:30Z", 60, "2026-12-14", "this week | diese Woche | deze week"],
    ["2026-12-13T12:00Z", 0, "2026-12-07", "this week | diese Woche"],
    ["2026-12-13T12:00Z", 0, "2026-12-14", "next week | nächste Woche"],
    ["2026-12-31T12:00Z", 0, "2026-12-31", "Silvester | New Year's Eve"],
    ["2026-12-31T23:30Z", 60, "2027-12-31", "Silvester | New Year's Eve"],
    ["2026-12-31T23:30Z", 60, "2027-01-01", "diesen Monat | New Year's Day"],
  ])(
    "are those of the clock there, at %s and %i minutes ahead: %s by %s",
    async (at, ahead, first, texts) => {
      for (const text of texts.split(" | "))
        expect([text, (await daysInText(`cello ${text}`, Date.parse(at), ahead))?.first]).toEqual([
          text,
          first,
        ]);
    },
  );

  it("open an end of a Saturday in Portuguese, which has no word of its own", async () => {
    await reads("2026-12-12", "", "a partir do sábado | desde o sábado");
    await reads("", "2026-12-12", "até o sábado | antes do sábado");
    for (const word of ["no", "do", "o", "neste"])
      expect(await read(`${word} domingo`)).toContain(": 2026-12-13 to");
    expect(await read("sábado")).toBeNull();
  });

  const MONTHS = Array.from({ length: 12 }, (_, at) => `2027-${String(at + 1).padStart(2, "0")}-05`);
  it.each([
    "5. Januar|5. Februar|5. März|5. April|5. Mai|5. Juni|5. Juli|5. August|5. September|5. Oktober|5. November|5. Dezember",
    "5 januari|5 februari|5 maart|5 april|am 5 mei|5 juni|5 juli|5 augustus|5 september|5 oktober|5 november|5 december",
    "5 janvier|5 février|le 5 mars|5 avril|le 5 mai|5 juin|5 juillet|5 août|5 septembre|5 octobre|5 novembre|5 décembre",
    "5 de enero|5 de febrero|5 de marzo|5 de abril|5 de mayo|5 de junio|5 de julio|5 de agosto|5 de septiembre|5 de octubre|5 de noviembre|5 de diciembre",
    "5 gennaio|5 febbraio|5 marzo|5 aprile|5 maggio|5 giugno|5 luglio|5 agosto|5 settembre|5 ottobre|5 novembre|5 dicembre",
    "5 de janeiro|5 de fevereiro|5 de março|5 de abril|5 de maio|5 de junho|5 de julho|5 de agosto|5 de setembro|5 de outubro|5 de novembro|5 de dezembro",
    "5 Jan|5 Feb|5 Mar|5 Apr|5 May|5 Jun|5 Jul|5 Aug|5 Sept|5 Oct|5 Nov|5 Dec",
    "5 January|5 February|5 March|5 April|5 May|5 June|5 July|5 August|5 September|5 October|5 November|5 December",
  ])("mean the fifth of each month: %s", async (year) => {
    for (const [at, day] of year.split("|").entries()) {
      const found = await daysInText(`cello ${day}`, Date.parse("2027-01-02T12:00Z"), 0);
      expect([day, found?.first, found?.last]).toEqual([day, MONTHS[at], MONTHS[at]]);
    }
  });

  it.each([
    ["im|Anfang|Mitte|Ende", "ab|seit", "bis", "März"],
    ["in|begin|eind", "vanaf", "tot", "maart"],
    ["en|fin|début|au mois de", "à partir de", "jusqu'en|jusqu’en", "mars"],
    ["en", "desde|a partir de", "hasta", "marzo"],
    ["in|a", "da", "fino a|entro", "marzo"],
    ["em", "desde|a partir de", "até", "março"],
  ])(
    "mean all of a month behind %s, its begin behind %s, its end behind %s",
    async (all, from, until, month) => {
      for (const word of all.split("|")) await reads("2027-03-01", "2027-03-31", `${word} ${month}`);
      for (const word of from.split("|")) await reads("2027-03-01", "", `${word} ${month}`);
      for (const word of until.split("|")) await reads("", "2027-03-31", `${word} ${month}`);
      expect(await read(`cello ${month}`)).toBeNull();
    },
  );

  it("mean a month in English behind a word that a month follows", async () => {
    for (const word of ["in", "on", "this", "early", "late", "mid", "during"])
      expect(await read(`${word} March`)).toBe("March: 2027-03-01 to 2027-03-31");
    await reads("2027-03-01", "", "from March | since March | after March | starting March | as of March");
    await reads("", "2027-03-31", "by March | until March | till March | before March");
    for (const word of [
      "may",
      "march",
      "mar",
      "sun",
      "sat",
      "mon",
      "wed",
      "fri",
      "thu",
      "tue",
      "dec",
      "jan",
      "jun",
      "sep",
    ])
      expect([word, await read(`bright ${word}, long days`)]).toEqual([word, null]);
  });

  it("mean a span that is this one or the next", async () => {
    await reads(
      "2026-12-12",
      "2026-12-13",
      "dieses Wochenende | am Wochenende | übers Wochenende | ce week-end | ce weekend | este fin de semana | este finde | este fim de semana | neste fim de semana | questo fine settimana | dit weekend | this weekend",
    );
    await reads(
      "2026-12-19",
      "2026-12-20",
      "nächstes Wochenende | am nächsten Wochenende | kommendes Wochenende | le prochain week-end | le week-end prochain | el próximo fin de semana | il prossimo fine settimana | volgend weekend | komend weekend",
    );
    await reads(
      "2026-12-07",
      "2026-12-13",
      "diese Woche | cette semaine | esta semana | nesta semana | questa settimana | deze week | this week",
    );
    await reads(
      "2026-12-14",
      "2026-12-20",
      "nächste Woche | nächster Woche | kommende Woche | prochaine semaine | la prochaine semaine | la semaine prochaine | la próxima semana | na próxima semana | la semana que viene | a semana que vem | la prossima settimana | la settimana prossima | volgende week | komende week",
    );
    await reads(
      "2026-12-01",
      "2026-12-31",
      "diesen Monat | ce mois | este mes | neste mês | questo mese | deze maand | this month",
    );
    await reads(
      "2027-01-01",
      "2027-01-31",
      "nächsten Monat | kommenden Monat | kommender Monat | prochain mois | le mois prochain | el próximo mes | próximo mes | no próximo mês | el mes que viene | o mês que vem | il prossimo mese | il mese prossimo | prossimo mese | volgende maand | komende maand | next month",
    );
    for (const text of ["la semaine", "le week-end", "die Woche", "il mese", "este mesa", "diese Wochen"])
      expect([text, await read(text)]).toEqual([text, null]);
  });

  it("mean a feast", async () => {
    await reads(
      "2026-12-31",
      "2026-12-31",
      "New Year's Eve | new years eve | Silvester | Nochevieja | réveillon",
    );
    await reads("2027-01-01", "2027-01-01", "New Year's Day | New Years Day");
    await reads("2026-12-24", "2026-12-24", "Christmas Eve | Heiligabend | Nochebuena");
    await reads("2026-12-26", "2026-12-26", "Boxing Day");
    await reads(
      "2026-12-24",
      "2026-12-26",
      "at Christmas | over Christmas | on Christmas | during Christmas",
    );
    await reads("2027-10-31", "2027-10-31", "Halloween");
    await reads("2027-03-26", "2027-03-26", "Good Friday | Karfreitag | vendredi saint | Viernes Santo");
    await reads("2027-03-29", "2027-03-29", "Easter Monday | Ostermontag | lundi de Pâques | Pasquetta");
    await reads("2027-03-28", "2027-03-28", "Easter Sunday | Ostersonntag | domingo de Pascua");
    await reads("2027-03-21", "2027-03-28", "Semana Santa");
    await reads(
      "2027-03-26",
      "2027-03-29",
      "at Easter | over Easter | during Easter | this Easter | next Easter | Easter weekend | an Ostern | zu Ostern | über Ostern | à Pâques | a Pasqua | na Páscoa | met Pasen",
    );
    for (const text of ["Christmas cake", "Silvesters", "Easter cake", "semana", "Pasen"])
      expect([text, await read(text)]).toEqual([text, null]);
  });

  it("mean days from today on, and not how long something lasts", async () => {
    const ends = { two: 12, three: 13, four: 14, five: 15, six: 16, seven: 17, ten: 20 };
    for (const [count, last] of Object.entries(ends))
      await reads("2026-12-10", `2026-12-${last}`, `next ${count} days`);
    await reads(
      "2026-12-10",
      "2026-12-13",
      "following 3 days | coming 3 days | in the next 3 days | over the next 3 days | within 3 days | during the next 3 days",
    );
    await reads("2026-12-10", "2026-12-24", "within two weeks | next 2 weeks | Within Two Weeks");
    await reads("2026-12-12", "2026-12-12", "in two days | 2026-12-12");
    await reads("2026-12-10", "2026-12-11", "coming day");
    await reads("2026-12-10", "2027-01-09", "coming month");
    await reads(
      "2026-12-19",
      "2026-12-20",
      "weekend of 19 December | weekend of the 19 December | weekend 19 December",
    );
    for (const count of [
      "a few",
      "several",
      "some",
      "a couple of",
      "a",
      "an",
      "one",
      "two",
      "three",
      "four",
      "five",
      "six",
      "12",
    ])
      for (const unit of ["day", "days", "night", "week", "weeks", "month", "year", "years"])
        expect([count, unit, await read(`for ${count} ${unit}`)]).toEqual([count, unit, null]);
  });

  it.each([
    ...[
      "room under 700 a month",
      "dog walker once a day",
      "an hour a day",
      "two day course",
      "one week holiday",
      "3 months",
    ],
    ...[
      "four weeks",
      "five days",
      "six days",
      "seven days",
      "eight days",
      "nine days",
      "ten days",
      "three years",
      "12 hours",
    ],
  ])("mean no day in %s", async (text) => expect(await read(text)).toBeNull());

  it.each(["1st and 5th", "the 1st and 5th", "1 and 5", "2nd and 3rd", "the 3rd and the 9th", "4th and 9th"])(
    "mean all between %s",
    async (between) => {
      const found = await daysInText(`cello between ${between} January`, NOW, 0);
      expect([found?.first?.slice(0, 9), found?.last?.slice(0, 9)]).toEqual(["2027-01-0", "2027-01-0"]);
      expect(found?.first?.at(-1)).toBe(between.match(/\d/)?.[0]);
      expect(found?.last?.at(-1)).toBe(between.match(/\d(?=\D*$)/)?.[0]);
    },
  );
});

describe("words of place and time in a search", () => {
  const board = useTestBoard({}, { clock: () => NOW });
  beforeAll(async () => {
    const { key } = await register(board);
    const post = (title: string, day: string, lat: number, lng: number) =>
      write(board, key, {
        kind: "event",
        title,
        body: "Free jazz, doors open at eight.",
        starts_at: `${day}T19:00:00Z`,
        ends_at: `${day}T22:00:00Z`,
        location: { name: title, lat, lng },
      });
    await post("weekday in Hamburg", "2026-12-15", 53.55, 9.99);
    await post("weekday by the Spree", "2026-12-15", 52.5, 13.45);
    await post("Saturday by the Spree", "2026-12-12", 52.51, 13.43);
    await post("Saturday in Hamburg", "2026-12-12", 53.56, 10);
  });

  const search = async (q: string, more = "") =>
    (await call(board, `GET /search?q=${encodeURIComponent(q)}${more}`)).body;

  it("lift what fits and hide nothing", async () => {
    const { data, meta } = await search("free jazz near Berlin this weekend");
    expect(data.map(({ title }: { title: string }) => title)[0]).toBe("Saturday by the Spree");
    expect(data).toHaveLength(4);
    expect(data[3].title).toBe("weekday in Hamburg");
    const relevanceOf = (start: string) =>
      data.find(({ title }: { title: string }) => title.startsWith(start)).relevance;
    expect(relevanceOf("Saturday in") - relevanceOf("weekday in")).toBeCloseTo(0.25 / 1.3, 2);
    expect(relevanceOf("weekday by") - relevanceOf("weekday in")).toBeCloseTo(0.4 / 1.3, 1);
    // A day lasts to its end.
    const onOne = (await search("free jazz on 12 December")).data;
    const [one, other] = ["Saturday in", "weekday in"].map((start) =>
      onOne.find(({ title }: { title: string }) => title.startsWith(start)),
    );
    expect(one.relevance - other.relevance).toBeCloseTo(0.25 / 1.3, 2);
    expect(meta.understood).toEqual({
      near: { words: "near Berlin", place: "Berlin, Germany", radius_km: 25 },
      days: { words: "this weekend", after: "2026-12-12", before: "2026-12-13" },
    });
  });

  it("name a distance, which goes into the call, up to what a search takes; a sent radius wins", async () => {
    const { meta } = await search("free jazz within 10 miles of Berlin");
    expect(meta.understood.near).toMatchObject({ words: "within 10 miles of Berlin", radius_km: 16.1 });
    expect(meta.note).toContain("within 16.1 km of Berlin, Germany");
    expect(meta.note).toContain("radius_km=16.1");
    expect(meta.note).not.toContain("No post has");
    // Of one day the note names it once; of an open end, where it begins.
    expect((await search("jazz tomorrow")).meta.note).toContain("“tomorrow” as 2026-12-11: what fits");
    expect((await search("jazz since Monday")).meta.note).toContain(
      "“since Monday” as from 2026-12-07: what",
    );
    for (const [said, radius] of [
      [900, 500],
      [0, 0.1],
    ])
      expect((await search(`jazz within ${said} km of Berlin`)).meta.understood.near.radius_km).toBe(radius);
    expect((await search("jazz within 9 km of Berlin", "&radius_km=3")).meta.understood.near.radius_km).toBe(
      3,
    );
  });

  it("search a district in its surroundings, a town more widely, and either as far as is sent", async () => {
    const radius = async (q: string, more = "") => (await search(q, more)).meta.understood.near.radius_km;
    expect(await radius("jazz in Kreuzberg")).toBe(5);
    expect(await radius("jazz in Berlin")).toBe(25);
    for (const q of ["jazz in Kreuzberg", "jazz in Berlin"])
      expect(await radius(q, "&radius_km=40")).toBe(40);
    expect(await radius("jazz within 2 km of Kreuzberg")).toBe(2);
  });

  it.each([
    ["free jazz in Nice", "in Nice"],
    ["free jazz Nice", undefined],
    ["free jazz in nice", undefined],
    ["Jazz In Nice", undefined],
    ["free jazz Utrecht", "Utrecht"],
  ])(
    "name a place by a word that means something else only behind a preposition, with a capital: %s",
    async (q, words) => {
      expect((await search(q)).meta.understood?.near?.words).toBe(words);
    },
  );

  it("mean by a feast that of this year up to its last day, and then the next", async () => {
    const first = async (text: string, today: string) =>
      (await daysInText(text, Date.parse(`${today}T12:00:00Z`), 0))?.first;
    expect(await first("dinner at Christmas", "2026-12-26")).toBe("2026-12-24");
    expect(await first("dinner at Christmas", "2026-12-27")).toBe("2027-12-24");
  });

  it.each([
    ["2026-12-10", "2026-12-12", "2026-12-19"],
    ["2026-12-11", "2026-12-12", "2026-12-19"],
    ["2026-12-12", "2026-12-12", "2026-12-19"],
    // On a Sunday the coming one, as in English.
    ["2026-12-13", "2026-12-19", "2026-12-19"],
    ["2026-12-14", "2026-12-19", "2026-12-26"],
  ])("mean by this weekend and the next, on %s, those of %s and %s", async (today, present, next) => {
    const first = async (text: string) =>
      (await daysInText(text, Date.parse(`${today}T12:00:00Z`), 0))?.first;
    for (const text of ["Markt dieses Wochenende", "marché ce week-end"])
      expect(await first(text), text).toBe(present);
    for (const text of ["Markt nächstes Wochenende", "marché le week-end prochain"])
      expect(await first(text), text).toBe(next);
  });

  it.each([
    ["jazz near me", "near me"],
    ["jazz within 5 km of my house", "within 5 km of my house"],
    ["jazz nearby", "nearby"],
    ["Jazz in meiner Nähe", "in meiner Nähe"],
    ["jazz près de chez moi", "près de chez moi"],
    ["jazz cerca de mí", "cerca de mí"],
    ["jazz in de buurt", "in de buurt"],
  ])("ask for a place where they mean where the reader is: %s", async (q, words) => {
    const asks = `This board does not know where “${words}” is: send \`near\``;
    const { data, meta } = await search(q);
    expect(meta.note).toContain(asks);
    expect(meta.note).not.toContain("No post has");
    expect(data).toHaveLength(4);
    expect((await search(q, "&near=Berlin&radius_km=500")).meta.note).not.toContain("does not know");
    const { key } = await register(board);
    const saved = await call(board, "POST /subscriptions", { query: { q } }, { key });
    expect(saved.body.meta.note).toContain(asks);
  });

  it.each([
    "near me | near us | near here | near my place | near my home | near my house | around me | close to me",
    "nearby | close by | around here | in my area | in my neighbourhood | in my neighborhood | in my town | in my city",
    "within 5 km of me | within 5 miles of here | where I live | in meiner Nähe | in der Nähe | bei mir | hier in der Nähe",
    "in unserer Stadt | près de moi | près de chez moi | près d'ici | à proximité | dans ma ville | cerca de mí | en mi barrio",
    "vicino a me | nelle vicinanze | nella mia città | in de buurt | in mijn buurt | perto de mim | na minha cidade",
  ])("mean where the reader is by %s", async (phrases) => {
    for (const words of phrases.split(" | "))
      expect((await understoodIn({}, `jazz ${words}`, NOW)).here).toBe(words);
    const [words = ""] = phrases.split(" | ");
    const call = `This board does not know where “${words}” is: send \`near\`, the name of a town or \`lat,lng\`.`;
    const reading = `This board does not know where “${words}” is: fill in a town under Near.`;
    expect(notesOnHere(words, {})).toEqual([{ rest: call, tools: call, reading }]);
    expect(notesOnHere(words, { near: { lat: 0, lng: 0 } })).toEqual([]);
    expect(notesOnHere(null, {})).toEqual([]);
  });

  it("are told whole, with the call that keeps all that was sent but its page", async () => {
    const q = "free jazz near Berlin this weekend";
    const kept = {
      q,
      kind: "event,offer",
      tags: "a,b",
      timezone: "Europe/Paris",
      verified: true,
      publisher: "pub_a",
      thread: "t1",
      include_replies: true,
      include_expired: true,
      include_syndicated: false,
      rerank: false,
      sort: "newest",
      limit: 7,
    };
    const sent = SearchQuery.parse({ ...kept, cursor: "c" });
    const filters = { near: "Berlin, Germany", after: "2026-12-12", before: "2026-12-13" };
    const { understood } = await understoodIn(sent, q, NOW);
    const read =
      "“near Berlin” as within 25 km of Berlin, Germany and “this weekend” as 2026-12-12 to 2026-12-13";
    const told = `Read ${read}: what fits ranks higher, nothing is hidden. To see only that:`;
    const [note] = notesOnUnderstood(understood, sent);
    if (typeof note !== "object") expect.fail("no advice for each surface");
    const [, rest, parameters = ""] = /^(.*) GET \/api\/v1\/search\?(.*)\.$/.exec(note.rest) ?? [];
    const texts = Object.entries({ ...kept, ...filters }).map(([name, value]) => [name, String(value)]);
    expect([rest, Object.fromEntries(new URLSearchParams(parameters))]).toEqual([
      told,
      Object.fromEntries(texts),
    ]);
    const [, tools, call = ""] = /^(.*) search (\{.*)\.$/.exec(note.tools) ?? [];
    expect([tools, JSON.parse(call)]).toEqual([told, { ...kept, ...filters }]);
    expect(withoutUnderstood(`Before. ${note.rest} After.`)).toBe("Before. After.");
    const saved = `A saved query matches all words as words. To read ${read}, save this instead:`;
    const query = JSON.parse(JSON.stringify({ ...kept, ...filters, q: "free jazz" }));
    const [instead] = notesOnSavedWords(understood, sent, q);
    if (typeof instead !== "object") expect.fail("no advice for each surface");
    const written = [instead.rest, instead.tools].map((text) =>
      /^(.* instead:) (\w* ?)(\{.*)\.$/.exec(text)?.slice(1),
    );
    expect(written.map((parts) => [parts?.[0], parts?.[1], JSON.parse(parts?.[2] ?? "")])).toEqual([
      [saved, "", { query }],
      [saved, "subscribe ", { query }],
    ]);
    expect([notesOnUnderstood({}, sent), notesOnSavedWords({}, sent, q)]).toEqual([[], []]);
  });

  it.each([
    [
      { near: "Berlin", radius_km: 9, q: "jazz tomorrow" },
      "2026-12-11",
      "radius_km=9&near=Berlin%2C+Germany&after=2026-12-11&before=2026-12-11",
    ],
    [{ near: "52.5,13.4", q: "jazz until Friday" }, "until 2026-12-11", "near=52.5%2C13.4&before=2026-12-11"],
    [{ limit: 20, q: "jazz from January" }, "from 2027-01-01", "after=2027-01-01"],
    [
      { limit: 21, q: "jazz within 9 km of Ulm", after: "2026-12-01", before: "2026-12-05T10:00Z" },
      "within 9 km of Ulm, Germany",
      "after=2026-12-01&before=2026-12-05T10%3A00%3A00.000Z&limit=21&near=Ulm%2C+Germany&radius_km=9",
    ],
  ])("of %j are told as %s", async (given, taken, parameters) => {
    const sent = SearchQuery.parse(given);
    const [note] = notesOnUnderstood((await understoodIn(sent, given.q, NOW)).understood, sent);
    if (typeof note !== "object") expect.fail("no advice for each surface");
    const [, words, address = ""] =
      /” as (.*): what fits .* GET \/api\/v1\/search\?(.*)\.$/.exec(note.rest) ?? [];
    const expected = new URLSearchParams(parameters);
    expected.append("q", given.q);
    const sorted = (one: URLSearchParams) => [...one].sort().map(String);
    expect([words, sorted(new URLSearchParams(address))]).toEqual([taken, sorted(expected)]);
  });

  it.each([
    [
      "a desk under 1,200 €",
      ["Read “under 1,200 €” as a price up to 1,200 EUR: posts that name other prices only P."],
    ],
    [
      "a desk from 50 to 80 €",
      ["Read “from 50 to 80 €” as a price from 50 up to 80 EUR: posts that name other prices only P."],
    ],
    [
      "a desk over 1500 €",
      ["Read “over 1500 €” as a price from 1,500 EUR on: posts that name other prices only P."],
    ],
    ["a desk under 900", ["Read “under 900” as a price up to 900: posts that name other prices only P."]],
    ["a desk for free", ["Read “free” as a price of nothing: posts that name other prices only P."]],
    [
      "yoga, NOT hot yoga, without mats",
      [
        "Read “hot yoga” as not wanted: U; `-yoga` leaves out every post with the word.",
        "Read “mats” as not wanted: U; `-mats` leaves out every post with the word.",
      ],
    ],
    ["a desk", []],
  ])("of prices and of what is not wanted are told: %s", (q, notes) => {
    expect(notesOnAsked(parseQueryText(q).bounds, { price: "P", unwanted: "U" })).toEqual(notes);
  });

  it.each(["jazz near Berlin", "jazz in der Nähe von Berlin", "jazz à proximité de Berlin", "show me jazz"])(
    "ask for none in %s",
    async (q) => {
      expect((await search(q)).meta.note ?? "").not.toContain("does not know");
    },
  );

  it("are answered with the call that filters by them, which works", async () => {
    const { meta } = await search("free jazz near Berlin this weekend");
    const [, path = ""] = /GET (\/api\/v1\/search\?\S+)\.$/.exec(meta.note) ?? [];
    const filtered = (await (await fetch(board.url + path)).json()) as { data: { title: string }[] };
    expect(filtered.data.map(({ title }) => title)).toEqual(["Saturday by the Spree"]);
    // What else was sent is in it, except for what is so anyway.
    const sentBy = async (more: string) => {
      const { note } = (await search("free jazz near Berlin", more)).meta;
      return new URLSearchParams(/GET \/api\/v1\/search\?(\S+)\./.exec(note)?.[1]);
    };
    const own = await sentBy("&limit=7&kind=event");
    expect([own.get("limit"), own.get("kind"), own.get("near")]).toEqual(["7", "event", "Berlin, Germany"]);
    expect((await sentBy("&limit=20")).has("limit")).toBe(false);
  });

  it("name days where `timezone` says the reader is, in the search and in the call that filters", async () => {
    // In Auckland it is already the 11th.
    const { meta } = await search("free jazz tomorrow", "&timezone=Pacific/Auckland");
    expect(meta.understood.days).toMatchObject({ after: "2026-12-12", before: "2026-12-12" });
    expect(meta.query.timezone).toBe("Pacific/Auckland");
    const [, path = ""] = /GET (\/api\/v1\/search\?\S+)\.$/.exec(meta.note) ?? [];
    expect(path).toContain("timezone=Pacific%2FAuckland");
    const filtered = (await (await fetch(board.url + path)).json()) as { meta: { query: object } };
    expect(filtered.meta.query).toMatchObject({ after: "2026-12-11T11:00:00.000Z" });
  });

  const shown = async (query: string) => {
    const page = await (await fetch(`${board.url}/search?q=${query}`)).text();
    const posts = [...page.matchAll(/<h3 dir="auto"><a[^>]*>([^<]*)/g)].map(([, title]) => title);
    return { page, posts };
  };

  it("filter a page, whose chips take the words off one by one or all at once", async () => {
    const { page, posts } = await shown("free+jazz+near+Berlin+this+weekend");
    expect(posts).toEqual(["Saturday by the Spree"]);
    expect(page).toContain("1 post for");
    expect(page).toContain('href="/search?q=free+jazz+this+weekend"');
    expect(page).toContain('href="/search?q=free+jazz+near+Berlin"');
    expect(page).toContain('<a href="/search?q=free+jazz">Show all 4</a>');
    expect(page).toContain('href="/feed.xml?q=free+jazz&amp;near=Berlin%2C+Germany&amp;after=2026-12-12');
    expect(page).not.toContain("GET /api");
    expect((await shown("free+jazz+near+Berlin")).posts).toHaveLength(2);
    // Where nothing else was typed, the place alone is searched.
    expect((await shown("near+Hamburg")).posts.sort()).toEqual(["Saturday in Hamburg", "weekday in Hamburg"]);
  });

  it("do not filter a page where no post fits them, which says so", async () => {
    const { page, posts } = await shown("free+jazz+near+Paris+this+weekend");
    expect(posts).toHaveLength(4);
    expect(page).toContain(
      "Nothing fits “<bdi>near Paris</bdi>”, “<bdi>this weekend</bdi>” and the rest too",
    );
    expect(page).not.toContain("(remove)");
  });

  it("keep their filter on every page of a walk", async () => {
    const first = await shown("free+jazz+near+Berlin&limit=1");
    const [, next = ""] = /rel="next" href="\/search\?q=([^"]*)"/.exec(first.page) ?? [];
    const second = await shown(next.replaceAll("&amp;", "&"));
    expect([...first.posts, ...second.posts].sort()).toEqual([
      "Saturday by the Spree",
      "weekday by the Spree",
    ]);
    expect(second.page).not.toContain('rel="next"');
  });

  it("are not read where a filter says it, nor in quotes, nor behind a minus", async () => {
    expect((await search("free jazz near Berlin", "&near=Hamburg")).meta.understood).toBeUndefined();
    for (const q of ['free jazz "near Berlin"', 'free jazz "tomorrow"', "free jazz -tomorrow"])
      expect((await search(q)).meta.understood, q).toBeUndefined();
    expect((await search("free jazz tomorrow", "&after=2026-12-01")).meta.understood).toBeUndefined();
  });

  it.each([
    ["pub quiz tonight", { after: "2026-12-10", before: "2026-12-10" }],
    ["career help tomorrow", { after: "2026-12-11", before: "2026-12-11" }],
    ["water shut off on Monday", { after: "2026-12-14", before: "2026-12-14" }],
    ["trams diverted in January", { after: "2027-01-01", before: "2027-01-31" }],
    ["concerts next week", { after: "2026-12-14", before: "2026-12-20" }],
    ["New Year's Eve party", { after: "2026-12-31", before: "2026-12-31" }],
    ["workshop from 12 to 14 December", { after: "2026-12-12", before: "2026-12-14" }],
    ["tickets until Friday", { before: "2026-12-11" }],
    ["workshop from Friday to Sunday", { after: "2026-12-11", before: "2026-12-13" }],
    ["pub quiz this evening", { after: "2026-12-10", before: "2026-12-10" }],
    ["cat lost last Saturday", { after: "2026-12-05", before: "2026-12-05" }],
    ["room from January", { after: "2027-01-01" }],
    ["concerts in the next 14 days", { after: "2026-12-10", before: "2026-12-24" }],
    ["next three days", { after: "2026-12-10", before: "2026-12-13" }],
    ["room within two months", { after: "2026-12-10", before: "2027-02-08" }],
    ["gigs in the coming week", { after: "2026-12-10", before: "2026-12-17" }],
    ["lost since Monday", { after: "2026-12-07" }],
    ["market weekend of 19 December", { after: "2026-12-19", before: "2026-12-20" }],
    ["visit between 15 and 19 December", { after: "2026-12-15", before: "2026-12-19" }],
    ["dinner at Christmas", { after: "2026-12-24", before: "2026-12-26" }],
    ["holiday flat at Easter", { after: "2027-03-26", before: "2027-03-29" }],
    ["brunch on Easter Sunday", { after: "2027-03-28", before: "2027-03-28" }],
    ["Ferienwohnung über Ostern", { after: "2027-03-26", before: "2027-03-29" }],
    ["procesión Viernes Santo", { after: "2027-03-26", before: "2027-03-26" }],
    ["Easter egg hunt", undefined],
    ["borrow a drill for a few days", undefined],
    ["second hand bike", undefined],
    ["may I borrow a ladder", undefined],
    ["march against war", undefined],
    ["sat nav for a car", undefined],
    ["now hiring", undefined],
    ["morning yoga", undefined],
  ])("read the days of %s", async (q, days) => {
    const { words: _, ...read } = (await search(q)).meta.understood?.days ?? {};
    expect(read).toEqual(days ?? {});
  });

  it.each<[q: string, words?: string, after?: string | undefined, before?: string]>([
    ["Konzert morgen", "morgen", "2026-12-11", "2026-12-11"],
    ["Flohmarkt nächstes Wochenende", "nächstes Wochenende", "2026-12-19", "2026-12-20"],
    ["Kurs vom 12. bis 14. Dezember", "12. bis 14. Dezember", "2026-12-12", "2026-12-14"],
    ["Kurse im Dezember, am 15. Dezember abends", "15. Dezember", "2026-12-15", "2026-12-15"],
    ["Konzerte im Dezember", "im Dezember", "2026-12-01", "2026-12-31"],
    ["Messe vom 1. bis 3. März", "1. bis 3. März", "2027-03-01", "2027-03-03"],
    ["Zimmer ab Januar", "ab Januar", "2027-01-01"],
    ["Zimmer ab dem 5. März", "ab dem 5. März", "2027-03-05"],
    ["Ausstellung bis Ende Mai", "bis Ende Mai", undefined, "2027-05-31"],
    ["brocante ce week-end", "ce week-end", "2026-12-12", "2026-12-13"],
    ["cours la semaine prochaine", "la semaine prochaine", "2026-12-14", "2026-12-20"],
    ["billets jusqu'à vendredi", "jusqu'à vendredi", undefined, "2026-12-11"],
    ["mercado este fin de semana", "este fin de semana", "2026-12-12", "2026-12-13"],
    ["fiesta pasado mañana", "pasado mañana", "2026-12-12", "2026-12-12"],
    ["mercadillo el sábado", "sábado", "2026-12-12", "2026-12-12"],
    ["festa il 5 marzo", "5 marzo", "2027-03-05", "2027-03-05"],
    ["concerto stasera", "stasera", "2026-12-10", "2026-12-10"],
    ["quarto em fevereiro", "em fevereiro", "2027-02-01", "2027-02-28"],
    ["feira amanhã", "amanhã", "2026-12-11", "2026-12-11"],
    ["markt volgend weekend", "volgend weekend", "2026-12-19", "2026-12-20"],
    ["concert vanavond", "vanavond", "2026-12-10", "2026-12-10"],
    ["Yoga am Morgen"],
    ["clases por la mañana"],
    ["mars rover talk"],
    ["mai tai tasting"],
    ["2 mars rovers"],
    ["box of 24 Mars bars"],
    ["3 mai tai cocktails"],
    ["ferry to Hoy"],
    ["vide-grenier le 5 mars", "5 mars", "2027-03-05", "2027-03-05"],
    ["Flohmarkt am 5. Mai", "5. Mai", "2027-05-05", "2027-05-05"],
    ["conciertos hoy", "hoy", "2026-12-10", "2026-12-10"],
    ["mardi gras costume"],
    ["fin whale watching"],
    ["open from 9 am Monday", "from 9 am Monday", "2026-12-14", "2026-12-14"],
  ])("read the days of %s in their own language", async (q, words, after, before) => {
    const days = words === undefined ? undefined : { words, after, before };
    expect((await search(q)).meta.understood?.days).toEqual(days);
  });

  it("of other languages are answered with the call that filters by them too", async () => {
    const { data, meta } = await search("free jazz ce week-end");
    expect(data).toHaveLength(4);
    expect(
      data
        .slice(0, 2)
        .map(({ title }: { title: string }) => title)
        .sort(),
    ).toEqual(["Saturday by the Spree", "Saturday in Hamburg"]);
    expect(meta.note).toContain("after=2026-12-12&before=2026-12-13");
  });

  it.each([
    ["Klavierstimmer in der Nähe von Hamburg", "in der Nähe von Hamburg", "Hamburg, Germany"],
    ["brocante près de Lyon", "près de Lyon", "Lyon, France"],
    ["clases cerca de Sevilla", "cerca de Sevilla", "Sevilla, Spain"],
    ["corso vicino a Torino", "vicino a Torino", "Turin, Italy"],
    ["aulas perto de Coimbra", "perto de Coimbra", "Coimbra, Portugal"],
    ["cursus in de buurt van Utrecht", "in de buurt van Utrecht", "Utrecht, Netherlands"],
  ])("read the place of %s with all the words before it", async (q, words, place) => {
    expect((await search(q)).meta.understood?.near).toMatchObject({ words, place });
  });

  it.each([
    ["yoga class in Prenzlauer Berg", "Prenzlauer Berg, Berlin"],
    ["tool library Newcastle upon Tyne", "Newcastle upon Tyne, United Kingdom"],
    ["piano tuner in Peckham", "Peckham, London"],
    ["farmers market in paris, TX", "Paris, Texas"],
    ["chess club london", "London, United Kingdom"],
    ["lessons in reading", undefined],
    ["pay in cash", undefined],
    ["a class in Spanish", undefined],
    ["nice bath mat", undefined],
    ["jazz in Springfield", undefined],
    ["mobile phone", undefined],
    ["aulas perto", undefined],
    ["lessons in rugby", undefined],
  ])("read the place of %s", async (q, place) => {
    expect((await search(q)).meta.understood?.near?.place).toBe(place);
  });
});
