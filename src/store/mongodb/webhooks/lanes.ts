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

/**
 * The origins a process served last, one of those whose last push failed and one of the others: it goes on behind them, in
 * the order of their names, and begins again after the last.
 */
export class Rounds {
  readonly #last = new Map<boolean, string>();

  /** @returns "" at the beginning */
  last(failing: boolean): string {
    return this.#last.get(failing) ?? "";
  }

  /** @param origin  null at the end of a round */
  goOn(failing: boolean, origin: string | null): void {
    this.#last.set(failing, origin ?? "");
  }
}

/** Places read beside those that a claim can use: some belong to origins without a place. */
const MARGIN = 10;
/** Origins without a place that are passed over for others. Each instance fills 25 at most. */
const FULL_ORIGINS = 200;

/** Lanes of one kind to look at: those behind `after`, up to `last`. */
interface Part {
  failing: boolean;
  /** As many lanes with a place as can be served. */
  most: number;
  after: string;
  /** Null for no end. */
  last: string | null;
}

interface Look {
  lanes: DueLane[];
  /** Whether nothing else is due. */
  all: boolean;
  /** Whether too few lanes have a place, and long ones may hide others. */
  hidden: boolean;
}

/**
 * The lanes to serve next, in the order of the rounds and of each kind no more than may be claimed; in one query, or two at
 * the end of a round. It costs one step in an index while nothing is due. Else it reads a bounded number of places in the
 * order of the queue, whole lanes one after another; or, where long lanes hid others (`firsts`), the first place of each.
 */
export async function dueLanes(
  context: MongodbContext,
  rounds: Rounds,
  options: Options,
  firsts: boolean,
): Promise<Look> {
  const { limit, failing: failingMost } = options;
  const parts = [false, true].flatMap((failing): Part[] => {
    const most = failing ? Math.min(limit, failingMost) : limit;
    return most > 0 ? [{ failing, most, after: rounds.last(failing), last: null }] : [];
  });
  const first = await lookAt(context, rounds, parts, options, firsts);
  if (first.ended.length === 0) return first;
  const second = await lookAt(context, rounds, first.ended, options, firsts);
  return {
    lanes: [...first.lanes, ...second.lanes],
    all: first.all && second.all,
    hidden: first.hidden || second.hidden,
  };
}

/** @returns `ended`: what to look at besides, where a round ended with too few lanes */
async function lookAt(
  { collections }: MongodbContext,
  rounds: Rounds,
  parts: readonly Part[],
  options: Options,
  firsts: boolean,
): Promise<Look & { ended: Part[] }> {
  const now = new Date(options.now);
  const read = ({ most }: Part) => most + (firsts ? FULL_ORIGINS : MARGIN);
  const names = parts.map((_, i) => `part${i}`);
  const [found] = await collections.push_queue
    .aggregate<{ parts: DuePlace[][]; origins: PushOriginDocument[] }>(
      [
        { $match: { due_at: { $lte: now } } },
        { $limit: 1 },
        { $project: { _id: 1 } },
        ...parts.map((part, i) => {
          const pipeline = [...(firsts ? firstsOf : placesOf)(part, now), { $limit: read(part) }];
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
  const look: Look & { ended: Part[] } = { lanes: [], all: !firsts, hidden: false, ended: [] };
  if (found === undefined) return { ...look, all: true };
  const origins = new Map(found.origins.map((origin) => [origin._id, origin]));
  for (const [i, part] of parts.entries()) {
    const { failing, most, after } = part;
    const places = found.parts[i] ?? [];
    const known = lanesOf(places, origins, now);
    const passed = untilOpen(known, most, options.perOrigin);
    const open = passed.filter(({ live }) => live < options.perOrigin);
    look.lanes.push(...open);
    const isEnd = passed.length === known.length && places.length < read(part);
    rounds.goOn(failing, isEnd ? null : (passed.at(-1)?.origin ?? null));
    // Those before `after` are not looked at, where there are enough behind it.
    if (!isEnd || (after !== "" && open.length === most)) look.all = false;
    if (open.length === most) continue;
    if (!isEnd) look.hidden = !firsts;
    else if (after !== "") look.ended.push({ failing, most: most - open.length, after: "", last: after });
  }
  return look;
}

const IN_ORDER = { $sort: { failing: 1, origin: 1, due_at: 1, _id: 1 } };

const lanesIn = ({ failing, after, last }: Part): Document => ({
  failing,
  origin: { $gt: after, ...(last === null ? {} : { $lte: last }) },
});

const placesOf = (part: Part, now: Date): Document[] => [
  { $match: { ...lanesIn(part), due_at: { $lte: now } } },
  IN_ORDER,
];

const firstsOf = (part: Part, now: Date): Document[] => [
  { $match: lanesIn(part) },
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
