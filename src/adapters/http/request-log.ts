import type { RequestHandler } from "express";
import ipaddr from "ipaddr.js";
import type { Logger } from "pino";
import { addressOf } from "../calls/limits.ts";

/** Logs one line per answer: method, path, status, time and shortened address. No key, body or query. */
export function requestLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    if (!logger.isLevelEnabled("info")) {
      next();
      return;
    }
    const began = performance.now();
    // Keys do not belong in paths. A key sent there anyway stays out of the log.
    const path = (request.originalUrl.split("?")[0] ?? "").slice(0, 200).replace(/bbk_\w+/g, "bbk_…");
    const address = shortened(request.ip ?? "");
    response.once("close", () => {
      const ms = Math.round((performance.now() - began) * 10) / 10;
      const status = response.writableFinished ? response.statusCode : 499;
      logger.info({ method: request.method, path, status, ms, address }, "answered");
    });
    next();
  };
}

/** An address cut to its /24, or /48 for IPv6, so that it does not identify one machine. */
function shortened(sent: string): string {
  const address = addressOf(sent);
  if (address === null) return "";
  return address instanceof ipaddr.IPv4
    ? address.toString().replace(/\.\d+$/, ".0")
    : `${address.parts
        .slice(0, 3)
        .map((part) => part.toString(16))
        .join(":")}::`;
}
