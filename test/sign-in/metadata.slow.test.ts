import { describe, expect, it } from "vitest";
import { useTestBoard } from "../support/boards/use.ts";

const board = useTestBoard({ SIGN_IN: "on" }, { idle: true });

describe("metadata", () => {
  const documentAt = async (path: string) => {
    const answer = await fetch(`${board.url}/.well-known/oauth-${path}`);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    return answer.json();
  };

  it("says who gives out tokens for the tool server", async () => {
    expect(await documentAt("protected-resource/mcp/me")).toEqual({
      resource: `${board.url}/mcp/me`,
      resource_name: "Agent Board",
      authorization_servers: [board.url],
      scopes_supported: ["board"],
      bearer_methods_supported: ["header"],
      resource_documentation: `${board.url}/docs`,
      resource_tos_uri: `${board.url}/terms`,
    });
  });

  it.each(["authorization-server", "authorization-server/mcp/me"])(
    "says at %s how to get them, and nothing of OpenID",
    async (path) => {
      expect(await documentAt(path)).toEqual({
        issuer: board.url,
        authorization_endpoint: `${board.url}/oauth/authorize`,
        token_endpoint: `${board.url}/oauth/token`,
        registration_endpoint: `${board.url}/oauth/register`,
        revocation_endpoint: `${board.url}/oauth/revoke`,
        scopes_supported: ["board", "offline_access"],
        response_types_supported: ["code"],
        response_modes_supported: ["query", "fragment"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint_auth_methods_supported: ["none"],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        service_documentation: `${board.url}/docs`,
        op_tos_uri: `${board.url}/terms`,
      });
    },
  );

  it("names no keys of OpenID, and none are served", async () => {
    expect((await fetch(`${board.url}/oauth/jwks`)).status).toBe(404);
  });
});
