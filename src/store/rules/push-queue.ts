interface Receiver {
  active: boolean;
  /** Host and port of the webhook, null without one. */
  webhook_origin: string | null;
  /** Null until the webhook consents. */
  webhook_verified_at: unknown;
}

/** True for an active subscription whose webhook consented. */
export function canBePushedTo({ active, webhook_origin, webhook_verified_at }: Receiver): boolean {
  return active && webhook_origin !== null && webhook_verified_at !== null;
}

/**
 * The place of a subscription in the push queue, or null for none.
 * @param dueAt  when its first waiting push is due, null when none waits
 */
export function queuePlace<Time>(
  receiver: Receiver & { failures: number },
  dueAt: Time | null,
): { origin: string; failing: boolean; dueAt: Time } | null {
  const { webhook_origin: origin, failures } = receiver;
  if (dueAt === null || origin === null || !canBePushedTo(receiver)) return null;
  return { origin, failing: failures > 0, dueAt };
}

/** Host and port of a webhook; the port is written out even where the scheme implies it. */
export function webhookOrigin(webhookUrl: string): string {
  const { protocol, hostname, port } = new URL(webhookUrl);
  const schemePort = protocol === "http:" ? "80" : "443";
  return `${hostname.replace(/\.$/, "")}:${port === "" ? schemePort : port}`;
}
