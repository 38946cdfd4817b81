import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findProgram } from "../clients/system-program.ts";
import { PASSWORD, tokenOf } from "../people/visitor.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { namedByPage, page } from "./built-files.ts";
import { startNginx, type RunningNginx } from "./nginx.ts";

const PUBLISHED = "https://ops.example.test/tollgate";
const program = findProgram(["nginx", "/usr/sbin/nginx"], "nginx-light");

let gateway: RunningGateway;
let nginx: RunningNginx;
beforeAll(async () => {
  if (!program) return;
  gateway = await startGateway({ env: { TOLLGATE_PLATFORM_URL: PUBLISHED, TOLLGATE_TRUSTED_PROXIES: "127.0.0.1" } });
  const headers = "proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;";
  nginx = await startNginx(
    program,
    `location /tollgate/ { proxy_pass ${gateway.platformUrl}; ${headers} }
     location /stripped/ { proxy_pass ${gateway.platformUrl}/; ${headers} }
     location / { return 404; }`,
  );
});
afterAll(async () => {
  await nginx?.stop();
  await gateway?.stop();
});

describe.skipIf(!program)("behind nginx, configured as documented", () => {
  test("serves the console and its assets, also for an ID with a slash", async () => {
    const expected = page.replaceAll("%BASE%", "/tollgate");
    for (const path of ["/", "/keys", "/models/team%2Fllama"]) {
      const response = await nginx.call(`${PUBLISHED}${path}`);
      expect([path, response.status, await response.text()]).toEqual([path, 200, expected]);
    }
    for (const [, path] of expected.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
      const response = await nginx.call(`https://ops.example.test${path}`, { headers: { "accept-encoding": "br" } });
      expect([path, response.status, response.headers.get("content-encoding")]).toEqual([path, 200, "br"]);
      expect(response.headers.get("cache-control")).toEndWith("immutable");
    }
  });

  test("the first operator signs in with a __Host- cookie, which no sibling domain can set", async () => {
    const link = gateway.signInUrl!;
    expect((await nginx.call(link)).status).toBe(200);
    const headers = { "content-type": "application/json", "x-tollgate-request": "page", origin: "https://ops.example.test" };
    const body = JSON.stringify({ token: tokenOf(link), email: "ada@example.test", name: "Ada", password: PASSWORD });
    const accepted = await nginx.call(`${PUBLISHED}/api/invitations/accept`, { method: "POST", headers, body });
    const [cookie] = accepted.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-tollgate\.tollgate=\S+; Secure; Path=\/; HttpOnly; SameSite=Lax; /);
    const me = await nginx.call(`${PUBLISHED}/api/me`, { headers: { cookie: cookie!.split(";")[0]! } });
    expect(await me.json()).toMatchObject({ person: { name: "Ada" } });
  });

  test("an ID with a slash finds its model", async () => {
    const authorization = `Bearer ${gateway.operatorToken}`;
    const wanted = { id: "team/llama", routes: [{ upstream: "echo", model: "echo" }], free: true };
    await gateway.platform("POST", "/api/models", wanted);
    const found = await nginx.call(`${PUBLISHED}/api/models/team%2Fllama`, { headers: { authorization } });
    expect([found.status, await found.json()]).toEqual([200, expect.objectContaining({ id: "team/llama" }) as object]);
  });

  test("a stripped prefix works too, except that nginx decodes a slash in an ID", async () => {
    for (const name of namedByPage) expect((await nginx.call(`https://ops.example.test/stripped/assets/${name}`)).status).toBe(200);
    expect((await nginx.call("https://ops.example.test/stripped/api/me")).status).toBe(401);
    expect((await nginx.call("https://ops.example.test/stripped/models/team%2Fllama")).status).toBe(404);
  });
});
