import { describe, expect, it } from "vitest";
import { placedByName } from "../../src/domain/posts/place.ts";

const placed = (name: string) =>
  placedByName({ name, lat: null, lng: null }, { timezone: null, at: Date.UTC(2026, 11, 1) });

const VENUES =
  `Nice café|Mobile clinic|Odessa Grill|New York Diner|Essen und Trinken|Café Havana|Berlin Döner|London Pub|Boston Pizza
Bombay Palace|Delhi Darbar Restaurant|Bristol Hotel|Paris Bar|Vienna Coffee House|Halle 7|Room 101|Reading Room|Bath House|Hamburg Grill
Milano Pizzeria|Napoli Express|Roma Ristorante|Lisboa Bakery|Madrid Tapas Bar|Moscow Mule Bar|Kingston Jerk Kitchen|Lincoln Arms
Wellington Inn|Victoria Hall|Cambridge Blue|Oxford Street Studio|Manchester Arms|Dallas Steakhouse|Houston Bar|Phoenix Theatre
Santiago Tapas|Buenos Aires Steak House|Istanbul Kebab|Beirut Express|Cairo Lounge|Kyoto Garden|Tokyo Diner|Osaka Sushi|Shanghai Palace
Peking Ente|Saigon Street Food|Hanoi Kitchen|Bangkok Garden|Sydney Bar|Auckland Room|Kolkata Kitchen|São Paulo Grill|Rio Lounge
Münchner Stuben|Wiener Café|Zum Goldenen Löwen|Frankfurter Hof|Split Coffee Roasters|Tours and Travel Desk|Angers Bar`.split(
    /[|\n]/,
  );

const BESIDE =
  `Kino, Leipzig>51.3,12.4|Café Kino (Leipzig)>51.3,12.4|Nice café, Nice>43.7,7.3|Paris Bar, Berlin>52.5,13.4|The library in Leeds>53.8,-1.5
Town hall – Bath>51.4,-2.4|Town hall, Bath, England>51.4,-2.4|Library, Auckland>-36.8,174.8|Wellington Inn, Auckland>-36.8,174.8
Casa de Cultura, São Paulo>-23.5,-46.6|Mercado em São Paulo>-23.5,-46.6|Indian Museum, Kolkata>22.6,88.4|Eden Gardens (Kolkata)>22.6,88.4
Odessa Grill, Hamburg>53.6,10.0|New York Diner, Manchester>53.5,-2.2|Halle 7, Köln>50.9,7.0|Messe Halle 7, Frankfurt am Main>50.1,8.7
Museum in Wien>48.2,16.4|Theatre, Lyon>45.8,4.8|Bibliothèque à Lyon>45.8,4.8|Stadsbibliotek, Göteborg>57.7,12.0|Kulturhus i Aarhus>56.2,10.2
London SE15>51.5,-0.1|Zürich HB>47.4,8.5|Berlin Kreuzberg>52.5,13.4|10967 Berlin>52.5,13.4|Paris 11e>48.9,2.3|Dublin 4>53.3,-6.3
Studio 5, Glasgow>55.9,-4.3|Pub | Dublin>53.3,-6.3|Community centre · Cardiff>51.5,-3.2|Hostel - Porto>41.1,-8.6|Market hall, Ghent, Belgium>51.1,3.7
Oost, Amsterdam>52.4,4.9|De Hallen, Amsterdam>52.4,4.9|Café te Utrecht>52.1,5.1|Parque Ibirapuera, São Paulo, Brazil>-23.5,-46.6
Victoria Memorial, Kolkata, India>22.6,88.4|Ponsonby hall, Auckland, New Zealand>-36.8,174.8|Rathaus, Essen>51.5,7.0|Bahnhof, Halle>51.5,12.0
Wok in Hamburg>53.6,10.0|Church, York>54.0,-1.1|Park, Toronto>43.7,-79.4|Arena, Chicago>41.9,-87.6|Hall 3, Birmingham, UK>52.5,-1.9
Café Paris, Prague>50.1,14.4|Plaza Mayor, Madrid>40.4,-3.7|Biblioteca, Bologna>44.5,11.3|Teatro in Torino>45.1,7.7|Club, Warsaw>52.2,21.0
Kirjasto, Helsinki>60.2,24.9|Bar, Lisbon>38.7,-9.1|Shrine, Kyoto>35.0,135.8|Temple, Bangkok>13.8,100.5|Gallery in Melbourne>-37.8,145.0
Beach, Barcelona>41.4,2.2|Zoo, Antwerp>51.2,4.4|Gym, Sheffield>53.4,-1.5|Barn near Norwich>52.6,1.3`
    .split(/(?<=\d)[|\n]/)
    .map((one) => one.split(">") as [string, string]);

