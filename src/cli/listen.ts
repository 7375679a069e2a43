import type { Server } from "node:http";

/** Says why a listener failed, by the system's code. */
const REFUSALS: Record<string, (port: number, host: string) => string> = {
  EADDRINUSE: (port, host) => `Port ${port} of ${host} is in use; set PORT to another one.`,
  EACCES: (port) => `This user may not listen on port ${port}; set PORT to one above 1023.`,
  EADDRNOTAVAIL: (_, host) => `HOST: ${host} is no address of this machine; 0.0.0.0 means all of them.`,
  ENOTFOUND: (_, host) => `HOST: ${host} is neither an address nor a name that can be resolved.`,
};

/** Tells the operator of the error of a listener in one line, with the system's error as its cause. */
export function listenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  return new Error(REFUSALS[error.code ?? ""]?.(port, host) ?? error.message, { cause: error });
}

/** @throws Error as `listenError` makes it */
export function listenOn(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenError(error, port, host)));
    server.listen(port, host, resolve);
  });
}
