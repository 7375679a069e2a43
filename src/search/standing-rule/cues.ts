import { plainSpelling } from "../tokens.ts";

/**
 * Words that show what a text is after, whatever it is about: whether it asks or offers, which kind of post would
 * answer, which language it is in. General words only, none of a theme. Each entry is a whole word or phrase without
 * accents; a final `*` takes any ending.
 */

/** What those do who seek something. */
const TO_SEEK = `want to buy|want to rent|want to hire|want to learn|want to join|want to borrow|wants to buy|
wants to rent|looking for|look* for|seek|seeks|seeking|in search of|need|needs|needing|search* for|would like to buy|
would like to rent|recherche|cherche|busco|busca|suche|sucht|zoek|zoekt|zoeken|cerco|procuro|szukam`;

const SEEKING = `${TO_SEEK}|wanted|iso|needed|anyone have|anyone has|anyone selling|anyone know|who can|who has|who does|
who know|who knows|does anybody|hiring|vacan*|gesucht|gezocht`;

/** Whom a query may speak of as somebody else: "who needs firewood", "organisation that accepts laptops". */
const SOMEBODY = `who|that|which|someone|somebody|anyone|anybody|people|wer|jemand|qui|quelqu'un|quien|alguien|wie|iemand|
chi|qualcuno|quem|alguem|kto|ktos`;

/** And what such people do, beside seeking. */
const TO_TAKE = `searching|asking to|asking for|accept|accepts|accepting|takes|buys|buying|collects|collecting|sammelt|
nimmt|kauft|accepte|accepta|acepta|compra|recoge`;

/** Words in which the writer of a query speaks of itself. */
const MYSELF = `i|im|i'm|we|we're|my|our|me|us|ich|wir|mein*|unser*|je|nous|mon|mes|notre|yo|mi|mis|nuestr*|ik|wij|mijn|
onze|io|noi|mio|mia|eu|meu|minha|ja|moj*`;

/** "Couple seeking a photographer": a query in the words of a notice. */
const OF_ANOTHER = `seeking|looking for|searching for|asking to|asking for|in search of`;

const OFFERING = `for sale|sell|sells|selling|sold by|available|offer|offers|offered|offering|giving away|give away|
free to|rent out|to let|for rent|to rent|pick up only|pickup only|price|asking|per hour|an hour|quote|quotes|hire us|
book now|we sell|we offer|we provide|we rent|i sell|i offer|i provide|i repair|i teach|i make|i rent|vends|vendo|vende|
vendesi|te koop|verkauf*|zu verkaufen|a vendre|loue|a louer|te huur|vermiet*|alquil*|affitt*`;

/** Words of a query that say which kind of post would answer it. */
const ASKED_KINDS: Readonly<Record<string, string>> = {
  event: `event|events|meetup|meetups|meet-up|meet-ups|meeting|concert|concerts|gig|gigs|class|classes|course|courses|
    workshop|workshops|fair|fairs|festival|festivals|show|shows|tournament|tournaments|tour|tours|evening|evenings|night|
    nights|market|markets|exhibition|exhibitions|race|races|match|game|games|lesson|lessons|conference|talk|talks|
    lecture|screening|open mic|drop-in|session|sessions|viewing|parade|group|club|clinic|weekend|visiting`,
  thread: `experience|experiences|how|advice|vs|versus|opinion|opinions|discussion|discussions|moving from|tips|
    recommend|recommendation|recommendations|learning|compar*|best|which|why|stories|lessons learned|debate|debugging|
    problem|problems|question|questions`,
  announcement: `closure|closures|closed|closing|outage|outages|warning|warnings|works|roadworks|change|changes|planning|
    strike|strikes|alert|alerts|recall|recalls|cut|cuts|notice|announce*|open|opens|opening|reopen*|launch*|release|
    releases|new|result|results|date|dates|delay|delays|diversion|consultation|hearing|update|decision|application|rule|
    rules|law|vote|grant|grants|scholarship|scholarships|funding|call for|open call|residency|fellowship|prize|deadline`,
  offer: `for sale|used|second hand|second-hand|secondhand|free|to rent|for rent|for hire|rental|cheap|price|under \\d+|
    service|tutor|available|refurbished|spare|sitter|repair|repairs|lesson|lessons|electrician|plumber`,
  request: `wanted|need|needs|needed|looking for|seek|seeks|seeking|hiring|commission|required|in search of`,
};

