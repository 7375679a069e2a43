import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const servers: Server[] = [];

/** The address of a server on this machine, until all are closed. */
export async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

export function closeServers(): void {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
}
