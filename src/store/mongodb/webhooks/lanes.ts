import type { Document } from "mongodb";
import type { PushStore } from "../../../ports/store/index.ts";
import type { Lane } from "../../rules/claims.ts";
import type { PushOriginDocument, PushQueueDocument } from "../schema/push-queue.ts";
import type { MongodbContext } from "../server/context.ts";

/** A lane with something due and a place at its origin. */
export interface DueLane extends Lane {
  /** Since when its first place is due, or since it was served. */
  turn: number;
  /** Of its origin, null before the first claim: the claim that changed it last. */
  claim: PushOriginDocument["claim"] | null;
  /** Live claims on its origin. */
  live: number;
  /** Places in the queue that are due, or may be, in the order of service. */
  places: DuePlace[];
}

export type DuePlace = Omit<PushQueueDocument, "served_at">;

type Options = Parameters<PushStore["claim"]>[0];

/** Of reads that see claims before a majority has them. */
export const LATEST = { readConcern: { level: "local" } } as const;

/** A way to look for due places. */
interface Look {
  /** The first place of each lane only, where long ones hide others. Else whole lanes, one after another. */
  firsts: boolean;
  /** Places beside those that a claim can use, since some belong to origins without a place. */
  margin: number;
  /** Begins the next round where one ends. Else it is faster. */
  around: boolean;
}

const FIRST_LOOK: Look = { firsts: false, margin: 10, around: false };
/** Each instance fills 25 origins at most. */
const WIDE_MARGIN = 200;

/**
 * The origins a process served last, one of those whose last push failed and one of the others: it goes on behind them, in
 * the order of their names, and begins again after the last.
 */
export class Rounds {
  readonly #last = new Map<boolean, string>();
  /** Which look is likely to show enough. */
  look = FIRST_LOOK;

  /** @returns "" at the beginning */
  last(failing: boolean): string {
    return this.#last.get(failing) ?? "";
  }

  /** @param origin  null where all that was due has been seen */
  goOn(failing: boolean, origin: string | null): void {
    this.#last.set(failing, origin ?? "");
  }
}

/** Lanes of one kind to look at: those behind `after`, then the others. */
interface Part {
  failing: boolean;
  /** As many pushes as can be served. */
  most: number;
  after: string;
}

/** What was seen of one part. */
interface Seen {
  /** Those with a place, and no more than can be served. */
  lanes: DueLane[];
  /** The last lane that was looked at, null where all that is due was. */
  end: string | null;
  /** As many pushes of these can be claimed, or more. */
  room: number;
  /** Whether that is as much as can be served of this part, or all that is due. */
  enough: boolean;
  /** Whether the next round has to begin for more. */
  isRoundOver: boolean;
}

/**
 * The lanes to serve next, in the order of the rounds and of each kind no more than may be claimed. It costs one step in an
 * index while nothing is due. Else it reads a bounded number of places in the order of the queue, in one query where these
 * have enough to serve.
 *
 * @returns `all`: nothing else is due
 */
export async function dueLanes(
  context: MongodbContext,
  rounds: Rounds,
  options: Options,
): Promise<{ lanes: DueLane[]; all: boolean }> {
  const { limit, failing: failingMost } = options;
  const parts = [false, true].flatMap((failing): Part[] => {
    const most = failing ? Math.min(limit, failingMost) : limit;
    return most > 0 ? [{ failing, most, after: rounds.last(failing) }] : [];
  });
  const whole = new Map<string, DuePlace[]>();
  let look = rounds.look;
  for (;;) {
    const seen = await lookAt(context, parts, options, look);
    const lanes = seen.flatMap(({ lanes }) => lanes);
    const isFull = seen.reduce((sum, { room }) => sum + room, 0) >= limit;
    const next = isFull ? null : lookAfter(look, seen);
    if (next !== null) {
      if (!look.firsts) for (const lane of lanes) whole.set(nameOf(lane), lane.places);
      look = next;
      continue;
    }
    const ends = parts.map(({ failing, after }, i) => ({ failing, after, end: seen[i]?.end ?? null }));
    for (const { failing, end } of ends) rounds.goOn(failing, end);
    const isNextRound = ends.some(({ after, end }) => end !== null && end <= after);
    const isAll = ends.every(({ end }) => end === null);
    // In another round the lanes may be short.
    rounds.look = { ...(isNextRound || isAll ? FIRST_LOOK : look), around: isNextRound };
    return {
      // What is held at their origins may have changed since.
      lanes: lanes.map((lane) => ({ ...lane, places: whole.get(nameOf(lane)) ?? lane.places })),
      all: isAll && !look.firsts,
    };
  }
}