describe("the name of a venue", () => {
  it("is no town, of sixty at most two", () => {
    const pinned = VENUES.filter((name) => placed(name)?.lat !== null);
    expect(VENUES).toHaveLength(60);
    expect(pinned.length, pinned.join("; ")).toBeLessThanOrEqual(2);
    for (const name of ["Nice café", "Mobile clinic", "Odessa Grill", "New York Diner", "Essen und Trinken"])
      expect(pinned).not.toContain(name);
  });

  it("with a town beside it lies there, of sixty at least 54", () => {
    const wrong = BESIDE.filter(([name, at]) => {
      const [lat, lng] = at.split(",").map(Number);
      const found = placed(name);
      return !(
        Math.abs((found?.lat ?? 99) - (lat ?? 0)) < 0.3 && Math.abs((found?.lng ?? 999) - (lng ?? 0)) < 0.3
      );
    });
    expect(BESIDE).toHaveLength(60);
    expect(
      wrong.length,
      wrong.map(([name]) => `${name} ${JSON.stringify(placed(name))}`).join("; "),
    ).toBeLessThanOrEqual(6);
  });
});

describe("the name of a place", () => {
  const latOf = (name: string) => placed(name)?.lat?.toFixed(1);

  it("is that of a town behind what sets it apart from a venue, and beside other signs none", () => {
    for (const sign of [",", "，", "、", ";", "|", "·", "(", ")", "（", "）", " - ", " – ", " — "])
      expect([sign, latOf(`Wok${sign}Hamburg`)]).toEqual([sign, "53.5"]);
    for (const word of ["in", "near", "bei", "nahe", "à", "em", "te", "i", "in the"])
      expect([word, latOf(`Wok ${word} Hamburg`)]).toEqual([word, "53.5"]);
    for (const sign of ["-", " / ", " + ", " & ", " on "])
      expect([sign, latOf(`Wok${sign}Hamburg`)]).toEqual([sign, undefined]);
    expect(latOf("Wok in hamburg")).toBeUndefined();
    for (const two of ["Lisbon / Porto", "Lisbon + Porto", "Lisbon & Porto", "Halle 7", "Halle B2"])
      expect([two, latOf(two)]).toEqual([two, undefined]);
  });

  it("is that of a town before a word for a part of it, and before no other word", () => {
    const parts =
      "Hbf Bhf Nord Süd Ost West North South East Mitte Altstadt Zentrum Innenstadt Centre Center City Downtown Central Centrum Centro N NW ABC";
    for (const part of parts.split(" ")) expect([part, latOf(`Leipzig ${part}`)]).toEqual([part, "51.3"]);
    for (const other of ["ABCD", "Xyz", "Bar"])
      expect([other, latOf(`Leipzig ${other}`)]).toEqual([other, undefined]);
  });

  it.each([
    ["a town of 13,000 alone is none", "Casisang", false],
    ["a town of 16,000 alone", "Carmelo", true],
    ["a town of 11,000 with its country", "Carros, France", true],
    ["a part of a town of 91,000 is none", "Chosica Nord", false],
    ["a part of a town of 133,000", "Castanhal Nord", true],
    ["a part of a town by a foreign name of four letters is none", "Roma Centro", false],
    ["a part of a town by a foreign name of five letters", "Nizza Centro", true],
    ["a part of a town by its own name of four letters", "Lima Centro", true],
    ["a town behind a venue by whose name a town elsewhere goes", "Bar, Lisbon", true],
    ["five words", "San Miguel de Tucumán Centro", true],
    ["six words are none", "Las Palmas de Gran Canaria Centro", false],
  ])("is found or not: %s", (_what, name, isFound) => {
    expect(placed(name)?.lat !== null).toBe(isFound);
  });
});
