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

  it("takes milliseconds for 8,000 hostile characters", () => {
    for (const unit of "1|1 |+1(|a@|a.|12 Aa |Calle A |tel 1|00 1|4 |Aa-straße ".split("|")) {
      const text = unit.repeat(Math.ceil(8000 / unit.length)).slice(0, 8000);
      personalData(text);
      const took = cpuMsOf(() => personalData(text));
      expect(took, unit).toBeLessThan(40);
    }
  });
});
