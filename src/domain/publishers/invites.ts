import { DAY_MS } from "../../platform/time.ts";
import type { Store } from "../../ports/store/index.ts";
import { newToken } from "../secrets.ts";
import { signInId } from "./hosts.ts";

const rowId = (code: string) => signInId("Invite", code);

/**
 * Makes a code that is good for one registration. The store keeps its hash alone, among the sign-ins, and not for longer
 * than it is good.
 */
export async function makeInvite(
  { signIns }: Pick<Store, "signIns">,
  now: number,
  days: number,
): Promise<string> {
  const code = `inv_${newToken()}`;
  const row = { id: rowId(code), grantId: null, publisherId: null, payload: "{}", consumedAt: null };
  await signIns.put({ ...row, expiresAt: now + days * DAY_MS });
  return code;
}

/** Uses a code up; false for one that is unknown, over or used. */
export async function acceptsInvite(
  { signIns }: Pick<Store, "signIns">,
  code: string | null | undefined,
  now: number,
): Promise<boolean> {
  const id = rowId(code?.trim() ?? "");
  return (await signIns.get(id, now)) !== null && signIns.consume(id, now);
}
