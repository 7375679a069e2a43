/** Collection `push_queue`: a subscription that can be pushed to and has pushes waiting. */
export interface PushQueueDocument {
  _id: string;
  origin: string;
  /** Whether its last push failed. */
  failing: boolean;
  /** When its first waiting push is due, or earlier; of one that was due when the subscription was served last: then. */
  due_at: Date;
  /** When it was served last; missing before. */
  served_at?: Date;
  /** Another after each change, so that no claim undoes one. Missing in what an older release wrote. */
  revision?: string;
  /** Its next pushes. Missing or of another revision in what an older release wrote. */
  ahead?: PushesAhead;
}

/** The pushes that wait in a place of the queue and where they go, so that a claim need not look for them. */
export interface PushesAhead {
  /** Of the place they stand in. */
  revision: string;
  /** Of the subscription, as of a revision. Missing, or of an older one, in what an older release wrote. */
  receiver?: PushReceiver & { revision: string };
  /** First due first. */
  pushes: { delivery_id: number; due_at: Date }[];
  /** Whether others wait behind these. */
  more: boolean;
  /** The first end of a lease among those claimed since, null without one: from then on they have to be looked for. */
  until: Date | null;
}

export interface PushReceiver {
  publisher_id: string;
  webhook_url: string | null;
}

/** Collection `push_origins`; `_id` is host and port: the claims on its subscriptions. */
export interface PushOriginDocument {
  _id: string;
  /** The claim that changed it last, another for each origin: of two that saw the same, one finds it gone. */
  claim: string;
  /** Tokens of the pushes that are claimed, and the ends of their leases. */
  held: { token: string; until: Date }[];
  served_at: Date;
}
