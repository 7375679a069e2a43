/** Codes of countries and of regions (`US.IL`) by the names that people give them, folded. */
export type RegionCodes = ReadonlyMap<string, readonly string[]>;

/** Languages in which a country may be named. */
const LANGUAGES =
  "en de fr es it nl pt pl sv da nb fi cs hu ro el tr ru uk ar he fa hi bn th vi id ja ko zh zh-Hant".split(
    " ",
  );

/** Names of countries that display names lack, as `name: code`. */
const COUNTRIES = `usa: US, us: US, united states of america: US, america: US, uk: GB, great britain: GB,
  korea: KR, republic of korea: KR, uae: AE, holland: NL, the netherlands: NL, czech republic: CZ, turkey: TR,
  hong kong: HK, macau: MO, macao: MO, ivory coast: CI, burma: MM, macedonia: MK, viet nam: VN, prc: CN,
  england: GB.ENG, scotland: GB.SCT, wales: GB.WLS, northern ireland: GB.NIR`;

/** First-order divisions whose names people write beside a town: abbreviation, GeoNames' code where it differs, name. */
const DIVISIONS: Readonly<Record<string, string>> = {
  US: `AL Alabama, AK Alaska, AZ Arizona, AR Arkansas, CA California, CO Colorado, CT Connecticut, DE Delaware,
    DC District of Columbia, FL Florida, GA Georgia, HI Hawaii, ID Idaho, IL Illinois, IN Indiana, IA Iowa, KS Kansas,
    KY Kentucky, LA Louisiana, ME Maine, MD Maryland, MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi,
    MO Missouri, MT Montana, NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York,
    NC North Carolina, ND North Dakota, OH Ohio, OK Oklahoma, OR Oregon, PA Pennsylvania, RI Rhode Island,
    SC South Carolina, SD South Dakota, TN Tennessee, TX Texas, UT Utah, VT Vermont, VA Virginia, WA Washington,
    WV West Virginia, WI Wisconsin, WY Wyoming`,
  CA: `AB=01 Alberta, BC=02 British Columbia, MB=03 Manitoba, NB=04 New Brunswick, NL=05 Newfoundland and Labrador,
    NS=07 Nova Scotia, ON=08 Ontario, PE=09 Prince Edward Island, QC=10 Quebec, SK=11 Saskatchewan, YT=12 Yukon,
    NT=13 Northwest Territories, NU=14 Nunavut`,
  AU: `ACT=01 Australian Capital Territory, NSW=02 New South Wales, NT=03 Northern Territory, QLD=04 Queensland,
    SA=05 South Australia, TAS=06 Tasmania, VIC=07 Victoria, WA=08 Western Australia`,
};

/** Names of regions by code: `US.IL` is Illinois. */
export const REGION_NAMES: ReadonlyMap<string, string> = new Map(
  divisions().map(({ code, name }) => [code, name]),
);

function divisions(): { code: string; short: string; name: string }[] {
  return Object.entries(DIVISIONS).flatMap(([country, text]) =>
    text.split(",").map((entry) => {
      const [, short = "", own = short, name = ""] = /^\s*(\w+)(?:=(\w+))?\s+(.+?)\s*$/s.exec(entry) ?? [];
      return { code: `${country}.${own}`, short, name };
    }),
  );
}

let codes: Map<string, string[]> | undefined;

/** @param fold  the form in which names are compared */
export function regionCodes(fold: (name: string) => string): RegionCodes {
  if (codes !== undefined) return codes;
  codes = new Map();
  for (const language of LANGUAGES) {
    const display = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
    for (const code of COUNTRY_CODES) add(codes, fold(display.of(code) ?? ""), code);
  }
  for (const code of COUNTRY_CODES) add(codes, code.toLowerCase(), code);
  for (const pair of COUNTRIES.split(",")) {
    const [name = "", code = ""] = pair.trim().split(": ");
    add(codes, name, code);
  }
  for (const { code, short, name } of divisions())
    for (const word of [short, name]) add(codes, fold(word), code);
  return codes;
}

function countryCodes(): string[] {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const display = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => display.of(code) !== undefined && !NO_COUNTRIES.has(code));
}

/** Codes with a name that are none of a country, or of one that is no more. */
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

/** The English name of a country. */
export const countryName = (code: string): string => ENGLISH.of(code) ?? code;
