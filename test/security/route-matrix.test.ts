import { afterAll, beforeAll, expect, test } from "bun:test";
import { gatewayEndpoints } from "../../src/gateway/app.ts";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { operations } from "../../src/platform/operations.ts";
import type { Platform } from "../../src/platform/platform.ts";
import { credentialCases, type CredentialCase } from "./credential-cases.ts";
import { startCredentials, type AllCredentials } from "./credentials.ts";
import { GATEWAY_ROUTES, PLATFORM_ROUTES, splitRoute, type Needs } from "./expected-access.ts";
import { isLong } from "../support/long.ts";
import { FOREIGN_HOSTS, NO_HOSTS, NO_PATHS, repeatedSlashesOf, spellingsOf } from "./path-tricks.ts";
import { askAll, type RawReply, type RawRequest } from "./raw-connection.ts";

/** The error codes of a guard that rejects a call. With any other response, the operation has run. */
const REFUSALS = new Set([
  "not_signed_in",
  "not_permitted",
  "cross_site_request",
  "misdirected_request",
  "unknown_url",
  "method_not_allowed",
]);

/** One combination, and its expected result. */
interface Combination extends RawRequest {
  readonly name: string;
  readonly expected: string;
}

let cast: AllCredentials;
let cases: CredentialCase[];
beforeAll(async () => {
  cast = await startCredentials();
  cases = credentialCases(cast);
}, 300_000);
afterAll(() => cast.gateway.stop());

const routesOf = (list: readonly { readonly method: string; readonly path: string }[]): string[] =>
  list.map(({ method, path }) => `${method} ${path}`).toSorted();

/** Sends all combinations, and returns those with an unexpected result. */
async function findSurprises(url: string, combinations: readonly Combination[]): Promise<string[]> {
  const surprises: string[] = [];
  await askAll(url, combinations, ({ name, expected }, reply) => {
    const verdict = verdictOf(reply);
    if (verdict !== expected) surprises.push(`${name}: ${verdict}, not ${expected}`);
    if (reply.headers.has("access-control-allow-origin") && url === cast.gateway.platformUrl)
      surprises.push(`${name}: open to other origins`);
  });
  return surprises;
}

function verdictOf(reply: RawReply): string {
  const { status, code } = reply;
  if (isNotHttp(reply)) return "not HTTP";
  if (status === 0 || status >= 500) return `failed with ${status} ${code}`;
  return REFUSALS.has(code) || code === "invalid_api_key" ? code : "allowed";
}

/** Whether the text was not a valid HTTP request. */
function isNotHttp({ status, text }: RawReply): boolean {
  return status === 400 && text.includes("This is not a valid HTTP request");
}

/** The expected result of the guard, derived from the table written by hand and from the validity of the credential. */
function expectedOf(needs: Needs, method: string, { who, isForeign, headers }: CredentialCase): string {
  if (isForeign && method !== "GET") return "cross_site_request";
  if (needs === "anyone") return "allowed";
  if (!who) return "not_signed_in";
  if (who.isSession && method !== "GET" && !("x-tollgate-request" in headers)) return "cross_site_request";
  if (needs === "signed-in") return "allowed";
  if (needs === "operator token") return who.isOperatorToken ? "allowed" : "not_permitted";
  if (needs === "session") return who.isSession ? "allowed" : "not_permitted";
  const [role, scope] = needs.split(" with ");
  const isOfRole = role === "member" || who.role === "operator";
  return isOfRole && who.scopes.some((own) => own === scope) ? "allowed" : "not_permitted";
}

test("the handwritten table lists exactly the existing routes", () => {
  expect(routesOf(operations({} as Platform))).toEqual(Object.keys(PLATFORM_ROUTES).toSorted());
  expect(routesOf(gatewayEndpoints({} as Gateway))).toEqual(Object.keys(GATEWAY_ROUTES).toSorted());
});

test("every route allows or rejects every credential of every role as listed", async () => {
  const combinations = Object.entries(PLATFORM_ROUTES).flatMap(([route, needs], row) =>
    casesFor(route, needs, row).map((credentialCase): Combination => {
      const { method, path } = splitRoute(route);
      // There is no file with this name. The error is the same as for an unknown path.
      const expected = route === "GET /assets/:file" ? "unknown_url" : expectedOf(needs, method, credentialCase);
      return {
        name: `${route} with ${credentialCase.name}`,
        method,
        path: path + (credentialCase.query ?? ""),
        headers: credentialCase.headers,
        expected,
      };
    }),
  );
  const changesBefore = await countChanges();
  expect(
    await findSurprises(
      cast.gateway.platformUrl,
      combinations.filter((each) => !isEnding(each)),
    ),
  ).toEqual([]);
  const endings = combinations.filter(isEnding);
  expect(endings).toHaveLength(6);
  expect(await findSurprises(cast.gateway.platformUrl, endings)).toEqual([]);
  expect(combinations.length).toBeGreaterThan(isLong ? 5000 : 2500);
  process.stdout.write(`${combinations.length} combinations: ${Object.keys(PLATFORM_ROUTES).length} routes, ${cases.length} cases\n`);
  // None of them has changed anything, except that calls with a session have signed out where they could.
  expect(await countChanges()).toBe(changesBefore + endings.length);
}, 300_000);

