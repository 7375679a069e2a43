export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Epoch milliseconds as callers see them: ISO 8601 in UTC. */
export const isoTime = (ms: number) => new Date(ms).toISOString();
export const isoTimeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));

/** The UTC day of a moment, `2026-11-20`. */
export const dayOf = (ms: number) => isoTime(ms).slice(0, 10);
