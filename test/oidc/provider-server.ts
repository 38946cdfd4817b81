/**
 * A real OpenID provider for tests, as a separate program. It prints its port, and signs in everyone without a password. Its page at
 * `/interaction/…` accepts the claims of a person as JSON, or a cancellation.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { AccountClaims, Provider } from "oidc-provider";

// The package warns that Bun is not Node, and that some of its calls are deprecated in Node. The tests show that it works nevertheless.
Object.assign(console, { warn: () => undefined });
process.noDeprecation = true;
const { Provider: OidcProvider } = await import("oidc-provider");

const PAGE = `<!doctype html><title>Who are you?</title>
<form method="post"><input name="claims"><button>Sign in</button></form>
<form method="post"><input name="refuse" type="hidden"><button>Refuse</button></form>`;

const people = new Map<string, AccountClaims>();

const server = createServer((request, response) => void answer(request, response));
await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;
const issuer = `http://127.0.0.1:${port}`;
const provider = makeProvider();
const callback = provider.callback();
process.stdout.write(`${JSON.stringify({ port })}\n`);

function makeProvider(): Provider {
  const made = new OidcProvider(issuer, {
    clients: [
      { client_id: "tollgate", client_secret: "client-secret-canary", redirect_uris: ["http://127.0.0.1/callback"] },
      { client_id: "tollgate-public", token_endpoint_auth_method: "none", redirect_uris: ["http://127.0.0.1/callback"] },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    cookies: { keys: ["a key of this provider"] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => people.get(sub)! }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  // The gateway under test gets its port from the system, and the provider starts before it. So any path on 127.0.0.1 is accepted.
  made.Client.prototype.redirectUriAllowed = (url) => new URL(url).hostname === "127.0.0.1";
  return made;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!request.url!.startsWith("/interaction/")) return callback(request, response);
  const form = new URLSearchParams(await bodyOf(request));
  if (form.has("refuse")) {
    return provider.interactionFinished(request, response, { error: "access_denied", error_description: "not today" });
  }
  const claims = JSON.parse(form.get("claims") ?? "null") as AccountClaims | null;
  if (!claims) return void response.setHeader("content-type", "text/html").end(PAGE);
  people.set(claims.sub, claims);
  return provider.interactionFinished(request, response, { login: { accountId: claims.sub } });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const bytes of request) body += String(bytes);
  return body;
}
