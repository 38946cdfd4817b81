import type { AwsCloud } from "./aws-cloud.ts";
import { serveAws, type AwsServer } from "./aws-server.ts";

export const SSO_ACCOUNT = "123456789012";
export const SSO_ROLE = "ModelUser";

/** IAM Identity Center: the portal that hands out the credentials of a role, and the token endpoint that refreshes a session. */
export interface SsoServers extends AsyncDisposable {
  readonly portal: AwsServer;
  readonly oidc: AwsServer;
  /** Creates a session, and returns the content of the `aws sso login` cache file. */
  login(lifetimeMs: number): { accessToken: string; expiresAt: string; refreshToken: string; clientId: string; clientSecret: string };
  endSessions(): void;
}

export function startSso(cloud: AwsCloud): SsoServers {
  const accessTokens = new Map<string, number>();
  const refreshTokens = new Set<string>();
  const client = { clientId: "client-1", clientSecret: "client-secret-1" };
  let count = 0;

  function issue(lifetimeMs: number): { accessToken: string; refreshToken: string; expiresAtMs: number } {
    const accessToken = `access-${++count}`;
    const refreshToken = `refresh-${count}`;
    const expiresAtMs = cloud.nowMs() + lifetimeMs;
    accessTokens.set(accessToken, expiresAtMs);
    refreshTokens.add(refreshToken);
    return { accessToken, refreshToken, expiresAtMs };
  }

  const portal = serveAws(cloud, (request, path) => {
    const url = new URL(request.url);
    if (request.method !== "GET" || !path.startsWith("/federation/credentials?")) return new Response("not found", { status: 404 });
    const expiresAtMs = accessTokens.get(request.headers.get("x-amz-sso_bearer_token") ?? "") ?? 0;
    if (expiresAtMs <= cloud.nowMs()) return Response.json({ message: "Session token not found or invalid" }, { status: 401 });
    const isAssigned = url.searchParams.get("account_id") === SSO_ACCOUNT && url.searchParams.get("role_name") === SSO_ROLE;
    if (!isAssigned) return Response.json({ message: "No access" }, { status: 403 });
    const { accessKeyId, secretAccessKey, sessionToken, expiresAtMs: expiration } = cloud.issue("sso");
    return Response.json({ roleCredentials: { accessKeyId, secretAccessKey, sessionToken, expiration } });
  });

  const oidc = serveAws(cloud, async (request, path) => {
    const refused = Response.json({ error: "invalid_grant", error_description: "Invalid grant" }, { status: 400 });
    if (request.method !== "POST" || path !== "/token") return new Response("not found", { status: 404 });
    if (request.headers.get("content-type") !== "application/json") return new Response("unsupported", { status: 415 });
    const asked = (await request.json()) as Record<string, unknown>;
    const { clientId, clientSecret, grantType, refreshToken } = asked;
    if (clientId !== client.clientId || clientSecret !== client.clientSecret || grantType !== "refresh_token") return refused;
    // A refresh token can be used only once.
    if (typeof refreshToken !== "string" || !refreshTokens.delete(refreshToken)) return refused;
    const next = issue(3_600_000);
    return Response.json({ accessToken: next.accessToken, expiresIn: 3600, refreshToken: next.refreshToken, tokenType: "Bearer" });
  });

  return {
    portal,
    oidc,
    login(lifetimeMs) {
      const { accessToken, refreshToken, expiresAtMs } = issue(lifetimeMs);
      return { accessToken, expiresAt: new Date(expiresAtMs).toISOString(), refreshToken, ...client };
    },
    endSessions() {
      accessTokens.clear();
      refreshTokens.clear();
    },
    async [Symbol.asyncDispose]() {
      await portal[Symbol.asyncDispose]();
      await oidc[Symbol.asyncDispose]();
    },
  };
}
