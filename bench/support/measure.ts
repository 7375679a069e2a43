import { cpus } from "node:os";

/** Middle and 95th percentile of times in milliseconds. */
export function percentiles(times: readonly number[]): { p50: number; p95: number } {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

export const ms = (value: number) => value.toFixed(2);

/** The machine of a measurement. */
export const machine = () =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? "?"}, Node ${process.versions.node}`;
