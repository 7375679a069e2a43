/**
 * Tells whether a text carries characters that a person does not see but a model reads, used as they are in attacks: tag
 * characters, runs of variation selectors, direction overrides, zero-width characters inside words, blank fillers, control
 * characters.
 *
 * The same characters have honest uses, which are let through: emoji sequences and flags, Persian and Indic joiners,
 * Khmer and Thai word breaks, ideographic variants, single direction marks, balanced isolates, a byte order mark in
 * front. Rules of this kind find what plain category lists find, without flagging most of the world's scripts.
 */
export function hasHiddenUnicode(text: string): boolean {
  if (!SUSPECT.test(text)) return false;
  // This comes only now, since most texts are done above: sequences an emoji font draws as one sign become a blank.
  const shown = text
    .replace(/^\uFEFF/, "")
    .replace(NATION_FLAG, " ")
    .replace(PICTURE_SEQUENCE, " ")
    .replace(TEXT_OR_KEYCAP, " ");
  return PATTERNS.some((pattern) => pattern.test(shown)) || hasUnbalancedBidi(shown) || hasZeroWidth(shown);
}

/** Every character that a rule below looks for; most texts have none. */
const SUSPECT =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: it looks for lone joiners and selectors
  /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\uFE00-\uFE0F\u{E0100}-\u{E01EF}\u034F\u115F\u1160\u3164\uFFA0\u2800]/u;

/** England, Scotland and Wales have the only recommended emoji that hold tag characters (Unicode, emoji-sequences.txt). */
export const NATION_FLAG =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/gu;

/**
 * Matches pictures joined by ZWJ. By the property of their parts, not by the runtime's list of emoji: that list is slower,
 * and older than next year's emoji.
 */
const PICTURE_SEQUENCE =
  /\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?)*/gu;
const TEXT_OR_KEYCAP = /\p{Emoji}[\uFE0E\uFE0F]\u20E3?/gu;

// Each is a character class or a run of bounded length, so each is linear.
// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what these look for
// biome-ignore-start lint/suspicious/noMisleadingCharacterClass: they look for lone joiners and selectors
const PATTERNS: readonly RegExp[] = [
  // Tag characters outside an emoji flag spell ASCII nobody sees.
  /[\u{E0000}-\u{E007F}]/u,
  // One selector picks a variant after an ideograph, VS1 to VS3 also after a symbol or in a few scripts. Runs of them carry
  // bytes.
  /(?<!\p{Script=Han})[\u{E0100}-\u{E01EF}]|(?<![\p{Script=Han}\p{Sm}\p{Nd}\p{Script=Myanmar}\p{Script=Phags_Pa}])[\uFE00-\uFE0D]/u,
  /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{2}/u,
  // Overrides show text backwards; no prose needs them.
  /[\u202D\u202E]/,
  /[\u200E\u200F\u061C]{3}/,
  /[\u200B-\u200D\u2060\uFEFF]{2}/,
  // Soft hyphens mark places to break a line: never two in one place, nor around every letter.
  /\u00AD\u00AD|\u00AD\p{L}\u00AD/u,
  /[\u2061-\u2064]{2}/,
  /[\u206A-\u206F\uFFF9-\uFFFB]/,
  /[\u115F\u1160\u3164\uFFA0]{2}|(?<![\u2801-\u28FF])\u2800{2}/,
  /\u034F{2}/,
  // U+F8FF is Apple's logo; unassigned code points of the ideographic planes belong to a newer Unicode than ours.
  /(?![\uF8FF\u{20000}-\u{3FFFD}])[\p{Co}\p{Cn}]/u,
  // NEL (U+0085) is an old line break.
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F]/,
];
// biome-ignore-end lint/suspicious/noMisleadingCharacterClass: as above
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

/** Isolates and embeddings must close within their line, or they reorder what follows. */
function hasUnbalancedBidi(text: string): boolean {
  let isolates = 0;
  let embeddings = 0;
  for (const char of `${text}\n`) {
    if (char === "\n") {
      if (isolates !== 0 || embeddings !== 0) return true;
    } else if (char >= "\u2066" && char <= "\u2068") isolates += 1;
    else if (char === "\u2069") isolates -= 1;
    else if (char === "\u202A" || char === "\u202B") embeddings += 1;
    else if (char === "\u202C") embeddings -= 1;
    if (isolates < 0 || embeddings < 0 || isolates + embeddings > 8) return true;
  }
  return false;
}

/** These scripts shape letters by ZWJ and ZWNJ. */
const JOINED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Mandaic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Thai}\p{Script=Lao}\p{Script=Tibetan}\p{M}]/u;
/** These scripts are written without spaces, and ZWSP marks words. */
const UNSPACED =
  /[\p{Script=Khmer}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Arabic}]/u;
const LETTER = /[\p{L}\p{N}]/u;
const LATIN = /\p{Script=Latin}/u;

/** A script has no use for zero-width characters: one inside a word, or this many anywhere. */
const ZERO_WIDTH_MAX = 3;

function hasZeroWidth(text: string): boolean {
  let odd = 0;
  for (const { 0: char, index } of text.matchAll(/[\u200B-\u200D\u2060-\u2064\uFEFF]/g)) {
    const before = charBefore(text, index);
    const after = String.fromCodePoint(text.codePointAt(index + 1) ?? 0x20);
    const joiner = char === "\u200C" || char === "\u200D";
    const home = joiner ? JOINED : UNSPACED;
    if (home.test(before) || home.test(after)) continue;
    const inWord = joiner ? LETTER : LATIN;
    // A word joiner and the invisible signs of mathematics occur between letters in honest text too, but not often.
    if (!/[\u2060-\u2064]/.test(char) && inWord.test(before) && inWord.test(after)) return true;
    odd += 1;
    if (odd > ZERO_WIDTH_MAX) return true;
  }
  return false;
}

function charBefore(text: string, index: number): string {
  const low = text.charAt(index - 1);
  return /[\uDC00-\uDFFF]/.test(low) ? text.slice(index - 2, index) : low;
}
