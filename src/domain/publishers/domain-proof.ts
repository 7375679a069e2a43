import { domainToASCII } from "node:url";
import { parse as parseHost } from "tldts";
import { type Outbound, OutboundError } from "../../ports/outbound.ts";
import type { StoredPublisher } from "../../ports/store/index.ts";
import type { VerifyInstructions } from "../../schema/publisher.ts";

const BOARD_TXT = { maxBytes: 8 * 1024, timeoutMs: 5_000 } as const;

/**
 * Gives the domain a URL proves: its host in ASCII without `www.`, or null for addresses and public suffixes (`co.uk`,
 * `github.io`, every single label), which nobody owns alone.
 */
export function domainOf(url: string | null): string | null {
  if (url === null) return null;
  const host = domainToASCII(new URL(url).hostname)
    .replace(/\.$/, "")
    .replace(/^www\./, "");
  const { isIp, publicSuffix } = parseHost(host, { allowPrivateDomains: true });
  if (isIp === true || publicSuffix === host) return null;
  return host;
}

/** Tells where a publisher puts its proof, and what to do next. */
export function instructionsFor(publisher: StoredPublisher): VerifyInstructions {
  const { domain, verifyToken } = publisher;
  if (domain === null || verifyToken === null) {
    return { domain: null, next: "Send POST /publishers/verify with a `url` on a domain of your own." };
  }
  const value = proofLine(publisher);
  return {
    domain,
    token: verifyToken,
    dns: { type: "TXT", name: `_board.${domain}`, value },
    file: { url: boardTxt(domain), line: value },
    next:
      publisher.verifiedAt === null
        ? "Set the TXT record or serve the line in the file, then call POST /publishers/verify."
        : "Verified. Keep the record or the file; it is looked at again every 30 days.",
  };
}

/**
 * @param wanted  the line that is looked for; without it, that of `verify`
 * @returns null when there is none, `unclear` when neither has it and one of them does not answer
 */
export async function findProof(
  outbound: Outbound,
  publisher: StoredPublisher,
  wanted = proofLine(publisher),
): Promise<"dns" | "file" | "unclear" | null> {
  const { domain } = publisher;
  if (domain === null || publisher.verifyToken === null) return null;
  const records = await outbound.txt(`_board.${domain}`);
  if (records?.some((record) => record.trim() === wanted) === true) return "dns";
  const file = await fileHas(outbound, boardTxt(domain), wanted);
  if (file === true) return "file";
  return records === null || file === null ? "unclear" : null;
}

/** Answers null when the site does not answer, or answers that it cannot now. */
async function fileHas(outbound: Outbound, url: string, wanted: string): Promise<boolean | null> {
  try {
    const { status, body } = await outbound.send({ method: "GET", url, ...BOARD_TXT });
    if (status >= 500 || status === 429) return null;
    // The mark at the beginning of some files is a blank to `trim`.
    const lines = body.toString("utf8").split(/\r?\n/);
    return status === 200 && lines.some((line) => line.trim() === wanted);
  } catch (error) {
    if (error instanceof OutboundError) return error.reason === "blocked" ? false : null;
    throw error;
  }
}

const proofLine = (publisher: StoredPublisher) =>
  `board-verify=${publisher.id}:${publisher.verifyToken ?? ""}`;

/** Names the file that may hold the proof of a domain. */
export const boardTxt = (domain: string) => `https://${domain}/.well-known/board.txt`;
