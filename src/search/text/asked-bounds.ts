import { isAnyStopWord } from "./stop-words.ts";
import { wordsOf } from "./tokens.ts";

/** Bounds a price, in whole units of a currency. */
export interface PriceBound {
  /** These are the words of the caller. */
  said: string;
  min: number;
  max: number;
  /** An ISO code names it; null stands for any. */
  currency: string | null;
}

interface Unwanted {
  /** These are the words of the caller, without the one before them. */
  said: string;
  /** A post has it when it has all of these. */
  words: readonly string[];
}

/** The words of a query ask these of prices and of what a post should not be. */
export interface AskedBounds {
  price: PriceBound | null;
  unwanted: readonly Unwanted[];
  /** These words are gone from this text. */
  rest: string;
  /** This is `rest` with what it is to be without, or not for: "a flu jab without appointment" is about appointments too. */
  subject: string;
}

const SIGNS: Readonly<Record<string, string>> = {
  "€": "EUR",
  "£": "GBP",
  $: "USD",
  "₹": "INR",
  "₺": "TRY",
  "¥": "JPY",
};
const NAMES: readonly (readonly [string, RegExp])[] = [
  ["EUR", /^euros?$|^eur$/],
  ["GBP", /^(?:gbp|pounds?|quid)$/],
  ["USD", /^(?:usd|dollars?|us\$)$/],
  ["CHF", /^(?:chf|franken|francs?|franchi)$/],
  ["PLN", /^(?:pln|zł|zl|złotych)$/],
  ["INR", /^(?:inr|rs|rupees?)$/],
  ["SEK", /^(?:sek|kronor)$/],
];
const CURRENCY = String.raw`us\$|[€£$₹₺¥]|(?:euros?|eur|gbp|pounds?|quid|usd|dollars?|chf|franken|francs?|franchi|pln|zł|zl|złotych|inr|rs|rupees?|sek|kronor)(?![\p{L}\p{N}])`;
const NUMBER = String.raw`\d{1,3}(?:[.,'’\u00A0\u202F ]\d{3})+(?!\d)(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,]\d{1,2}(?!\d))?`;
const AMOUNT = String.raw`(?:(?<before>${CURRENCY})\.? ?)?(?<number>${NUMBER})(?<k>k(?![\p{L}\p{N}]))?(?:(?:,-|,–|\.-)? ?(?<after>${CURRENCY}))?`;
const named = (pattern: string, suffix: string) =>
  pattern.replace(/\?<(before|number|k|after)>/g, `?<$1${suffix}>`);

const AT_MOST =
  "under|below|less than|up to|max|maximum|at most|(?:not|no) more than|cheaper than|unter|bis(?: zu)?|maximal|höchstens|weniger als|moins de|jusqu[’']à|maximum|menos de|hasta|máximo|meno di|fino a|massimo|onder|tot|minder dan|maximaal|poniżej|do|até";
const AT_LEAST =
  "over|above|more than|at least|from|min|minimum|über|ab|mindestens|mehr als|plus de|au moins|más de|desde|più di|almeno|meer dan|vanaf|minstens|powyżej|od|mais de";
const BETWEEN = "between|zwischen|entre|tra|tussen|między|from|von|de|da|van|od";
const AND = "and|und|et|y|e|en|i|a|to|bis|-|–";
const START = String.raw`(?<![\p{L}\p{N}])`;
const ONE_SIDE = new RegExp(`${START}(?<bound>${AT_MOST}|${AT_LEAST})\\.? ${AMOUNT}`, "iu");
const TWO_SIDES = new RegExp(
  `${START}(?:${BETWEEN}) ${named(AMOUNT, "1")} ?(?:${AND}) ?${named(AMOUNT, "2")}`,
  "iu",
);
const IS_AT_MOST = new RegExp(`^(?:${AT_MOST})$`, "iu");
/** This follows a number that may be a price without a currency: an end, or "a month". */
const ENDS = /^\s*(?:$|[,;.!?)/]|(?:a|an|per|pro|par|al|por|im|each)\b)/iu;
/** Smaller numbers without a currency are ages and sizes. */
const PRICE_MIN = 100;
const FREE =
  /^free(?= \p{L})|(?<= for )free\b|(?<=, )free$|(?<![\p{L}\p{N}])(?:kostenlos|umsonst|gratis|gratuit|gratuito|bezpłatnie)(?![\p{L}])/iu;
const NOTHING =
  /(?<![\p{L}\p{N}-])(?:free|kostenlos\p{L}*|umsonst|gratis|gratuit\p{L}*|bezpłatn\p{L}*|zu verschenken|à donner)(?![\p{L}\p{N}-])/iu;

const WITHOUT = "without|ohne|sans|sin|senza|zonder|bez|sem";
const NOT = `${WITHOUT}|not|no|except(?: for)?|anything but|nicht|kein(?:e[nrms]?)?|außer|pas|sauf|excepto|non|tranne|eccetto|niet|geen|behalve|oprócz|não|exceto`;
const SAYS_WITHOUT = new RegExp(`^(?:(?:${WITHOUT})|not for|nicht für|pas pour|no para) `, "iu");
/** "Not far from the station" and "no experience needed" exclude nothing. */
const MEANT_WELL =
  /^(?:far|weit|loin|lejos|lontano|ver|longe|too|zu|more|less|later|only|just|nur|yet|matter|problem|experience|prior|previous|need|longer|fee|fees|charge|cost)(?![\p{L}])/iu;
