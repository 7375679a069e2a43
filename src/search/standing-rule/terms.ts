import { stemmer } from "stemmer";
import { indexable } from "../tokens.ts";

/**
 * Words as the search index compares them, with blanks between them: without case, Latin diacritics and English endings,
 * and each character of a script without blanks alone. A standing query finds what the same search would.
 */
export function termsOf(text: string): string {
  const plain = indexable(text)
    .toLowerCase()
    .normalize("NFD")
    .replace(/(\p{Script=Latin})[\u0300-\u036F]+/gu, "$1")
    .normalize("NFC");
  return (plain.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? []).map((word) => stemmer(word)).join(" ");
}

/** What a post says, for asking whether words or phrases occur. */
export interface Speech {
  /** Terms of each text, a blank before and after, the texts on lines of their own. */
  spoken: string;
  single: ReadonlySet<string>;
}

export function speechOf(texts: readonly string[]): Speech {
  const spoken = texts.map((text) => ` ${termsOf(text)} `).join("\n");
  return { spoken, single: new Set(spoken.split(/\s+/)) };
}

/** Whether given terms stand next to each other in one of the texts. */
export function says({ spoken, single }: Speech, terms: string): boolean {
  return terms.includes(" ") ? spoken.includes(` ${terms} `) : single.has(terms);
}

/** Lower-case, without accents: what the cues are written in. */
export function withoutMarks(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036F]/g, "")
    .normalize("NFC");
}
