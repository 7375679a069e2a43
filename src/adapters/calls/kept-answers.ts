import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { BoardError } from "../../board/failures.ts";
import type { Secrets } from "../../domain/secrets.ts";
import type { LeaseStore, SignInStore } from "../../ports/store/index.ts";

/** The first answer is given again for this long. */
export const KEPT_MS = 600_000;
/** A call that its process did not end holds others up for so long. */
const LEASE_MS = 30_000;
const WAIT_MS = 5_000;
const POLL_MS = 50;
const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** These make it the same call; only who sends all of it again gets the answer. */
export interface RepeatedCall {
  operation: string;
  /** The key is as sent in `Idempotency-Key`. */
  idempotencyKey: string;
  /** The caller is the API key as sent, or what is known of somebody without one. */
  caller: string;
  input: unknown;
}

interface KeptAnswer {
  status: number;
  location: string | null;
  body: unknown;
}

/**
 * Gives the answer to a call again when the call is sent again, in any process of the board. An answer may hold an API key, so
 * it is kept sealed, under a key made of SECRET_KEY and the whole call: the store alone opens none.
 */
export class KeptAnswers {
  readonly #parts: { rows: SignInStore; leases: LeaseStore; secrets: Secrets; clock: () => number };

  constructor(parts: { rows: SignInStore; leases: LeaseStore; secrets: Secrets; clock: () => number }) {
    this.#parts = parts;
  }

  /**
   * Gives the answer that was given before, or else the one that `make` gives now. A failure is not kept.
   * @throws BoardError `overloaded` while the first call is still under way
   */
  async once(
    call: RepeatedCall,
    make: () => Promise<KeptAnswer>,
  ): Promise<KeptAnswer & { replayed: boolean }> {
    const { rows, clock } = this.#parts;
    const key = this.#parts.secrets.answerKey(JSON.stringify(call));
    const id = `Answer:${createHash("sha256").update(key).digest("base64url")}`;
    return this.alone(id, async () => {
      const kept = await rows.get(id, clock());
      if (kept !== null) return { ...opened(kept.payload, key), replayed: true };
      const answer = await make();
      const row = { id, grantId: null, publisherId: null, consumedAt: null };
      await rows.put({ ...row, payload: sealed(answer, key), expiresAt: clock() + KEPT_MS });
      return { ...answer, replayed: false };
    });
  }

  /**
   * Does work while no other process, and no other call of this one, does any under the same name.
   * @throws BoardError `overloaded` when its turn does not come in some seconds
   */
  async alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { leases, clock } = this.#parts;
    const owner = randomUUID();
    for (let waited = 0; (await leases.acquire(name, owner, LEASE_MS, clock())) === null; waited += POLL_MS) {
      if (waited >= WAIT_MS) throw new BoardError("overloaded", { retryAfterS: 1 });
      await sleep(POLL_MS);
    }
    try {
      return await work();
    } finally {
      await leases.release(name, owner);
    }
  }
}

function sealed(answer: KeptAnswer, key: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  const text = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final()]);
  return JSON.stringify(Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64"));
}

function opened(payload: string, key: Buffer): KeptAnswer {
  const bytes = Buffer.from(JSON.parse(payload) as string, "base64");
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(text.toString());
}
