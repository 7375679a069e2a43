import { createHmac, timingSafeEqual } from "node:crypto";

/** 72 bits: short enough for a model to copy, and the board's limits stop anyone long before a guess hits. */
const MAC_BYTES = 9;
/** Anything longer was not made here. */
const MAX_CHARS = 2000;

/**
 * An opaque cursor: base64url of compact JSON and a truncated HMAC-SHA256 over it. A payload of 75 bytes makes 112
 * characters.
 *
 * @param payload  what JSON can carry
 */
export function encodeCursor(payload: unknown, key: string | Uint8Array): string {
  const json = Buffer.from(JSON.stringify(payload));
  return Buffer.concat([macOf(json, key), json]).toString("base64url");
}

/** The payload of a cursor made with this key, or null when it is damaged, foreign or oversized. Never throws. */
export function decodeCursor(text: string, key: string | Uint8Array): unknown {
  if (text.length > MAX_CHARS || !/^[\w-]+$/.test(text)) return null;
  const bytes = Buffer.from(text, "base64url");
  // Node skips what is not base64url; only the spelling that `encodeCursor` gives is accepted.
  if (bytes.length <= MAC_BYTES || bytes.toString("base64url") !== text) return null;
  const json = bytes.subarray(MAC_BYTES);
  if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), macOf(json, key))) return null;
  try {
    return JSON.parse(json.toString("utf8"));
  } catch {
    return null;
  }
}

function macOf(json: Uint8Array, key: string | Uint8Array): Buffer {
  return createHmac("sha256", key).update("cursor\0").update(json).digest().subarray(0, MAC_BYTES);
}