test("no platform credential works on the gateway, and no listener has routes of the other", async () => {
  const { baseUrl, platformUrl } = cast.gateway;
  const atGateway = Object.entries(GATEWAY_ROUTES).flatMap(([route, needs]) =>
    cases.map((credentialCase): Combination => {
      const isOpen = needs === "anyone" || credentialCase.name === "model key";
      return { ...splitRoute(route), ...named(route, credentialCase), expected: isOpen ? "allowed" : "invalid_api_key" };
    }),
  );
  expect(await findSurprises(baseUrl, atGateway)).toEqual([]);
  expect(await findSurprises(baseUrl, astray(PLATFORM_ROUTES))).toEqual([]);
  expect(await findSurprises(platformUrl, astray(GATEWAY_ROUTES))).toEqual([]);
});

test("the platform rejects an unknown Host header, even with a valid credential", async () => {
  const combinations = Object.keys(PLATFORM_ROUTES).flatMap((route, row) =>
    [...FOREIGN_HOSTS, ...NO_HOSTS].flatMap((host, column) =>
      inTurn(row + column, sampleOf("operator token", "operator session, from another origin", "member token with all scopes")).map(
        (credentialCase): Combination => {
          const { name, headers } = named(route, credentialCase);
          // The origin of a page is the host that its browser knows: a rebound name is its own origin.
          const rebound = "origin" in headers ? { origin: `http://${host}` } : {};
          return {
            ...splitRoute(route),
            name: `${name} at ${host}`,
            headers: { ...headers, ...rebound, host },
            expected: NO_HOSTS.some((none) => none === host) ? "not HTTP" : "misdirected_request",
          };
        },
      ),
    ),
  );
  expect(await findSurprises(cast.gateway.platformUrl, combinations)).toEqual([]);
  const [operator] = sampleOf("operator token");
  const own = ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8701"].map((host): Combination => {
    const headers = { ...operator!.headers, host };
    return { name: host, method: "GET", path: "/api/me", headers, expected: "allowed" };
  });
  expect(await findSurprises(cast.gateway.platformUrl, own)).toEqual([]);
});

test("an unsupported method is a 405, and an unlisted path a 404", async () => {
  const changesBefore = await countChanges();
  const paths = [...new Set(Object.keys(PLATFORM_ROUTES).map((route) => route.split(" ")[1]!))];
  const wrong = paths.flatMap((pattern) =>
    ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]
      .filter((method) => !(`${method} ${pattern}` in PLATFORM_ROUTES))
      .map((method) => ({ ...splitRoute(`${method} ${pattern}`), name: `${method} ${pattern}` })),
  );
  const nowhere = NO_PATHS.flatMap((path) => ["GET", "POST", "DELETE"].map((method) => ({ method, path, name: `${method} ${path}` })));
  const surprises: string[] = [];
  // A path such as /api/keys/revoke also matches /api/keys/:id as an ID: then nothing is found, or the operation is only for operators.
  for (const { headers } of sampleOf("nothing", "member token with all scopes", "operator token")) {
    await askAll(
      cast.gateway.platformUrl,
      [...wrong, ...nowhere].map((each) => withBody({ ...each, headers })),
      ({ name }, { status, code }) => {
        const asId = /\/api\/(keys\/revoke|instances\/restart)$/.test(name) ? ["unknown_key", "unknown_instance", "not_permitted"] : [];
        if (!["method_not_allowed", "unknown_url", "not_signed_in", ...asId].includes(code)) surprises.push(`${name}: ${status} ${code}`);
      },
    );
  }
  expect(surprises).toEqual([]);
  expect(await countChanges()).toBe(changesBefore);
});

test("HEAD is allowed where GET is, and nowhere else", async () => {
  const gets = Object.entries(PLATFORM_ROUTES).filter(([route]) => route.startsWith("GET "));
  const surprises: string[] = [];
  const heads = gets.flatMap(([route, needs]) =>
    sampleOf("nothing", "member token with all scopes", "operator token").map((credentialCase) => {
      const { name, headers } = named(route, credentialCase);
      return { method: "HEAD", path: splitRoute(route).path, name, headers, expected: expectedOf(needs, "GET", credentialCase) };
    }),
  );
  await askAll(cast.gateway.platformUrl, heads, ({ name, expected }, { status }) => {
    const wanted = { not_signed_in: 401, not_permitted: 403 }[expected];
    if (wanted === undefined ? status === 401 || status === 403 || status >= 500 : status !== wanted) surprises.push(`${name}: ${status}`);
  });
  expect(surprises).toEqual([]);
});

