import type { Scope } from "../../src/access/access.ts";
import { Visitor } from "../people/visitor.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";

/** An access token of the first operator with only this scope, created as docs/metrics.md describes. */
export async function makeAccessToken({ platformUrl, signInUrl }: RunningGateway, scopes: readonly Scope[]): Promise<string> {
  const operator = new Visitor(platformUrl);
  await operator.accept(signInUrl!, { email: "ada@example.test", name: "Ada" });
  const expires = new Date(Date.now() + 24 * 3_600_000).toISOString();
  const { body } = await operator.call("POST", "/api/me/access-tokens", { name: "Prometheus", scopes, expires_at: expires });
  return body.token;
}