/** Words without content, which tell what language a text is written in. */
const ENGLISH = `the and of to in for is with from on at are we you it by be this that our an or a as not have has`;
const OTHER_LANGUAGES = `der die das und ist nicht mit von zu im den ein eine auf fur bei am wir sich dem des le la les du
  et est pour dans une un avec sur par au aux nous el los las del y en con por para una se que su al lo il di che per non
  della nel gli het een van voor met op te zijn wij ook naar bij o os um uma do da na no com nao em ao i w z sie nie jest
  ach att som det pa av ja`;

/**
 * Whether a search is after those who seek something ("who needs firewood", "couple seeking a photographer"). Else it is
 * after the thing itself, also where its writer says so: "I am looking for firewood".
 */
export function isAfterSeekers(text: string): boolean {
  const plain = plainSpelling(text).trim();
  if (SOMEBODY_SEEKS.test(plain)) return true;
  return !SEEKS_FIRST.test(plain) && !MYSELF_PATTERN.test(plain) && OF_ANOTHER_PATTERN.test(plain);
}

/**
 * Which posts would answer a search, by its words: 1 those that seek, -1 those that offer, 0 either. Who speaks of itself
 * wants what it lacks: "who can help me" is answered by help on offer.
 */
export function wantedRole(text: string): -1 | 0 | 1 {
  const plain = plainSpelling(text);
  if (SEEKING_PATTERN.test(plain)) return MYSELF_PATTERN.test(plain) ? -1 : 1;
  return OFFERING_PATTERN.test(plain) ? -1 : 0;
}

export const seeks = (text: string) => SEEKING_PATTERN.test(plainSpelling(text));
export const offers = (text: string) => OFFERING_PATTERN.test(plainSpelling(text)) || /[€$£] ?\d/.test(text);

/** Kinds of post that would answer a query, by its words. */
export function askedKinds(text: string): string[] {
  const plain = plainSpelling(text);
  return KIND_PATTERNS.filter(([, pattern]) => pattern.test(plain)).map(([kind]) => kind);
}

/** Whether a text is mostly not English: the model understands English best, and gives lower cosines elsewhere. */
export function isForeign(text: string): boolean {
  const plain = plainSpelling(text);
  const foreignLetters = plain.match(/[^\p{Script=Latin}\P{L}]/gu)?.length ?? 0;
  if (foreignLetters > plain.length * 0.3) return true;
  let lead = 0;
  for (const [word] of plain.matchAll(/\p{L}+/gu)) {
    if (ENGLISH_WORDS.has(word)) lead += 1;
    else if (OTHER_WORDS.has(word)) lead -= 1;
  }
  return lead < 0;
}

const SEEKING_PATTERN = patternOf(SEEKING);
const OFFERING_PATTERN = patternOf(OFFERING);
/** Up to three words may stand between. */
const SOMEBODY_SEEKS = new RegExp(
  `${patternOf(SOMEBODY).source}(?:\\W+\\w+){0,3}?\\W+${patternOf(`${TO_SEEK}|${TO_TAKE}`).source}`,
);
const SEEKS_FIRST = new RegExp(`^\\W*${patternOf(SEEKING).source}`);
const MYSELF_PATTERN = patternOf(MYSELF);
const OF_ANOTHER_PATTERN = patternOf(OF_ANOTHER);
const KIND_PATTERNS = Object.entries(ASKED_KINDS).map(([kind, words]) => [kind, patternOf(words)] as const);
const ENGLISH_WORDS: ReadonlySet<string> = new Set(ENGLISH.split(/\s+/));
const OTHER_WORDS: ReadonlySet<string> = new Set(OTHER_LANGUAGES.split(/\s+/));

function patternOf(words: string): RegExp {
  const choices = words.split("|").map((word) => word.trim().replaceAll("*", "\\w*"));
  return new RegExp(`\\b(?:${choices.join("|")})\\b`);
}