const CLAUSE = new RegExp(
  String.raw`${START}(?:(?:but|und|and|aber|mais|pero|ma|maar) )?(?:${NOT}) (?<said>(?:(?!${START}(?:${NOT})(?![\p{L}\p{N}]))[^,;.:!?()])+)`,
  "giu",
);

/** Reads bounds of prices and exclusions in words; quoted parts and those with a minus are left alone. */
export function askedBounds(text: string): AskedBounds {
  const blank = (part: string) => " ".repeat(part.length);
  let open = text.replace(/-?"[^"]*"|(?<!\S)-\S+/g, (part) => "\u0001".repeat(part.length));
  const price = priceIn(open);
  if (price !== null && price.max > 0) open = open.replace(price.said, blank);
  const unwanted: Unwanted[] = [];
  let kept = open;
  const left = open.replace(CLAUSE, (clause, ...groups) => {
    const said = ((groups.at(-1) as { said: string }).said ?? "").trim();
    const words = wordsOf(said).filter((word) => !isAnyStopWord(word) && word !== "for" && word !== "a");
    if (words.length === 0 || words.length > 4 || said.includes("\u0001") || MEANT_WELL.test(said))
      return clause;
    unwanted.push({ said, words });
    if (!SAYS_WITHOUT.test(clause)) kept = kept.replace(clause, blank);
    return blank(clause);
  });
  // Positions agree: what was blanked in the copy goes from the text.
  const [rest, subject] = [merged(text, left), merged(text, kept)];
  const isLeft = wordsOf(rest).some((word) => !isAnyStopWord(word));
  return isLeft
    ? { price, unwanted, rest, subject }
    : { price: null, unwanted: [], rest: text, subject: text };
}

const merged = (text: string, left: string) =>
  text
    .split("")
    .map((letter, at) => (left[at] === " " ? " " : letter))
    .join("");

function priceIn(text: string): PriceBound | null {
  const two = TWO_SIDES.exec(text);
  if (two?.groups !== undefined) {
    const [low, high] = [amountOf(two.groups, "1"), amountOf(two.groups, "2")];
    const currency = low.currency ?? high.currency;
    const said = two[0];
    if (low.value < high.value && isPrice(text, two, currency, high.value))
      return { said, min: low.value, max: high.value, currency };
  }
  const one = ONE_SIDE.exec(text);
  if (one?.groups !== undefined) {
    const { value, currency } = amountOf(one.groups, "");
    if (isPrice(text, one, currency, value)) {
      const isMost = IS_AT_MOST.test(one.groups["bound"] ?? "");
      return {
        said: one[0],
        min: isMost ? 0 : value,
        max: isMost ? value : Number.POSITIVE_INFINITY,
        currency,
      };
    }
  }
  const free = FREE.exec(text);
  return free === null ? null : { said: free[0], min: 0, max: 0, currency: null };
}

function isPrice(text: string, found: RegExpExecArray, currency: string | null, value: number): boolean {
  return currency !== null || (value >= PRICE_MIN && ENDS.test(text.slice(found.index + found[0].length)));
}

function amountOf(groups: Record<string, string | undefined>, suffix: string) {
  const [number = "", k, sign] = [
    groups[`number${suffix}`],
    groups[`k${suffix}`],
    groups[`before${suffix}`] ?? groups[`after${suffix}`],
  ];
  const plain = number.replace(/[.,'’\u00A0\u202F ](?=\d{3}(?!\d))/g, "").replace(",", ".");
  return {
    value: Number(plain) * (k === undefined ? 1 : 1_000),
    currency: sign === undefined ? null : codeOf(sign),
  };
}

function codeOf(sign: string): string {
  const low = sign.toLowerCase();
  return SIGNS[sign] ?? NAMES.find(([, names]) => names.test(low))?.[0] ?? low.toUpperCase();
}

const AMOUNTS = new RegExp(`${START}${AMOUNT}`, "giu");

/** Finds amounts of money that a text names, each with a currency; 0 of any currency where something is free. */
export function amountsIn(text: string): { value: number; currency: string | null }[] {
  const found = [...text.matchAll(AMOUNTS)].flatMap(({ groups = {} }) => {
    const { value, currency } = amountOf(groups, "");
    return currency === null ? [] : [{ value, currency }];
  });
  return NOTHING.test(text) ? [...found, { value: 0, currency: null }] : found;
}

/** Tells whether a text names amounts of the bound's currency, none of which fits. */
export function breaksPrice(
  { min, max, currency }: PriceBound,
  amounts: ReturnType<typeof amountsIn>,
): boolean {
  const own = amounts.filter(
    (each) => currency === null || each.currency === null || each.currency === currency,
  );
  return own.length > 0 && !own.some(({ value }) => value >= min && value <= max);
}

/** Takes out of a text what it says it is not: "works without petrol" is no text about petrol. */
export const withoutDenied = (text: string): string => text.replace(CLAUSE, " ");
