import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose";

/**
 * The token endpoint, the Security Token Service, the IAM credentials service and the metadata server of Google, for tests. They are as strict as
 * documented: https://developers.google.com/identity/protocols/oauth2/service-account, https://cloud.google.com/iam/docs/reference/sts/rest,
 * https://cloud.google.com/iam/docs/reference/credentials/rest, https://cloud.google.com/compute/docs/metadata/querying-metadata
 */
export interface GoogleCloud {
  readonly origin: string;
  /** The variables that redirect Google's endpoints to the double. */
  readonly variables: Readonly<Record<string, string>>;
  /** The paths of the requests that were answered with an access token. */
  readonly served: readonly string[];
  /** The number of requests so far. */
  requests(): number;
  /** Whether this access token is valid now. */
  accepts(authorization: string | null): boolean;
  /** Every access token that a caller has used. */
  readonly used: ReadonlySet<string>;
  /** A proof of the workload, as its identity provider issues it. */
  subjectToken(expiresInSeconds?: number): Promise<string>;
  /** The expiry time of the last access token. */
  lastExpiryMs(): number;
  stop(): Promise<void>;
}

export const EMAIL = "gateway@acme-prod.iam.gserviceaccount.com";
export const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
export const AUDIENCE = "//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/pool/providers/cluster";
export const JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt";
export const AWS_TYPE = "urn:ietf:params:aws:token-type:aws4_request";
export const IMPERSONATION_URL = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${EMAIL}:generateAccessToken`;
const ISSUER = "https://cluster.example";

const account = generateKeyPairSync("rsa", { modulusLength: 2048 });
const provider = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** A key file of the service account. */
export function keyFile(changes: object = {}, privateKey: KeyObject = account.privateKey): string {
  return JSON.stringify({
    type: "service_account",
    project_id: "acme-prod",
    private_key_id: "key-1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    client_email: EMAIL,
    client_id: "1234",
    token_uri: "https://oauth2.googleapis.com/token",
    universe_domain: "googleapis.com",
    ...changes,
  });
}

/** A configuration of workload identity federation. */
export function federationFile(source: object, changes: object = {}): string {
  return JSON.stringify({
    type: "external_account",
    audience: AUDIENCE,
    subject_token_type: JWT_TYPE,
    token_url: "https://sts.googleapis.com/v1/token",
    credential_source: source,
    ...changes,
  });
}

export interface CloudSettings {
  /** The lifetime of access tokens. */
  readonly lifetimeSeconds?: number;
  /** How far this clock is ahead of the machine's clock. */
  readonly clockOffsetMs?: number;
  /** Why AWS rejects a proof; undefined if it is valid. Without this function, proofs are from the identity provider. */
  readonly problemAtAws?: (proof: string) => Promise<string | undefined>;
}

export function startGoogleCloud(settings: CloudSettings = {}): GoogleCloud {
  const { clockOffsetMs = 0, lifetimeSeconds: lifetime = 3600, problemAtAws } = settings;
  const issued = new Map<string, { readonly expiresMs: number; readonly isFederated: boolean }>();
  const assertions = new Set<string>();
  const used = new Set<string>();
  const served: string[] = [];
  let requests = 0;
  const nowMs = (): number => Date.now() + clockOffsetMs;

  function issue(path: string, isFederated = false, seconds = lifetime): string {
    const token = `ya29.canary-${crypto.randomUUID()}`;
    issued.set(token, { expiresMs: nowMs() + seconds * 1000, isFederated });
    served.push(path);
    return token;
  }

  async function grant(request: Request): Promise<Response> {
    const form = await formOf(request, ["grant_type", "assertion"]);
    if (form["grant_type"] !== "urn:ietf:params:oauth:grant-type:jwt-bearer")
      return oauthError("unsupported_grant_type", "Invalid grant_type");
    const assertion = form["assertion"] ?? "";
    const problem = await problemOfAssertion(assertion, nowMs());
    if (problem !== undefined) return oauthError("invalid_grant", problem);
    if (assertions.has(assertion)) return oauthError("invalid_grant", "Invalid JWT: it was used before.");
    assertions.add(assertion);
    return Response.json({ access_token: issue("/token"), expires_in: lifetime, token_type: "Bearer" });
  }

  async function problemOfJwt(subject: string): Promise<string | undefined> {
    const currentDate = new Date(nowMs());
    const key = createPublicKey(provider.privateKey);
    const expected = { issuer: ISSUER, audience: `https:${AUDIENCE}`, currentDate };
    const verified = await jwtVerify(subject, key, expected).catch((error: unknown) => error as Error);
    return verified instanceof Error ? `The ID Token is expired or invalid: ${subject}` : undefined;
  }

  async function exchange(request: Request): Promise<Response> {
    const names = ["audience", "grant_type", "requested_token_type", "scope", "subject_token", "subject_token_type"];
    const { subject_token: subject = "", ...fields } = await formOf(request, names);
    const expected = {
      audience: AUDIENCE,
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
      scope: SCOPE,
      subject_token_type: problemAtAws ? AWS_TYPE : JWT_TYPE,
    };
    if (!Bun.deepEquals(fields, expected)) return oauthError("invalid_request", `Invalid fields: ${Object.keys(fields).join(" ")}`);
    const problem = await (problemAtAws ?? problemOfJwt)(subject);
    if (problem !== undefined) return oauthError("invalid_grant", problem);
    const token = issue("/v1/token", true);
    return Response.json({
      access_token: token,
      issued_token_type: expected.requested_token_type,
      token_type: "Bearer",
      expires_in: lifetime,
    });
  }

  async function impersonate(request: Request, email: string): Promise<Response> {
    const caller = issued.get(tokenIn(request.headers.get("authorization")));
    if (!caller?.isFederated || caller.expiresMs <= nowMs()) return googleError(401, "UNAUTHENTICATED", "Request had invalid credentials.");
    if (email !== EMAIL) {
      return googleError(
        403,
        "PERMISSION_DENIED",
        "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).",
      );
    }
    const { scope, lifetime: asked, ...rest } = (await request.json()) as Record<string, unknown>;
    const [, seconds] = /^(\d+)s$/.exec(String(asked)) ?? [];
    if (!Bun.deepEquals(scope, [SCOPE]) || seconds === undefined || Object.keys(rest).length > 0) {
      return googleError(400, "INVALID_ARGUMENT", "Request contains an invalid argument.");
    }
    const granted = Math.min(Number(seconds), lifetime);
    const accessToken = issue("generateAccessToken", false, granted);
    return Response.json({ accessToken, expireTime: new Date(nowMs() + granted * 1000).toISOString() });
  }

  function metadata(request: Request, search: string): Response {
    const flavor = { "metadata-flavor": "Google" };
    if (request.headers.has("x-forwarded-for")) return new Response("Forbidden", { status: 403, headers: flavor });
    if (request.headers.get("metadata-flavor") !== "Google") return new Response("Missing Metadata-Flavor:Google header.", { status: 403 });
    if (new URLSearchParams(search).get("scopes") !== SCOPE) return new Response("scopes", { status: 400, headers: flavor });
    return Response.json({ access_token: issue("metadata"), expires_in: lifetime, token_type: "Bearer" }, { headers: flavor });
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      requests++;
      const { pathname, search } = new URL(request.url);
      const answer = async (): Promise<Response> => {
        if (request.method === "POST" && pathname === "/token") return grant(request);
        if (request.method === "POST" && pathname === "/v1/token") return exchange(request);
        const [, email] = /^\/v1\/projects\/-\/serviceAccounts\/([^/:]+):generateAccessToken$/.exec(pathname) ?? [];
        if (request.method === "POST" && email !== undefined) return impersonate(request, decodeURIComponent(email));
        if (request.method === "GET" && pathname === METADATA_PATH) return metadata(request, search);
        return new Response("Not found", { status: 404 });
      };
      const reply = await answer().catch((error: unknown) => oauthError("invalid_request", String(error)));
      reply.headers.set("date", new Date(nowMs()).toUTCString());
      return reply;
    },
  });
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    origin,
    variables: {
      CLOUDSDK_AUTH_TOKEN_HOST: `${origin}/token`,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_STS: `${origin}/`,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS: `${origin}/`,
      GCE_METADATA_HOST: `127.0.0.1:${server.port}`,
    },
    served,
    requests: () => requests,
    used,
    accepts(authorization) {
      const token = tokenIn(authorization);
      const known = issued.get(token);
      if (known) used.add(token);
      return known !== undefined && known.expiresMs > nowMs();
    },
    subjectToken: (expiresInSeconds = 600) =>
      new SignJWT({ sub: "system:serviceaccount:prod:gateway" })
        .setProtectedHeader({ alg: "RS256" })
        .setIssuer(ISSUER)
        .setAudience(`https:${AUDIENCE}`)
        .setExpirationTime(Math.floor(nowMs() / 1000) + expiresInSeconds)
        .sign(provider.privateKey),
    lastExpiryMs: () => [...issued.values()].at(-1)!.expiresMs,
    stop: () => server.stop(true),
  };
}

const METADATA_PATH = "/computeMetadata/v1/instance/service-accounts/default/token";

/** Why Google would reject an assertion, in Google's words. Its clock tolerates some minutes. */
async function problemOfAssertion(assertion: string, nowMs: number): Promise<string | undefined> {
  const options = { issuer: EMAIL, audience: "https://oauth2.googleapis.com/token", currentDate: new Date(nowMs), clockTolerance: 300 };
  const verified = await jwtVerify(assertion, createPublicKey(account.privateKey), { ...options, algorithms: ["RS256"] }).catch(
    (error: unknown) => error as Error & { code: string },
  );
  if (verified instanceof Error) return /SIGNATURE/.test(verified.code) ? "Invalid JWT Signature." : TIMEFRAME;
  const { iat = 0, exp = 0, scope, ...rest } = verified.payload;
  if (exp - iat > 3600 || Math.abs(iat * 1000 - nowMs) > 300_000) return TIMEFRAME;
  if (scope !== SCOPE) return "Invalid OAuth scope.";
  if (Object.keys(rest).toSorted().join(" ") !== "aud iss") return "Invalid JWT: unknown claims.";
  return decodeProtectedHeader(assertion).alg === "RS256" ? undefined : "Invalid JWT: algorithm.";
}

const TIMEFRAME =
  "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.";

/** The fields of a form: exactly these fields, each once. */
async function formOf(request: Request, names: readonly string[]): Promise<Record<string, string>> {
  if (request.headers.get("content-type") !== "application/x-www-form-urlencoded") throw new Error("not a form");
  const form = new URLSearchParams(await request.text());
  if ([...form.keys()].toSorted().join(" ") !== names.toSorted().join(" ")) throw new Error(`fields: ${[...form.keys()].join(" ")}`);
  return Object.fromEntries(form);
}

function tokenIn(authorization: string | null): string {
  return /^Bearer (\S+)$/.exec(authorization ?? "")?.[1] ?? "";
}

function oauthError(error: string, description: string): Response {
  return Response.json({ error, error_description: description }, { status: 400 });
}

export function googleError(code: number, status: string, message: string): Response {
  return Response.json({ error: { code, message, status } }, { status: code });
}
