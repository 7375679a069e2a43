/** The id inside a page URL or a file name: `https://board/p/abc.md` → `abc`; anything else is returned trimmed. */
export function bareId(sent: string, page: "p" | "publishers" | "subscriptions"): string {
  const text = sent.trim().slice(0, 2000);
  const fromUrl = new RegExp(`/${page}/([^/?#]+)`).exec(text)?.[1] ?? text;
  return fromUrl.replace(/(\.(json|md|ics))+$/, "");
}
