import { BoardError } from "../board/failures.ts";
import type { Outbound } from "../ports/outbound.ts";

/**
 * Refuses a URL that the board may not call.
 *
 * @param path  the field it was sent in
 * @throws BoardError `invalid_url`
 */
export function refuseUrl(outbound: Outbound, url: string, path: string): void {
  const refusal = outbound.refusal(url);
  if (refusal === null) return;
  throw new BoardError("invalid_url", { issues: [{ path, code: "invalid_url", message: refusal }] });
}
