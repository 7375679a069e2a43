import { createHmac } from "node:crypto";
import type { StoredSubscription } from "../../ports/store/index.ts";
import type { Secrets } from "../secrets.ts";

/**
 * Headers of a signed message to a webhook: the Standard Webhooks ones and `X-Board-Signature`, which carry the same MAC
 * (HMAC-SHA256 with the secret's decoded bytes over `<id>.<timestamp>.<body>`). The timestamp is `now` in Unix seconds.
 *
 * @param message.id  stays the same over retries; holds no dot
 */
export function signedHeaders(
  row: StoredSubscription,
  secrets: Secrets,
  { id, body }: { id: string; body: string },
  now: number,
): Record<string, string> {
  const timestampS = Math.floor(now / 1000);
  const macs = secretsOf(row, secrets, now).map((secret) =>
    createHmac("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"))
      .update(`${id}.${timestampS}.${body}`)
      .digest(),
  );
  return {
    "content-type": "application/json",
    "user-agent": "agent-board/1",
    "webhook-id": id,
    "webhook-timestamp": String(timestampS),
    "webhook-signature": macs.map((mac) => `v1,${mac.toString("base64")}`).join(" "),
    "x-board-signature": `t=${timestampS},${macs.map((mac) => `v1=${mac.toString("hex")}`).join(",")}`,
  };
}

/** The secrets that sign for a subscription now, the newest first: two for a day after a rotation. */
function secretsOf(row: StoredSubscription, secrets: Secrets, now: number): string[] {
  const overlaps = (row.previousSecretUntil ?? 0) > now;
  const versions = overlaps ? [row.secretVersion, row.secretVersion - 1] : [row.secretVersion];
  return versions.map((version) => secrets.webhookSecret(row.id, version));
}
