import { type Logger, pino } from "pino";

/** JSON lines on stderr: stdout belongs to a command's answer, and in stdio mode to JSON-RPC alone. */
export function openLogger(level: string): Logger {
  return pino(
    { level, redact: ["authorization", "*.authorization", "api_key", "*.api_key"] },
    pino.destination({ dest: 2, sync: true }),
  );
}