test("no alternative spelling of a path bypasses its permission check", async () => {
  const changesBefore = await countChanges();
  const spelled = Object.entries(PLATFORM_ROUTES).flatMap(([route, needs], row) => {
    const [method, pattern] = route.split(" ") as [string, string];
    return spellingsOf(pattern).flatMap((path, column) =>
      inTurn(row + column, sampleOf("nothing", "member token with all scopes", "operator token")).map((credentialCase) => {
        const expected = expectedOf(needs, method, credentialCase);
        return withBody({ method, path, headers: credentialCase.headers, expected, name: `${method} ${path} with ${credentialCase.name}` });
      }),
    );
  });
  const surprises: string[] = [];
  await askAll(cast.gateway.platformUrl, spelled, ({ name, expected }, reply) => {
    const { status, code } = reply;
    // A path that is read as an ID finds nothing; text that is not a valid path is not a valid request.
    const isRefused = REFUSALS.has(code) || code.startsWith("unknown_") || isNotHttp(reply);
    if (status === 0 || status >= 500 || (expected !== "allowed" && !isRefused)) surprises.push(`${name}: ${status} ${code}`);
  });
  expect(surprises).toEqual([]);
  expect(await countChanges()).toBe(changesBefore);
});

test("a path with repeated slashes is a 404, also for operators", async () => {
  const operator = sampleOf("operator token")[0]!;
  const requests = (routes: object): (RawRequest & { name: string })[] =>
    Object.keys(routes).flatMap((route) => {
      const [method, pattern] = route.split(" ") as [string, string];
      return repeatedSlashesOf(pattern).map((path) => withBody({ method, path, headers: operator.headers, name: `${method} ${path}` }));
    });
  const surprises: string[] = [];
  const collect = ({ name }: { name: string }, { status, code }: RawReply): void => {
    if (status !== 404 || code !== "unknown_url") surprises.push(`${name}: ${status} ${code}`);
  };
  await askAll(cast.gateway.platformUrl, requests(PLATFORM_ROUTES), collect);
  await askAll(new URL(cast.gateway.baseUrl).origin, requests(GATEWAY_ROUTES), collect);
  expect(surprises).toEqual([]);
});

/** Adds a body that every operation accepts or finds incomplete, so that errors in it are found after the guard. */
function withBody<R extends RawRequest>(request: R): R & RawRequest {
  if (request.method === "GET") return request;
  return { ...request, headers: { ...request.headers, "content-type": "application/json" }, body: "{}" };
}

/** Whether the call ends the session that it is sent with: then it must be the last call. */
function isEnding({ path, expected }: Combination): boolean {
  return path === "/api/sign-out" && expected === "allowed";
}

/** Sends these routes to a listener that does not have them. */
function astray(routes: object): Combination[] {
  const comers = sampleOf("nothing", "model key", "operator token", "operator session without the header");
  return Object.keys(routes).flatMap((route) =>
    comers.map((credentialCase) => ({ ...splitRoute(route), ...named(route, credentialCase), expected: "unknown_url" })),
  );
}

/**
 * All sessions, and the tokens with and without the scope that a route needs. Of the invalid credentials, and of tokens with other scopes,
 * every fourth in turn.
 */
function casesFor(route: string, needs: Needs, row: number): readonly CredentialCase[] {
  if (isLong || route.endsWith("/api/sign-out")) return cases;
  const scope = needs.split(" with ")[1];
  return cases.filter(({ name, who }, column) => {
    const itsScope = / token with (?:(\S+) alone|all but (\S+))$/.exec(name);
    const isDecisive = itsScope ? (itsScope[1] ?? itsScope[2]) === scope : who !== undefined;
    return isDecisive || (row + column) % 4 === 0;
  });
}

/** One of them in turn; in the long run all of them. */
function inTurn<T>(at: number, all: readonly T[]): readonly T[] {
  return isLong ? all : [all[at % all.length]!];
}

function sampleOf(...names: readonly string[]): CredentialCase[] {
  return names.map((name) => cases.find((credentialCase) => credentialCase.name === name)!);
}

function named(route: string, { name, headers }: CredentialCase): Pick<Combination, "name" | "headers"> {
  return { name: `${route} with ${name}`, headers };
}

async function countChanges(): Promise<number> {
  const { data } = await cast.gateway.platform<{ data: { id: number }[] }>("GET", "/api/audit-log?limit=1");
  return data[0]!.id;
}
