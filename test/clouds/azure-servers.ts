import { isRefusal, RESOURCE, type AzureCloud, type EntraRefusal } from "./azure-cloud.ts";

/** A request that a double has received, without the parts that differ each time. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The headers that matter to the service. */
  readonly headers: Readonly<Record<string, string | null>>;
  readonly form: Readonly<Record<string, unknown>>;
}

/** A double of an Azure service, on loopback. */
export interface AzureServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Whether the double fails with 503. */
  isDown: boolean;
}

/** Headers in which the official library names itself, and traces its requests. */
const OF_LIBRARY = /^x-client-|^x-ms-|^client-request-id$/;

/** A double of Entra ID. The official library signs assertions for the real host, and a test redirects its requests to this double. */
export function startEntra(cloud: AzureCloud): AzureServer {
  const server = serve(cloud, ["content-type"], async (request, { pathname }) => {
    const [, tenant, ...rest] = pathname.split("/");
    if (request.method !== "POST" || rest.join("/") !== "oauth2/v2.0/token") return new Response("not found", { status: 404 });
    if (!/^application\/x-www-form-urlencoded\b/.test(request.headers.get("content-type") ?? "")) return new Response("", { status: 415 });
    const endpoints = [server.url, "https://login.microsoftonline.com"].map((origin) => origin + pathname);
    const verdict = cloud.authenticate(new URLSearchParams(await request.text()), decodeURIComponent(tenant!), endpoints);
    if (isRefusal(verdict)) return refuse(verdict);
    const { token } = cloud.issue(verdict.clientId);
    const seconds = cloud.lifetimeMs / 1000;
    return Response.json({ token_type: "Bearer", expires_in: seconds, ext_expires_in: seconds, access_token: token });
  });
  return server;
}

/** The metadata service of a virtual machine, with a system-assigned identity and others by their client IDs. */
export function startAzureMetadata(cloud: AzureCloud, others: readonly string[]): AzureServer {
  return serve(cloud, ["metadata"], (request, { pathname, searchParams }) => {
    // The official library adds a slash if a variable names the host.
    if (request.method !== "GET" || !/^\/metadata\/identity\/oauth2\/token\/?$/.test(pathname)) return new Response("", { status: 404 });
    // Detects requests that another party sends through a proxy, or without knowing their target.
    const isOwn = request.headers.get("metadata") === "true" && !request.headers.has("x-forwarded-for");
    if (!isOwn) return imdsError("Required metadata header not specified");
    if (searchParams.get("api-version") !== "2018-02-01") return imdsError("The requested version is not supported");
    return issueManaged(cloud, searchParams, others) ?? imdsError("Identity not found");
  });
}

/** The endpoint of App Service, with the header from its environment. */
export function startAppService(cloud: AzureCloud, others: readonly string[], header: string): AzureServer {
  return serve(cloud, ["x-identity-header"], (request, { pathname, searchParams }) => {
    const isKnown = request.method === "GET" && pathname === "/msi/token" && searchParams.get("api-version") === "2019-08-01";
    if (!isKnown) return new Response("", { status: 404 });
    if (request.headers.get("x-identity-header") !== header)
      return Response.json({ statusCode: 401, message: "Unauthorized" }, { status: 401 });
    const missing = { statusCode: 400, message: "No User Assigned or Delegated Managed Identity found for specified ClientId." };
    return issueManaged(cloud, searchParams, others) ?? Response.json(missing, { status: 400 });
  });
}

/** Azure OpenAI with Entra ID: it requires a valid access token, and no key. */
export function startAzureOpenAI(cloud: AzureCloud, answer: (body: Record<string, unknown>, path: string) => Response): AzureServer {
  return serve(cloud, ["authorization", "api-key"], async (request, { pathname }) => {
    const [, token] = /^Bearer (\S+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
    if (token === undefined || !cloud.isValid(token) || request.headers.has("api-key")) {
      return Response.json(
        { error: { code: "401", message: "Unauthorized. Access token is missing, invalid, or expired." } },
        { status: 401 },
      );
    }
    return answer((await request.json()) as Record<string, unknown>, pathname);
  });
}

/** The same access token until shortly before its expiry, with the expiry time as text. */
function issueManaged(cloud: AzureCloud, query: URLSearchParams, others: readonly string[]): Response | undefined {
  const clientId = query.get("client_id");
  if (query.get("resource") !== RESOURCE || (clientId !== null && !others.includes(clientId))) return undefined;
  const { token, expiresAtMs } = cloud.issue(clientId ?? "machine");
  return Response.json({
    access_token: token,
    expires_on: String(Math.floor(expiresAtMs / 1000)),
    resource: RESOURCE,
    token_type: "Bearer",
  });
}

function imdsError(description: string): Response {
  return Response.json({ error: "invalid_request", error_description: description }, { status: 400 });
}

function refuse({ status, error, code, message }: EntraRefusal): Response {
  const description = `AADSTS${code}: ${message} Trace ID: 0 Correlation ID: 0 Timestamp: 2026-01-01 00:00:00Z`;
  return Response.json({ error, error_description: description, error_codes: [code] }, { status });
}

type Answer = (request: Request, url: URL) => Response | Promise<Response>;

/** Every reply has the date of the cloud's clock. */
function serve(cloud: AzureCloud, headers: readonly string[], answer: Answer): AzureServer {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request): Promise<Response> {
      const url = new URL(request.url);
      double.seen.push(await describe(request.clone() as Request, url, headers));
      const response = double.isDown ? new Response("down", { status: 503 }) : await answer(request, url);
      response.headers.set("date", new Date(cloud.nowMs()).toUTCString());
      return response;
    },
  });
  const double: AzureServer = {
    url: `http://127.0.0.1:${server.port}`,
    seen: [],
    isDown: false,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return double;
}

async function describe(request: Request, url: URL, names: readonly string[]): Promise<SeenRequest> {
  const isForm = (request.headers.get("content-type") ?? "").includes("form-urlencoded") && request.method === "POST";
  const form: Record<string, string> = isForm ? withoutTraces(new URLSearchParams(await request.text())) : {};
  const { client_assertion: assertion } = form;
  const headers = Object.fromEntries(names.map((name) => [name, request.headers.get(name)]));
  return {
    method: request.method,
    path: url.pathname.replace(/\/$/, ""),
    query: withoutTraces(url.searchParams),
    headers,
    form: assertion === undefined ? form : { ...form, client_assertion: describeAssertion(assertion) },
  };
}

function withoutTraces(fields: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...fields].filter(([name]) => !OF_LIBRARY.test(name)));
}

/** The header and the claims of a signed assertion, with times relative to the assertion's own time, and without its ID. */
function describeAssertion(assertion: string): unknown {
  const [header, claims] = assertion.split(".").map((part) => Buffer.from(part, "base64url").toString());
  if (!header?.startsWith("{")) return assertion;
  const { aud, jti, iat, nbf, exp, ...rest } = JSON.parse(claims!) as Record<string, unknown>;
  // The library reads the clock twice.
  const relative = { isAtOnce: Math.abs(Number(nbf) - Number(iat)) <= 1, exp: Number(exp) - Number(nbf) };
  return { header: JSON.parse(header) as unknown, aud: new URL(String(aud)).pathname, jti: typeof jti, ...relative, ...rest };
}