/** @returns null where there is enough, or no other way to look */
function lookAfter(look: Look, seen: readonly Seen[]): Look | null {
  const few = seen.filter(({ enough }) => !enough);
  if (few.length === 0) return null;
  if (few.some(({ isRoundOver }) => isRoundOver)) return { ...look, around: true };
  if (!look.firsts) return { ...look, firsts: true };
  return look.margin < WIDE_MARGIN ? { ...look, margin: WIDE_MARGIN } : null;
}

const nameOf = ({ failing, origin }: DueLane) => `${failing} ${origin}`;

/** @returns for each part, what was seen of it */
async function lookAt(
  { collections }: MongodbContext,
  parts: readonly Part[],
  options: Options,
  { firsts, margin, around }: Look,
): Promise<Seen[]> {
  const now = new Date(options.now);
  const names = parts.map((_, i) => `part${i}`);
  const [found] = await collections.push_queue
    .aggregate<{ parts: DuePlace[][]; origins: PushOriginDocument[] }>(
      [
        { $match: { due_at: { $lte: now } } },
        { $limit: 1 },
        { $project: { _id: 1 } },
        ...parts.map((part, i) => {
          const lanes = lanesIn(part, around, firsts ? firstsOf : placesOf, now);
          const pipeline = [...lanes, { $limit: part.most + margin }];
          return { $lookup: { from: "push_queue", pipeline, as: names[i] } };
        }),
        {
          $project: {
            parts: names.map((name) => `$${name}`),
            at: { $concatArrays: names.map((name) => `$${name}.origin`) },
          },
        },
        { $lookup: { from: "push_origins", localField: "at", foreignField: "_id", as: "origins" } },
        { $unset: "at" },
      ],
      LATEST,
    )
    .toArray();
  const origins = new Map(found?.origins.map((origin) => [origin._id, origin]));
  return parts.map(({ most, after }, i): Seen => {
    const places = found?.parts[i] ?? [];
    const known = lanesOf(places, origins, now);
    const passed = untilOpen(known, most, options.perOrigin);
    const lanes = passed.filter(({ live }) => live < options.perOrigin);
    const ofLanes = lanes.map((lane) => Math.min(options.perOrigin - lane.live, lane.places.length));
    const room = ofLanes.reduce((sum, n) => sum + n, 0);
    const isEnd = passed.length === known.length && places.length < most + margin;
    const isAll = found === undefined || (isEnd && (after === "" || around));
    return {
      lanes,
      end: isAll ? null : (passed.at(-1)?.origin ?? after),
      room,
      enough: isAll || room >= most,
      isRoundOver: isEnd && !isAll,
    };
  });
}

const IN_ORDER = { $sort: { failing: 1, origin: 1, due_at: 1, _id: 1 } };

type Lanes = Pick<Part, "failing"> & { origin: Document };

/** What `of` finds in the lanes of a part; those of the next round are read only if they are needed. */
function lanesIn(
  { failing, after }: Part,
  around: boolean,
  of: (lanes: Lanes, now: Date) => Document[],
  now: Date,
): Document[] {
  const behind = of({ failing, origin: { $gt: after } }, now);
  if (after === "" || !around) return behind;
  const others = of({ failing, origin: { $lte: after } }, now);
  return [...behind, { $unionWith: { coll: "push_queue", pipeline: others } }];
}

const placesOf = (lanes: Lanes, now: Date): Document[] => [
  { $match: { ...lanes, due_at: { $lte: now } } },
  IN_ORDER,
];

const firstsOf = (lanes: Lanes, now: Date): Document[] => [
  { $match: lanes },
  IN_ORDER,
  { $group: { _id: "$origin", first: { $first: "$$ROOT" } } },
  { $replaceRoot: { newRoot: "$first" } },
  { $match: { due_at: { $lte: now } } },
];

/** @param places  of lanes of one kind, each lane's in a row */
function lanesOf(
  places: readonly DuePlace[],
  origins: ReadonlyMap<string, PushOriginDocument>,
  now: Date,
): DueLane[] {
  const lanes = new Map<string, DueLane>();
  for (const place of places) {
    const { origin, failing, due_at } = place;
    const lane = lanes.get(origin);
    if (lane !== undefined) {
      lane.places.push(place);
      continue;
    }
    const known = origins.get(origin);
    const live = known?.held.filter(({ until }) => until > now).length ?? 0;
    const turn = due_at.getTime();
    lanes.set(origin, { origin, failing, turn, claim: known?.claim ?? null, live, places: [place] });
  }
  return [...lanes.values()];
}

/** The first lanes, until there are `most` with a place. */
function untilOpen(lanes: readonly DueLane[], most: number, perOrigin: number): DueLane[] {
  let open = 0;
  const end = lanes.findIndex(({ live }) => {
    if (live < perOrigin) open += 1;
    return open === most;
  });
  return end === -1 ? [...lanes] : lanes.slice(0, end + 1);
}
