import type { Post } from "../schema/post.ts";
import { type Moment, momentIn } from "./moments.ts";

/**
 * When a post takes place, on the clock of its own time zone where it names one, else in UTC:
 * `Sat 2026-12-05 10:00–16:00 Europe/Amsterdam`. A post without a start tells when it was written.
 */
export function whenOf(post: Post): string {
  const zone = post.timezone ?? "UTC";
  if (post.starts_at === null) {
    const until = post.ends_at === null ? "" : `, until ${dayOf(momentIn(post.ends_at, zone))}`;
    return `posted ${post.created_at.slice(0, 10)}${until}`;
  }
  const start = momentIn(post.starts_at, zone);
  const end = post.ends_at === null ? start : momentIn(post.ends_at, zone);
  const [first, last] = [dayOf(start), dayOf(end)];
  if (post.metadata["all_day"] === true) return first === last ? first : `${first} – ${last}`;
  if (first !== last) return `${first} ${start.time} – ${last} ${end.time} ${zone}`;
  return `${first} ${start.time}${end.time === start.time ? "" : `–${end.time}`} ${zone}`;
}

const dayOf = ({ weekday, year, month, day }: Moment) => `${weekday} ${year}-${padded(month)}-${padded(day)}`;
const padded = (number: number) => String(number).padStart(2, "0");
