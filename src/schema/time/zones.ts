import { readData } from "../../data/read.ts";

const [{ spellings, abbreviations }] = readData<{
  /** Lists names of IANA that `Intl` does not know and that are not spelt like titles. */
  spellings: string;
  /** Gives each name that people have for zones the zones that it may mean. */
  abbreviations: Record<string, string>;
}>("zones.json") as [{ spellings: string; abbreviations: Record<string, string> }];

const SPELLINGS = new Map(
  [...Intl.supportedValuesOf("timeZone"), ...spellings.split(" ")].map((name) => [name.toLowerCase(), name]),
);

/**
 * Finds the IANA zone of a name, as IANA spells it, in any letter case and with blanks around it: ` europe/berlin` is
 * Europe/Berlin. Null for names that the runtime does not know, for offsets, and for those that only ICU takes: its `BST`
 * is that of Bangladesh.
 */
export function zoneNamed(sent: string): string | null {
  const name = sent.trim();
  const spelt = SPELLINGS.get(name.toLowerCase());
  if (spelt === undefined && !/^(?!systemv)\w+\//i.test(name)) return null;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return spelt ?? titled(name);
  } catch {
    return null;
  }
}

const titled = (name: string) =>
  name
    .toLowerCase()
    .replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase())
    .replace(/\b(?:us|gmt)\b/gi, (word) => word.toUpperCase());

/** Lists the IANA zones that an abbreviation may mean, the likeliest first; none for an unknown one. */
export const zonesMeant = (abbreviation: string): readonly string[] =>
  new Map(Object.entries(abbreviations)).get(abbreviation.trim().toUpperCase())?.split(" ") ?? [];
