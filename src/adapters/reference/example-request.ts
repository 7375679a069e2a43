import type { Site } from "../../domain/site.ts";
import type { Operation } from "../../operation.ts";

/** An example of an operation as a request: the address with its query, and the body or null. */
export function exampleRequest({ rest }: Operation, example: Readonly<Record<string, unknown>>, site: Site) {
  const fields = Object.entries(example).filter(([name]) => !rest.path.includes(`{${name}}`));
  const path = rest.path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(example[name])),
  );
  const inQuery = rest.method === "GET";
  const query = new URLSearchParams(
    inQuery ? fields.map(([name, value]): [string, string] => [name, String(value)]) : [],
  );
  return {
    address: `${site.api}${path}${query.size === 0 ? "" : `?${query}`}`,
    body: inQuery || fields.length === 0 ? null : Object.fromEntries(fields),
  };
}
