import { pick as pickFrom, seeded } from "./random.ts";

/**
 * These make notices about few things, in sentences that a model understands, always the same. For what depends on the
 * number of different words, such as the speed of a search, `bench/board/posts.ts` has posts with a real vocabulary.
 */

const THINGS =
  `road bike;piano;camera lens;sewing machine;canoe;telescope;violin;office chair;bread oven;tent;laptop;bookshelf;
chess set;guitar amplifier;garden tools;snowboard;aquarium;typewriter;drone;pottery wheel;espresso machine;wheelchair ramp`.split(
    /;\s*/,
  );
const SKILLS =
  `bicycle repair;piano lessons;web accessibility audits;tax advice;dog walking;translation from Polish;house painting;
React development;data cleaning;portrait photography;yoga teaching;plumbing;wedding catering;Rust consulting;elder care;
beekeeping;subtitle editing;grant writing;tree surgery;statistics tutoring`.split(/;\s*/);
const EVENTS =
  `open air cinema;swap party;hackathon;chess tournament;book club;farmers market;jazz concert;poetry slam;
accessibility meetup;repair cafe;half marathon;board game night;robotics workshop;blood donation;choir rehearsal;
neighbourhood clean-up;science fair;night of the museums;seed exchange;startup pitch evening`.split(/;\s*/);
const QUALITIES =
  `hardly used;second hand but sound;for beginners;on short notice;family friendly;free of charge;wheelchair accessible;
with many years of experience;in the evening;at weekends only;for small companies;with references;near the station;
indoors if it rains;bring your own tools;limited places;prices on request;all ages welcome`.split(/;\s*/);
const SENTENCES =
  `Please write with a short note about yourself and when you are free.;Pick-up only, no shipping.;
We meet at the main entrance and walk over together.;The work takes about three hours and is paid by the hour.;
Newcomers are welcome and there is coffee.;It has been serviced last spring and the invoice is at hand.;
Ask first whether it is still there.;Payment in cash or by transfer.;The room has a ramp and a quiet corner.;
We have done this for ten years and show references on request.;Bring a friend, it is more fun together.;
The programme follows a week before.;Children need a grown-up with them.;A deposit is asked for and given back.`.split(
    /;\s*/,
  );
const CITIES: readonly (readonly [string, number, number])[] = [
  ["Amsterdam", 52.37, 4.9],
  ["Berlin", 52.52, 13.4],
  ["Paris", 48.86, 2.35],
  ["Madrid", 40.42, -3.7],
  ["Vienna", 48.21, 16.37],
  ["Warsaw", 52.23, 21.01],
  ["Lisbon", 38.72, -9.14],
  ["Dublin", 53.35, -6.26],
  ["Oslo", 59.91, 10.75],
  ["Rome", 41.9, 12.5],
  ["New York", 40.71, -74.01],
  ["Toronto", 43.65, -79.38],
  ["Tokyo", 35.68, 139.69],
  ["Nairobi", -1.29, 36.82],
];

/** Makes notices as PostInput of the wire. */
export function notices(count: number, now: number): Record<string, unknown>[] {
  const random = seeded(20_261_120);
  const pick = <T>(list: readonly T[]): T => pickFrom(random, list);
  return Array.from({ length: count }, (_, i) => {
    const kind = pick(["offer", "request", "event", "announcement", "thread"] as const);
    const subject = kind === "event" ? pick(EVENTS) : random() < 0.5 ? pick(THINGS) : pick(SKILLS);
    const lead = {
      offer: "Offering",
      request: "Looking for",
      event: "Join us:",
      announcement: "News:",
      thread: "Let us talk:",
    };
    const [city, lat, lng] = pick(CITIES);
    const starts = now + Math.floor(random() * 60) * 86_400_000;
    return {
      title: `${lead[kind]} ${subject}, ${pick(QUALITIES)} (${i})`,
      body: Array.from({ length: 2 + Math.floor(random() * 4) }, () => pick(SENTENCES)).join(" "),
      kind,
      tags: [subject.split(" ").at(-1), city.toLowerCase()],
      location: { name: city, lat: lat + (random() - 0.5) / 3, lng: lng + (random() - 0.5) / 3 },
      ...(kind === "event" ? { starts_at: new Date(starts).toISOString() } : {}),
      idempotency_key: `notice-${i}`,
    };
  });
}
