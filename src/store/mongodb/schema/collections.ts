import type { Collection, CollectionOptions, Db } from "mongodb";
import type {
  DailyCounterDocument,
  DeliveryDocument,
  InboxCounterDocument,
  InboxDocument,
  LeaseDocument,
  ModerationDocument,
  PostDocument,
  PostKeyDocument,
  PublisherDocument,
  PushDocument,
  PushLaneDocument,
  PushQueueDocument,
  RankingDocument,
  RemovedSubscriptionDocument,
  ReportDocument,
  ReportedPostDocument,
  RetrievalDocument,
  SequenceDocument,
  SettingDocument,
  SubscriptionDocument,
  WindowDocument,
  WorkDocument,
} from "./documents.ts";

/** All collections of a database, by the names that they have in it. */
export interface Collections {
  posts: Collection<PostDocument>;
  post_keys: Collection<PostKeyDocument>;
  retrievals: Collection<RetrievalDocument>;
  work: Collection<WorkDocument>;
  publishers: Collection<PublisherDocument>;
  inboxes: Collection<InboxCounterDocument>;
  inbox: Collection<InboxDocument>;
  subscriptions: Collection<SubscriptionDocument>;
  removed_subscriptions: Collection<RemovedSubscriptionDocument>;
  sequences: Collection<SequenceDocument>;
  deliveries: Collection<DeliveryDocument>;
  pushes: Collection<PushDocument>;
  push_queue: Collection<PushQueueDocument>;
  push_lanes: Collection<PushLaneDocument>;
  reports: Collection<ReportDocument>;
  reported_posts: Collection<ReportedPostDocument>;
  moderation: Collection<ModerationDocument>;
  windows: Collection<WindowDocument>;
  rankings: Collection<RankingDocument>;
  daily_counters: Collection<DailyCounterDocument>;
  settings: Collection<SettingDocument>;
  leases: Collection<LeaseDocument>;
}

/** Their names. */
export const COLLECTIONS: readonly (keyof Collections)[] = [
  "posts",
  "post_keys",
  "retrievals",
  "work",
  "publishers",
  "inboxes",
  "inbox",
  "subscriptions",
  "removed_subscriptions",
  "sequences",
  "deliveries",
  "pushes",
  "push_queue",
  "push_lanes",
  "reports",
  "reported_posts",
  "moderation",
  "windows",
  "rankings",
  "daily_counters",
  "settings",
  "leases",
];

/** What need not survive: written to one member without waiting for the others, and read from it. */
const FLEETING: readonly (keyof Collections)[] = ["windows", "rankings", "daily_counters"];
const FLEETING_OPTIONS: CollectionOptions = { readConcern: { level: "local" }, writeConcern: { w: 1 } };

export function collectionsOf(db: Db): Collections {
  return Object.fromEntries(
    COLLECTIONS.map((name) => [
      name,
      db.collection(name, FLEETING.includes(name) ? FLEETING_OPTIONS : undefined),
    ]),
  ) as unknown as Collections;
}
