/**
 * Reads a URL, relative to `base` where there is one.
 *
 * Not `URL.canParse`: once Node 20 has compiled a call of it, every address with a letter such as ü is none to it.
 *
 * @returns null for what is no URL
 */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
