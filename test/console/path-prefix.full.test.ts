import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startOidcProvider, type RunningOidcProvider } from "../oidc/start-provider.ts";
import { tokenOf, PASSWORD } from "../people/visitor.ts";
import { runTollgate } from "../support/gateway/run-tollgate.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { keyPage, namedByPage, page } from "./built-files.ts";

/** The public URL. Nothing listens on that port: requests go to the platform's own port. */
const PUBLISHED = "http://127.0.0.1:1/tools/tollgate";

let provider: RunningOidcProvider;
let gateway: RunningGateway;
beforeAll(async () => {
  provider = await startOidcProvider();
  gateway = await startGateway({
    env: {
      TOLLGATE_PLATFORM_URL: `${PUBLISHED}/`,
      TOLLGATE_OIDC_ISSUER: provider.issuer,
      TOLLGATE_OIDC_CLIENT_ID: provider.publicClientId,
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});

const call = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${gateway.platformUrl}${path}`, { redirect: "manual", ...init });

const cookieOf = ({ headers }: Response, name: string): string | undefined =>
  headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}=;`));

describe("under a path prefix, whether the proxy strips or keeps it", () => {
  for (const prefix of ["", "/tools/tollgate"]) {
    test(`pages and the API work with the prefix ${prefix === "" ? "stripped" : "kept"}`, async () => {
      for (const path of ["/", "/models/team%2Fllama", "/keys/"]) {
        const response = await call(`${prefix}${path}`);
        expect([path, response.status, await response.text()]).toEqual([path, 200, page.replaceAll("%BASE%", "/tools/tollgate")]);
      }
      const ofKey = await call(`${prefix}/key`);
      expect([ofKey.status, await ofKey.text()]).toEqual([
        200,
        keyPage.replaceAll("%BASE%", "/tools/tollgate").replace("%GATEWAY%", gateway.baseUrl),
      ]);
      for (const name of namedByPage) expect((await call(`${prefix}/assets/${name}`)).status).toBe(200);
      expect((await call(`${prefix}/api/sign-in/methods`)).status).toBe(200);
      expect((await call(`${prefix}/api/me`)).status).toBe(401);
      expect((await call(`${prefix}/nothing`)).status).toBe(404);
      expect((await call(`${prefix}/api/keys`, { method: "DELETE" })).status).toBe(405);
    });
  }

  test("the bare prefix is the first page, and similar paths return 404", async () => {
    expect((await call("/tools/tollgate")).status).toBe(200);
    for (const path of ["/tools", "/tools/tollgatex/", "/tollgate/", "/tools/tollgate/tools/tollgate/"]) {
      expect([path, (await call(path)).status]).toEqual([path, 404]);
    }
  });
});

test("the session cookie is specific to this gateway, and its pages may make changes", async () => {
  const own = { "x-tollgate-request": "page", "content-type": "application/json", origin: new URL(PUBLISHED).origin };
  const body = JSON.stringify({ token: tokenOf(gateway.signInUrl!), email: "ada@example.test", name: "Ada", password: PASSWORD });
  const accepted = await call("/tools/tollgate/api/invitations/accept", { method: "POST", headers: own, body });
  const cookie = cookieOf(accepted, "tollgate_session.tools.tollgate")!;
  expect(cookie).toContain("; Path=/; HttpOnly; SameSite=Lax");
  const renamed = JSON.stringify({ name: "Ada Lovelace" });
  const headers = { ...own, cookie: cookie.split(";")[0]! };
  expect((await call("/tools/tollgate/api/me", { method: "PATCH", headers, body: renamed })).status).toBe(200);
});

test("sign-in, invitation and feed links contain the prefix", async () => {
  expect(gateway.signInUrl).toStartWith(`${PUBLISHED}/welcome#`);
  const wanted = { email: "bob@example.test", name: "Bob", role: "operator" };
  const { invitation } = await gateway.platform<{ invitation: { url: string } }>("POST", "/api/people", wanted);
  expect(invitation.url).toStartWith(`${PUBLISHED}/welcome#`);
  const feed = await call("/api/changelog.atom", { headers: { authorization: `Bearer ${gateway.operatorToken}` } });
  expect(await feed.text()).toContain(`<link rel="self" href="${PUBLISHED}/api/changelog.atom"/>`);
});

test("OpenID Connect redirects back to the prefix", async () => {
  const wanted = { email: "eve@example.test", name: "Eve", role: "operator" };
  await gateway.platform("POST", "/api/people", wanted);
  const begun = await call("/tools/tollgate/api/sign-in/oidc");
  const pending = cookieOf(begun, "tollgate_oidc.tools.tollgate")!;
  expect(pending).toContain("; Path=/tools/tollgate/api/sign-in/oidc; ");
  const back = await provider.signInAs(begun.headers.get("location")!, { sub: "eve", email: "eve@example.test", email_verified: true });
  expect(back).toStartWith(`${PUBLISHED}/api/sign-in/oidc/callback?`);
  const cookie = pending.split(";")[0]!;
  const finished = await call(back.slice("http://127.0.0.1:1".length), { headers: { cookie } });
  expect([finished.status, finished.headers.get("location")]).toEqual([302, "/tools/tollgate/"]);
  expect(cookieOf(finished, "tollgate_session.tools.tollgate")).toBeDefined();
  const failed = await call("/tools/tollgate/api/sign-in/oidc/callback");
  expect(failed.headers.get("location")).toBe("/tools/tollgate/#sign_in_failed");
});

test("the command line works with the prefix", async () => {
  const { code, stdout } = await runTollgate(gateway, ["whoami", "--json"], {
    env: { TOLLGATE_PLATFORM_URL: `${gateway.platformUrl}/tools/tollgate` },
  });
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ role: "operator" }) as object]);
  const nowhere = await runTollgate(gateway, ["whoami"], { env: { TOLLGATE_PLATFORM_URL: PUBLISHED } });
  expect(nowhere.stderr).toContain(`no gateway is reachable at ${PUBLISHED} `);
});
