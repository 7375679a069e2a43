import type { StoredPost } from "../../ports/store/index.ts";
import type { PostInput, PostPatch } from "../../schema/post.ts";
import { normalTag } from "../../schema/query.ts";
import { cleanLine, cleanMultiline, withoutLigatures } from "../../schema/text.ts";

/** Takes the text fields of an input, cleaned. */
export function textOf(input: Pick<PostInput, "title" | "body" | "tags" | "location">) {
  const place = input.location ?? null;
  const name = cleanLine(place?.name ?? "");
  const hasPlace = name !== "" || typeof place?.lat === "number";
  return {
    title: cleanLine(input.title),
    body: cleanMultiline(input.body),
    tags: [...new Set((input.tags ?? []).map(normalTag))],
    location: hasPlace
      ? { name: name === "" ? null : name, lat: place?.lat ?? null, lng: place?.lng ?? null }
      : null,
  };
}

type Texts = {
  [Field in "title" | "body" | "tags" | "location" | "metadata"]?: PostPatch[Field] | undefined;
};

/** Every piece of text of an input as it was sent, for the flags. */
export function textsAsSent(input: Texts): string[] {
  return [
    input.title ?? "",
    input.body ?? "",
    ...(input.tags ?? []),
    input.location?.name ?? "",
    ...stringsIn(input.metadata ?? {}),
  ];
}

/** Gives keys and strings of bounded JSON (depth 10, see `Metadata` in `schema/post.ts`). */
function stringsIn(json: unknown): string[] {
  if (typeof json === "string") return [json];
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) =>
    Array.isArray(json) ? stringsIn(value) : [key, ...stringsIn(value)],
  );
}

const withArticle = (noun: string) => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;

/** Gives a stored post the shape of an input, for the flags of an edit. */
export function asInput({ title, body, tags, location, metadata }: StoredPost) {
  return { title, body, tags: [...tags], location, metadata };
}

/** Notes to the writer of a post: the flags that readers see, and data that may be personal. */
export function notesOnText(post: StoredPost): string[] {
  const notes: string[] = [];
  if (post.flags.length > 0) {
    notes.push(`Readers are warned about this post: ${post.flags.join(", ")}. Edit it if that is not meant.`);
  }
  if (!post.body.includes("\n") && /\\n/.test(post.body)) {
    notes.push("The body holds `\\n` as two characters; send real line breaks if that is not meant.");
  }
  const found = personalData(`${post.title}\n${post.body}`);
  if (found.length > 0) {
    notes.push(
      `The post seems to contain ${found.map(withArticle).join(" and ")}, and anyone can read it. Edit it if that is not meant.`,
    );
  }
  return notes;
}

export type PersonalData = "phone number" | "postal address" | "card number" | "e-mail address";

/**
 * Finds what looks like personal data in a text, for a note to its poster; nothing is refused for it. It would rather miss
 * something than be wrong: dates, prices, ids, times and links are left alone.
 *
 * @returns each kind at most once, in a fixed order
 */
