import type { ClaimedPush } from "../../../ports/store/index.ts";
import { webhookOrigin } from "../../rules/claims.ts";
import { pushId } from "../schema/pushes.ts";
import type { Write } from "../server/write-all.ts";

interface HeldPlace {
  /** Where the push was claimed for. */
  origin: string;
  /** Revision of the subscription's place in the queue if no other push waited in it, else null. */
  last: string | null;
}

/** What this process remembers of its claims. */
export class Held {
  readonly #places = new WeakMap<ClaimedPush, HeldPlace>();

  add(push: ClaimedPush, place: HeldPlace): void {
    this.#places.set(push, place);
  }

  of(push: ClaimedPush): HeldPlace {
    const { webhookUrl } = push.subscription;
    const origin = webhookUrl === null ? "" : webhookOrigin(webhookUrl);
    return this.#places.get(push) ?? { origin, last: null };
  }

  /** Frees the place of a claim at its origin. */
  release(push: ClaimedPush): Write {
    const { subscriptionId, deliveryId, token } = push;
    return release({ origin: this.of(push).origin, push: pushId(subscriptionId, deliveryId), token });
  }
}

export const release = ({ origin, ...held }: { origin: string; push: string; token: string }): Write => ({
  to: "push_origins",
  filter: { _id: origin },
  update: { $pull: { held } },
});
