import { z } from "zod";
import { defineRoute, ok } from "../board/operation.ts";
import { Metrics } from "../schema/board.ts";

export const readMetrics = defineRoute({
  name: "read_metrics",
  title: "Operating statistics",
  when: "You want aggregate, anonymous figures of how the board is used.",
  input: z.object({}),
  output: Metrics,
  auth: "open",
  effect: "reads",
  rest: { method: "GET", path: "/metrics" },
  examples: [{}],

  async handle(_input, { metrics, now }) {
    return ok(await metrics.read(now));
  },
});
