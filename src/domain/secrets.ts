import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { customAlphabet } from "nanoid";

/** No font confuses these 57 letters and digits: no 0 O 1 l I. */
const ID_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const randomOf = (length: number) => customAlphabet(ID_ALPHABET, length);
const rootId = randomOf(10);
const replySuffix = randomOf(6);
const accountId = randomOf(14);
const keyBody = customAlphabet(BASE62, 32);

export const newId = (prefix: "pub" | "sub" | "rep" | "feed") => `${prefix}_${accountId()}`;

/** Makes the id of a post; a reply's begins with its root's, so that a thread stays on one shard. */
export const newPostId = (parentId: string | null) =>
  parentId === null ? rootId() : `${parentId}-${replySuffix()}`;

/** Makes a random token of 128 bits and more, for cursors' rankings, challenges and domain proofs. */
export const newToken = () => randomBytes(18).toString("base64url");

export const API_KEY_LENGTH = 42;

/** Makes `bbk_` + 32 base62 + 6 base62 of the CRC32 of everything before: 42 characters, 190 bits. */
export function newApiKey(): string {
  const head = `bbk_${keyBody()}`;
  return head + checksumOf(head);
}

/** True for a text in the form of a key with the right checksum. Only the store knows whether it is one. */
export function looksLikeApiKey(text: string): boolean {
  return /^bbk_[0-9A-Za-z]{38}$/.test(text) && text.slice(36) === checksumOf(text.slice(0, 36));
}

function checksumOf(head: string): string {
  let rest = crc32(head);
  let out = "";
  for (let i = 0; i < 6; i += 1) {
    out = (BASE62[rest % 62] ?? "") + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}

/** Hashes a key as it is stored. A plain hash is enough for 190 random bits. */
export const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** This setting holds the secret key of a board started without SECRET_KEY. */
export const SECRET_KEY_SETTING = "secret_key";

/** This setting tells whether a process was started with the key of the others; the key cannot be found from it. */
export const SECRET_KEY_CHECK_SETTING = "secret_key_check";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Takes characters of the alphabet of ids from the first 16 bytes. */
function charactersOf(digits: Buffer, length: number): string {
  let rest = BigInt(`0x${digits.subarray(0, 16).toString("hex")}`);
  let out = "";
  for (let i = 0; i < length; i += 1) {
    out += ID_ALPHABET[Number(rest % 57n)] ?? "";
    rest /= 57n;
  }
  return out;
}

/** Derives everything from SECRET_KEY, which must be the same on all instances of a board. */
export class Secrets {
  readonly #key: string;

  constructor(secretKey: string) {
    this.#key = secretKey;
  }

  /** Makes the id of a post with an idempotency key: the id itself is the guard against a second post, in every store. */
  postId(publisherId: string, idempotencyKey: string, parentId: string | null): string {
    const length = parentId === null ? 10 : 6;
    const out = charactersOf(this.#mac("post", `${publisherId}\0${idempotencyKey}`), length);
    return parentId === null ? out : `${parentId}-${out}`;
  }

  /** Makes the id of what a host subscribed to, in the form of every other one. */
  subscriptionId(key: string): string {
    return `sub_${charactersOf(this.#mac("subscription", key), 14)}`;
  }

  /**
   * Makes text that only this board can read again, and only for the same owner: AES-256-GCM, with a nonce of its own each
   * time.
   */
  seal(text: string, owner: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", this.#mac("seal", ""), nonce).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
  }

  /** Opens what was sealed; null when it was sealed under another SECRET_KEY or for another owner, or is damaged. */
  unseal(sealed: string, owner: string): string | null {
    const bytes = Buffer.from(sealed, "base64url");
    const [nonce, tag] = [
      bytes.subarray(0, NONCE_BYTES),
      bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
    ];
    if (tag.length < TAG_BYTES) return null;
    const cipher = createDecipheriv("aes-256-gcm", this.#mac("seal", ""), nonce)
      .setAAD(Buffer.from(owner))
      .setAuthTag(tag);
    try {
      return cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + cipher.final("utf8");
    } catch {
      return null;
    }
  }

  /** Makes `whsec_` + base64 of 32 bytes. */
  webhookSecret(subscriptionId: string, version: number): string {
    return `whsec_${this.#mac("webhook", `${subscriptionId}\0${version}`).toString("base64")}`;
  }

  /** Signs cursors, so that only the board's own come back. */
  cursorKey(): Buffer {
    return this.#mac("cursor", "");
  }

  /**
   * Makes what a sign-in derives from what it knows: the token of a form, the name of a grant, the refresh token after
   * another.
   */
  signInMac(purpose: "form" | "grant" | "renewal", from: string): string {
    return this.#mac(`sign-in ${purpose}`, from).toString("base64url");
  }

  /** Seals the answer to a call, which only who sends the same call can name. 32 bytes. */
  answerKey(call: string): Buffer {
    return this.#mac("answer", call);
  }

  /** Makes an address one voice in reports and limits, without keeping it. */
  addressTag(address: string): string {
    return this.#mac("address", address).toString("base64url").slice(0, 22);
  }

  /** An export says this about the key, so that an import can tell whether its board has the same one. */
  keyCheck(exportId: string): string {
    return this.#mac("export", exportId).toString("hex").slice(0, 32);
  }

  /** The store keeps this of the key, so that a process with another one is refused. */
  storeCheck(): string {
    return this.#mac("store", "").toString("hex").slice(0, 32);
  }

  #mac(purpose: string, text: string): Buffer {
    return createHmac("sha256", this.#key).update(`${purpose}\0${text}`).digest();
  }
}
