/** A pino logger fits. */
export interface IndexLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
