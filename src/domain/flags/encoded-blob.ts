/**
 * Tells whether a text carries bytes in disguise, long enough to hold a message: base64, hex, percent signs, escapes, binary
 * digits, data URLs. Links, hashes, SSH keys, integrity values and file paths are not counted.
 */
export function hasEncodedBlob(text: string): boolean {
  if (hasDataUrl(text)) return true;
  const rest = withoutHonestRuns(text);
  if (GROUPED.some((pattern) => pattern.test(rest))) return true;
  for (const [run] of unwrapped(rest).matchAll(RUNS)) if (isBlob(run)) return true;
  return false;
}

/** Finds `data:`, a media type with parameters, and `;base64,`. */
function hasDataUrl(text: string): boolean {
  for (const { index } of text.matchAll(/;base64,/gi)) {
    if (/data:[^\s,]{0,120}$/i.test(text.slice(Math.max(0, index - 128), index))) return true;
  }
  return false;
}

/** At least this many bytes make a blob; shorter runs are ids. */
const BLOB = { hexDigits: 96, base64Chars: 64, distinctChars: 16 } as const;

/**
 * Gives the readable text in the encoded parts of a text, decoded once: base64, hex and binary digits. An instruction in
 * any of these disguises is still an instruction.
 *
 * @returns at most 8 texts that are mostly letters, of at most 4,000 characters each
 */
export function decodedRuns(text: string): string[] {
  const found: string[] = [];
  for (const [digits] of text.matchAll(/(?:[01]{8}[ ,]?){8,}/g)) found.push(fromDigits(digits, 2));
  for (const [run] of unwrapped(withoutLinks(text)).matchAll(RUNS)) {
    if (run.length < 24) continue;
    if (/^[0-9a-f]+$/i.test(run)) found.push(fromDigits(run, 16));
    else if (letterCasesMix(run)) found.push(Buffer.from(run, "base64").toString("utf8"));
    if (found.length >= 64) break;
  }
  return found
    .map((decoded) => decoded.slice(0, 4000))
    .filter(isReadable)
    .slice(0, 8);
}

/** Runs of the letters of hex, base64 and base64url. */
const RUNS = /[A-Za-z0-9+/_-]{24,}/g;

const GROUPED: readonly RegExp[] = [
  /(?:[0-9a-f]{2}[ :]){47}[0-9a-f]{2}/i,
  /(?:0x[0-9a-f]{2},? ?){24}/i,
  /(?:%[0-9a-f]{2}){24}/i,
  /(?:\\u[0-9a-f]{4}){12}|(?:\\x[0-9a-f]{2}){16}|(?:&#x?[0-9a-f]{2,6};){12}/i,
  /(?:[01]{8}[ ,]?){16}/,
];

const withoutLinks = (text: string) => text.replace(/https?:\/\/[^\s<>"]+/gi, " ");

function withoutHonestRuns(text: string): string {
  return withoutLinks(text)
    .replace(/\b(?:[0-9a-f]{128}|[0-9a-f]{64}|[0-9a-f]{40})\b/gi, " ")
    .replace(/\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp\d{3}) \S+/g, " ")
    .replace(/\bsha(?:256|384|512)-[A-Za-z0-9+/=]{43,88}/g, " ");
}

/** Joins the lines of a blob that was wrapped as mail programs wrap it. */
function unwrapped(text: string): string {
  // The lookbehind tries a long run from its start only, not from each of its characters.
  return text.replace(/(?<![A-Za-z0-9+/=_-])([A-Za-z0-9+/=_-]{40,})\r?\n(?=[A-Za-z0-9+/=_-])/g, "$1").replace(
    // Every line after the first now follows the joined one directly.
    /(?<=[A-Za-z0-9+/=_-]{40})\r?\n(?=[A-Za-z0-9+/=_-]{20})/g,
    "",
  );
}

function isBlob(run: string): boolean {
  if (/^[0-9a-f]+$/i.test(run)) return run.length >= BLOB.hexDigits && new Set(run).size >= 6;
  if (run.length < BLOB.base64Chars || new Set(run).size < BLOB.distinctChars) return false;
  // Base32 has one case; paths, slugs and long compounds change between cases and digits seldom.
  if (/^[A-Z2-7]+$/.test(run)) return (run.match(/[2-7]/g) ?? []).length > run.length / 12;
  return letterCasesMix(run);
}

/** Tells whether small letters, capitals and digits alternate as in random bytes rather than as in words. */
function letterCasesMix(run: string): boolean {
  let changes = 0;
  const seen = new Set<number>();
  let last = -1;
  for (const char of run) {
    const kind =
      char >= "a" && char <= "z" ? 0 : char >= "A" && char <= "Z" ? 1 : char >= "0" && char <= "9" ? 2 : 3;
    if (kind !== last) changes += 1;
    last = kind;
    seen.add(kind);
  }
  return seen.has(0) && seen.has(1) && seen.has(2) && changes > run.length * 0.4;
}

function fromDigits(digits: string, base: 2 | 16): string {
  const width = base === 2 ? 8 : 2;
  const clean = digits.replace(/[ ,]/g, "");
  const bytes = new Uint8Array(Math.floor(clean.length / width));
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = Number.parseInt(clean.slice(at * width, (at + 1) * width), base);
  }
  return Buffer.from(bytes).toString("utf8");
}

function isReadable(text: string): boolean {
  const letters = text.match(/[\p{L} ]/gu)?.length ?? 0;
  return text.length >= 12 && letters > text.length * 0.7;
}
