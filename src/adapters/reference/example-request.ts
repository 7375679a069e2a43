import type { Site } from "../../domain/site.ts";
import type { Operation } from "../../operation.ts";
import { shellJson } from "../text/shell.ts";

/** The first example of an operation as a command, with the key in `BOARD_API_KEY`. */
export function curlOf({ rest, auth, examples }: Operation, site: Site): string {
  const example: Readonly<Record<string, unknown>> = examples[0] ?? {};
  const fields = Object.entries(example).filter(([name]) => !rest.path.includes(`{${name}}`));
  const path = rest.path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(example[name])),
  );
  const isGet = rest.method === "GET";
  const query = new URLSearchParams(
    isGet ? fields.map(([name, value]): [string, string] => [name, String(value)]) : [],
  );
  const hasBody = !isGet && fields.length > 0;
  const implied = isGet || (rest.method === "POST" && hasBody);
  return [
    `curl ${implied ? "" : `-X ${rest.method} `}'${site.api}${path}${query.size === 0 ? "" : `?${query}`}'`,
    ...(auth === "key" ? ['-H "Authorization: Bearer $BOARD_API_KEY"'] : []),
    ...(hasBody
      ? ["-H 'Content-Type: application/json'", `-d ${quotedBody(Object.fromEntries(fields))}`]
      : []),
  ].join(" \\\n  ");
}

const ONE_LINE_CHARS = 90;

/** The body in single quotes for a shell; a long one has a line per field. */
function quotedBody(body: Record<string, unknown>): string {
  const line = shellJson(body);
  if (line.length <= ONE_LINE_CHARS) return line;
  const fields = Object.entries(body).map(([name, value]) => shellJson({ [name]: value }).slice(2, -2));
  return `'{\n    ${fields.join(",\n    ")}\n  }'`;
}
