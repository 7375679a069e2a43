import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on a free port of 127.0.0.1. */
interface HttpServer {
  /** Such as `http://127.0.0.1:41234`. */
  origin: string;
  /** Ends its connections too; resolves once it is closed. */
  close(): Promise<void>;
}

export async function startHttpServer(handle: RequestListener): Promise<HttpServer> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
