import { readData } from "../data/read.ts";
import { foldedPlace } from "./fold.ts";

/** Gives codes of countries and regions (`US.IL`), by the folded names that people give them. */
type RegionCodes = ReadonlyMap<string, readonly string[]>;

/** A country may be named in these languages. */
const LANGUAGES =
  "en de fr es it nl pt pl sv da nb fi cs hu ro el tr ru uk ar he fa hi bn th vi id ja ko zh zh-Hant".split(
    " ",
  );

/** `Intl.DisplayNames` lacks these names of countries, as `name: code`. */
const COUNTRIES = `usa: US, us: US, united states of america: US, america: US, uk: GB, great britain: GB,
  korea: KR, republic of korea: KR, uae: AE, holland: NL, the netherlands: NL, czech republic: CZ, turkey: TR,
  hong kong: HK, macau: MO, macao: MO, ivory coast: CI, burma: MM, macedonia: MK, viet nam: VN, prc: CN`;

/** Lists regions, nations and islands: a code, then names; the code is the country's where GeoNames has none for the region. */
const REGIONS = readData<[code: string, ...names: string[]]>("regions.jsonl");

/** Names of the divisions that people write behind a town: `US.IL` is Illinois. */
export const REGION_NAMES: ReadonlyMap<string, string> = new Map(
  REGIONS.filter(([code]) => /^(?:US|CA|AU)\./.test(code)).map(([code, name = ""]) => [code, name]),
);

let codes: Map<string, string[]> | undefined;
let countries: ReadonlySet<string> = new Set();

/** Tells whether a name is that of a whole country. @param folded  by `foldedPlace` */
export const isCountryName = (folded: string): boolean => regionCodes().has(folded) && countries.has(folded);

/** The table is made at the first call. */
export function regionCodes(): RegionCodes {
  if (codes !== undefined) return codes;
  codes = new Map();
  for (const language of LANGUAGES) {
    const display = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
    for (const code of COUNTRY_CODES) add(codes, foldedPlace(display.of(code) ?? ""), code);
  }
  for (const code of COUNTRY_CODES) add(codes, code.toLowerCase(), code);
  for (const pair of COUNTRIES.split(",")) {
    const [name = "", code = ""] = pair.trim().split(": ");
    add(codes, name, code);
  }
  // Mali is the country, also where a district elsewhere is called so.
  countries = new Set(codes.keys());
  for (const [code, ...names] of REGIONS)
    for (const name of names.map(foldedPlace))
      if (code.includes(".") || !countries.has(name)) add(codes, name, code);
  return codes;
}

function countryCodes(): string[] {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const display = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => display.of(code) !== undefined && !NO_COUNTRIES.has(code));
}

/** These codes have a name and belong to no country, or to a former one. */
const NO_COUNTRIES: ReadonlySet<string> = new Set(
  "EU EZ UN UK QO ZZ XA XB AN BU CS DD FX SU TP YU ZR YD VD NT RH".split(" "),
);
const COUNTRY_CODES = countryCodes();

function add(map: Map<string, string[]>, name: string, code: string): void {
  if (name === "") return;
  const known = map.get(name);
  if (known === undefined) map.set(name, [code]);
  else if (!known.includes(code)) known.push(code);
}

const ENGLISH = new Intl.DisplayNames(["en"], { type: "region" });

export const countryName = (code: string): string => ENGLISH.of(code) ?? code;
