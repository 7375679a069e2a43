import { describe, expect, it } from "vitest";
import { personalData } from "../../src/domain/posts/text.ts";
import { cpuMsOf } from "../support/run/cpu.ts";

describe("personalData", () => {
  it.each([
    ["Call +49 170 123 after six", ["phone number"]],
    ["Reach me: (415) 555-2671", ["phone number"]],
    ["415-555-2671", ["phone number"]],
    ["Tel. 020 7946 0958", ["phone number"]],
    ["phone: 030123", ["phone number"]],
    ["电话：13812345678", ["phone number"]],
    ["I live at 12 Maple Street, Leeds", ["postal address"]],
    ["Wohnung in der Torstraße 12, Berlin", ["postal address"]],
    ["12 rue de la Paix, Paris", ["postal address"]],
    ["Calle Mayor 5, Madrid", ["postal address"]],
    ["Prinsengracht 263, Amsterdam", ["postal address"]],
    ["Card 4111 1111 1111 1111 works", ["card number"]],
    ["378282246310005", ["card number"]],
    ["Write to jane.doe+bikes@mail.example.org", ["e-mail address"]],
  ])("finds it in: %s", (text, kinds) => {
    expect(personalData(text)).toEqual(kinds);
  });

  it.each([
    "From 2026-11-20 to 2026-11-22, 18:30–20:00",
    "20.11.2026 18:30, 01/02/2027 - 03/02/2027",
    "Price 1,234,567.89 EUR or 1.234.567,89 EUR",
    "Order 4111111111111112, ticket 20261120123456",
    "ISBN 978-3-16-148410-0, version 10.0.19045.3803, 192.168.100.200",
    "UUID 550e8400-e29b-41d4-a716-446655440000",
    "Timestamp 1795158000000, UTC+01:00, population +10000",
    "https://example.org/49/1701234567?tel=415-555-2671",
    "lat 52.520008, lng 13.404954",
    "The 12 best Street food stalls; a 5 Star hotel; 3 rooms, 80 m²",
    "Weg 2 points; Platz 3 in the league",
    "npm i left-pad@1.3.0, follow @jane on the network",
    "phone 03012, +49 12345",
    "Call us on 2026-12-01, or text me at 01.12.2026",
    "Doors 19:00, 20 places, 5 EUR, room 101, bus 100, 200, 300",
  ])("finds nothing in: %s", (text) => {
    expect(personalData(text)).toEqual([]);
  });

  it("takes each word that announces a number, with a word between", () => {
    const words =
      "tel tel. telefon telefoon telephone telefono teléfono téléphone telefone phone mobile mobil handy cell call me call call us text me sms whatsapp anrufen ruf an " +
      "appelez llamar llama móvil celular fax 电话 電話 тел телефон 전화";
    const announcing = words
      .replace(/(call|text) (me|us)|ruf an/g, (two) => two.replace(" ", "_"))
      .split(" ");
    for (const word of announcing.map((one) => one.replace("_", " ")))
      expect([word, personalData(`Ask: ${word} 030123`)]).toEqual([word, ["phone number"]]);
    for (const between of ["me", "us", "at", "on", "unter", "nr", "no", "number", "is", "au", "al"])
      expect([between, personalData(`Ask: tel ${between} 030123`)]).toEqual([between, ["phone number"]]);
    for (const other of ["model", "hotel", "cellar", "recall", "faxed", "tel about"])
      expect([other, personalData(`Ask: ${other} 030123`)]).toEqual([other, []]);
  });

  it("takes each word for a street, before or behind its name", () => {
    const behind =
      "Street Avenue Boulevard Road Lane Drive Terrace Crescent Close Gardens St. Ave Ave. Blvd Blvd. Rd Rd. Ln Ln. Dr.";
    const joined =
      "straße strasse str. gasse allee platz weg ufer damm straat laan gracht plein kade vägen gatan vej gade gata";
    const french = "rue avenue boulevard place chemin impasse allée quai cours";
    const before = "Calle Avenida Plaza Paseo Carrer Via Viale Piazza Corso Rua Travessa ul. ulica aleja";
    const texts = [
      ...behind.split(" ").map((word) => `12 Maple ${word}, Leeds`),
      ...joined.split(" ").map((word) => `Linden${word} 12, Ulm`),
      ...french.split(" ").map((word) => `12 ${word} de la Paix, Paris`),
      ...before.split(" ").map((word) => `${word} Mayor 5, Madrid`),
      ...["de la ", "de l'", "de l’", "du ", "des ", "de ", "d'", "d’"].map((of) => `12 rue ${of}Orme`),
      ...["de la ", "de ", "del ", "della ", "dei ", "da ", "do ", "dos ", "das "].map(
        (of) => `Via ${of}Pace 5`,
      ),
      ...["Apt", "Flat", "Unit", "Suite", "Floor", "#"].map((part) => `12 Maple Street ${part} 3`),
      ...["North", "South", "East", "West", "N", "S."].map((way) => `12 ${way} Maple Street, Leeds`),
    ];
    for (const text of texts) expect([text, personalData(text)]).toEqual([text, ["postal address"]]);
    for (const text of [
      "12 Maple Trees, Leeds",
      "Lindenbaum 12, Ulm",
      "12 roses de la Paix",
      "Mayor 5, Madrid",
    ])
      expect([text, personalData(text)]).toEqual([text, []]);
  });

  it("takes milliseconds for 8,000 hostile characters", () => {
    for (const unit of "1|1 |+1(|a@|a.|12 Aa |Calle A |tel 1|00 1|4 |Aa-straße ".split("|")) {
      const text = unit.repeat(Math.ceil(8000 / unit.length)).slice(0, 8000);
      // The best of five: a busy machine slows single runs, a quadratic step all of them.
      const times = Array.from({ length: 5 }, () => cpuMsOf(() => personalData(text)));
      expect(Math.min(...times), unit).toBeLessThan(40);
    }
  });
});
