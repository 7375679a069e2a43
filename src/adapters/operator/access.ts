import { createHash, timingSafeEqual } from "node:crypto";
import type { CookieOptions, Request, Response } from "express";
import { BoardError } from "../../board/failures.ts";
import { signInId } from "../../domain/publishers/hosts.ts";
import { newToken, type Secrets } from "../../domain/secrets.ts";
import type { Store } from "../../ports/store/index.ts";
import { addressBucket } from "../calls/limits.ts";

/** One who may operate the board: a key, with the name that the log gives; null where there is one key for all. */
export interface OperatorKey {
  name: string | null;
  key: string;
}

/** The log of moderation has this name. */
export type OperatorName = "operator" | `operator ${string}`;

export interface Session {
  who: OperatorName;
  /** Stands in each form: another site cannot read it. */
  formToken: string;
}

export interface AccessParts {
  store: Pick<Store, "signIns" | "limits">;
  secrets: Secrets;
  keys: readonly OperatorKey[];
  clock: () => number;
}

const WRONG_KEYS = 5;
const WRONG_MS = 60_000;
const SESSION_MS = 8 * 3_600_000;
const COOKIE = "operator";
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

/** Admits whoever may operate the board: by a key over https, or on this machine. */
export class OperatorAccess {
  readonly #parts: AccessParts;

  private constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  /** Without a key this gives null: nobody operates the board from afar then. */
  static of(parts: AccessParts): OperatorAccess | null {
    return parts.keys.length === 0 ? null : new OperatorAccess(parts);
  }

  /**
   * Finds the operator behind a key. Of wrong keys five a minute and address are answered, over all processes; then no key
   * is taken, not even a right one, since a key that a person chose may be guessed.
   * @returns null for a wrong key
   * @throws BoardError `rate_limited`
   */
  async named(sent: string, address: string): Promise<OperatorName | null> {
    const { limits } = this.#parts.store;
    const now = this.#parts.clock();
    const counter = `operator ${this.#parts.secrets.addressTag(addressBucket(address))}`;
    const found = this.#keyOf((key) => digestOf(key), digestOf(sent));
    // The store is looked at once, right or wrong: of many guesses at once each sees those before it.
    const { points, endsAt } = await limits.add(counter, found === null ? 1 : 0, WRONG_MS, now);
    if (points > WRONG_KEYS - (found === null ? 0 : 1)) {
      const retryAfterS = Math.max(1, Math.ceil((endsAt - now) / 1000));
      throw new BoardError("rate_limited", { retryAfterS, hint: "Too many wrong operator keys." });
    }
    return found === null ? null : nameOf(found);
  }

  /** Begins a session, whose name only the browser gets. */
  async begin(request: Request, response: Response, sent: string): Promise<void> {
    const token = newToken() + newToken();
    const expiresAt = this.#parts.clock() + SESSION_MS;
    const row = { id: rowId(token), grantId: null, publisherId: null, consumedAt: null, expiresAt };
    // The row holds the key's hash: a session ends when its key is taken out of OPERATOR_KEY.
    await this.#parts.store.signIns.put({ ...row, payload: JSON.stringify(keyMark(sent)) });
    response.cookie(COOKIE, token, { ...cookieFor(request), maxAge: SESSION_MS });
  }

  /** Finds the session of a browser, or null. */
  async session(request: Request): Promise<Session | null> {
    const token = tokenOf(request);
    if (token === null) return null;
    const row = await this.#parts.store.signIns.get(rowId(token), this.#parts.clock());
    if (row === null) return null;
    const found = this.#keyOf((key) => Buffer.from(keyMark(key)), Buffer.from(JSON.parse(row.payload)));
    if (found === null) return null;
    return { who: nameOf(found), formToken: this.#parts.secrets.signInMac("form", token) };
  }

  /** Ends a session for good: its cookie is of no use to who kept it. */
  async end(request: Request, response: Response): Promise<void> {
    const token = tokenOf(request);
    if (token !== null) await this.#parts.store.signIns.remove("id", rowId(token));
    response.clearCookie(COOKIE, cookieFor(request));
  }

  /** Compares with every key, each in the same time. */
  #keyOf(mark: (key: string) => Buffer, sought: Buffer): OperatorKey | null {
    let found: OperatorKey | null = null;
    for (const one of this.#parts.keys) if (isSameMark(mark(one.key), sought)) found = one;
    return found;
  }
}

/**
 * Tells whether a request came by https, or from this machine to it. A proxy on this machine names whom it forwards for, so
 * plain http through one is neither; a page of another name that points here is refused by the name.
 */
export function isPrivate(request: Request): boolean {
  if (request.secure) return true;
  const { host = "", forwarded, "x-forwarded-for": forwardedFor } = request.headers;
  const isForwarded = forwarded !== undefined || forwardedFor !== undefined;
  return !isForwarded && LOCAL.test(host) && LOOPBACK.test(request.socket.remoteAddress ?? "");
}

/** Tells whether two texts are the same, in a time that does not tell where they differ. */
export const isSameText = (one: string, other: string): boolean => isSameMark(digestOf(one), digestOf(other));

const isSameMark = (one: Buffer, other: Buffer) => one.length === other.length && timingSafeEqual(one, other);
const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();
const keyMark = (key: string): string => digestOf(`operator\0${key}`).toString("base64url");
const nameOf = ({ name }: OperatorKey): OperatorName => (name === null ? "operator" : `operator ${name}`);
const rowId = (token: string) => signInId("Operator", token);
const tokenOf = ({ headers: { cookie = "" } }: Request): string | null =>
  /(?:^|;\s*)operator=([\w-]{20,100})(?:;|$)/.exec(cookie)?.[1] ?? null;
const cookieFor = ({ secure }: Request): CookieOptions => ({
  httpOnly: true,
  sameSite: "strict",
  path: "/operate",
  secure,
});