export function personalData(text: string): PersonalData[] {
  const plain = withoutLigatures(text)
    .normalize("NFKC")
    .replace(/https?:\/\/[^\s<>"]+/gi, " ");
  const found: PersonalData[] = [];
  if (hasPhoneNumber(plain)) found.push("phone number");
  if (ADDRESSES.some((pattern) => pattern.test(plain))) found.push("postal address");
  if (hasCardNumber(plain)) found.push("card number");
  if (EMAIL.test(plain)) found.push("e-mail address");
  return found;
}

const EMAIL = /(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,5}[A-Za-z]{2,24}(?![\w-])/;

// Each pattern starts where a number starts and is bounded, so that no text makes it slow.
const INTERNATIONAL = /(?<![\w.,/+-])(?:\+|00)[1-9](?:[ ().\-/]{0,2}\d){7,14}(?!\w)/g;
const NORTH_AMERICAN =
  /(?<![\w.,/+-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[.-]\d{4}(?![\w-])/;
/** A word announces a number, which follows with at least 6 digits. */
const ANNOUNCED =
  /(?<!\p{L})(?:tel|tel\.|telefon|telefoon|telephone|telefono|teléfono|téléphone|telefone|phone|mobile|mobil|handy|cell|call me|call|call us|text me|sms|whatsapp|anrufen|ruf an|appelez|llamar|llama|móvil|celular|fax|电话|電話|тел|телефон|전화)(?: (?:me|us|at|on|unter|nr|no|number|is|au|al))?[.:\s]{0,3}\(?\d(?:[ ().\-/]{0,2}\d){5,13}(?![\w])/iu;

function hasPhoneNumber(text: string): boolean {
  for (const [number] of text.matchAll(INTERNATIONAL)) {
    // "00" opens ids as well; a phone number that starts with it is written in groups.
    if (number.startsWith("+") || /[ ().\-/]/.test(number)) return true;
  }
  if (NORTH_AMERICAN.test(text)) return true;
  const announced = ANNOUNCED.exec(text)?.[0];
  return announced !== undefined && !DATE.test(announced);
}

const DATE = /(?:19|20)\d\d[-./ ](?:0?[1-9]|1[0-2])\b|\b\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d\d/;

/** A house number stands beside the name of a street, as it is written in several countries. */
const ADDRESSES: readonly RegExp[] = [
  /(?<![\w.,:/-])\d{1,5}[A-Za-z]?,? (?:(?:North|South|East|West|[NSEW]\.?) )?(?:[A-Z][\w'’.-]{1,20} ){1,3}(?:Street|Avenue|Boulevard|Road|Lane|Drive|Terrace|Crescent|Close|Gardens|St\.|Ave\.?|Blvd\.?|Rd\.?|Ln\.?|Dr\.)(?=[,\n]|,? (?:Apt|Flat|Unit|Suite|Floor|#)|\.?$)/m,
  /(?<!\p{L})\p{Lu}[\p{L}-]{1,30}(?:straße|strasse|str\.|gasse|allee|platz|weg|ufer|damm|straat|laan|gracht|plein|kade|vägen|gatan|vej|gade|gata) \d{1,4}[a-z]?(?![\p{L}\d:.,-]\d|[\p{L}\d%€])/u,
  /(?<![\w.,:/-])\d{1,4}(?: ?(?:bis|ter))?,? (?:rue|avenue|boulevard|place|chemin|impasse|allée|quai|cours) (?:de la |de l[’']|du |des |de |d[’'])?\p{Lu}[\p{L}'’-]{1,30}/u,
  /(?<!\p{L})(?:Calle|Avenida|Plaza|Paseo|Carrer|Via|Viale|Piazza|Corso|Rua|Travessa|ul\.|ulica|aleja) (?:de la |de |del |della |dei |da |do |dos |das )?\p{Lu}[\p{L}'’.-]{1,30}(?: \p{Lu}[\p{L}'’.-]{1,30}){0,3},? (?:n[º°.] ?)?\d{1,4}(?![\d:.,]\d|[%€])/u,
];

/** Finds digits in one piece or in groups of a card's length, of an issuer's range, with a valid check digit. */
function hasCardNumber(text: string): boolean {
  for (const [number] of text.matchAll(/(?<![\w.,+/-])[2-6](?:[ -]?\d){13,15}(?![\w]|[.,-]\d)/g)) {
    const digits = number.replace(/\D/g, "");
    if (ISSUERS.test(digits) && passesLuhn(digits)) return true;
  }
  return false;
}

const ISSUERS = /^(?:(?:4\d|5[1-5]|2[2-7]|6[05])\d{14}|3[47]\d{13}|3[068]\d{12})$/;

/** Checks by ISO/IEC 7812-1: double every second digit from the right, the sum of all digits ends in 0. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits.charAt(digits.length - 1 - at));
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
