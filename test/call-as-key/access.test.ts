import { afterAll, beforeAll, expect, test } from "bun:test";
import { firstOperator, invite, type Visitor } from "../people/visitor.ts";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { RawConnection } from "../security/raw-connection.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { callPlatform, type CreatedKey } from "./both-listeners.ts";

const upstream = startMockUpstream({ "up-chat": () => Response.json(completion()) });
const QUESTION = { model: "chat", messages: [{ role: "user", content: "Who is asking?" }] };

let gateway: RunningGateway;
let ada: Visitor;
let bob: Visitor;
let own: CreatedKey;
let foreign: CreatedKey;

beforeAll(async () => {
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["chat"]) });
  await gateway.platform("POST", "/api/accounts", { id: "theirs", name: "Theirs" });
  own = await gateway.makeKey();
  foreign = await gateway.makeKey(["*"], { account: "theirs" });
  ada = await firstOperator(gateway.platformUrl, gateway.signInUrl!);
  ({ visitor: bob } = await invite(ada, gateway.platformUrl, { email: "bob@example.test" }));
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const pathOf = ({ id }: CreatedKey): string => `/api/keys/${id}/chat/completions`;

test("a member can call as a key of their own account, and as no other", async () => {
  const answered = await bob.call("POST", pathOf(own), QUESTION);
  expect([answered.status, answered.text]).toEqual([200, expect.stringContaining("Hello world") as string]);
  const refused = await bob.call("POST", pathOf(foreign), QUESTION);
  const unknown = await bob.call("POST", pathOf({ id: "nosuchthing0", key: "" }), QUESTION);
  expect([refused.status, refused.body.code]).toEqual([404, "unknown_key"]);
  const withoutIds = (text: string): string => text.replaceAll(/req_[0-9a-f-]{36}/g, "").replaceAll(foreign.id, "nosuchthing0");
  expect(withoutIds(refused.text)).toBe(withoutIds(unknown.text));
});

test("an access token needs keys:write, because calls spend credit", async () => {
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  for (const [scope, status] of [["keys:read", 403] as const, ["keys:write", 200] as const]) {
    const { body } = await bob.call("POST", "/api/me/access-tokens", { name: scope, scopes: [scope], expires_at: expires });
    const asked = await callPlatform(gateway, own, JSON.stringify(QUESTION), { authorization: `Bearer ${body.token}` });
    expect([scope, asked.status]).toEqual([scope, status]);
  }
});

test("a Host header with an invalid port is accepted", async () => {
  const connection = new RawConnection(gateway.platformUrl);
  const headers = { host: "localhost:99999", authorization: `Bearer ${gateway.operatorToken}`, "content-type": "application/json" };
  expect((await connection.ask({ method: "POST", path: pathOf(own), headers, body: JSON.stringify(QUESTION) })).status).toBe(200);
  connection.close();
});

test("calls count against the rate limit for changes of a member", async () => {
  const { visitor: carol } = await invite(ada, gateway.platformUrl, { email: "carol@example.test" });
  const calls = upstream.requests.length;
  const refusals: number[] = [];
  for (let asked = 0; asked < 240; asked += 20) {
    const some = Array.from({ length: 20 }, () => carol.call("POST", pathOf(foreign), QUESTION));
    refusals.push(...(await Promise.all(some)).map(({ status }) => status));
  }
  // On a slow machine a minute may have passed: then the count starts again.
  const more = await Promise.all(Array.from({ length: 241 }, () => carol.call("POST", pathOf(foreign), QUESTION)));
  expect(new Set(refusals)).toEqual(new Set([404]));
  expect(more.map(({ body }) => body.code)).toContain("too_many_attempts");
  expect(upstream.requests).toHaveLength(calls);
});

test("a page of another site cannot call with a person's session", async () => {
  const calls = upstream.requests.length;
  const elsewhere = await bob.call("POST", pathOf(own), QUESTION, { origin: "https://evil.example" });
  expect([elsewhere.status, elsewhere.body.code]).toEqual([403, "cross_site_request"]);
  const headers = { cookie: bob.cookie!, "content-type": "application/json" };
  const response = await fetch(gateway.platformUrl + pathOf(own), { method: "POST", headers, body: JSON.stringify(QUESTION) });
  expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  expect(upstream.requests).toHaveLength(calls);
});

test("a person who is disabled during the upload gets no response", async () => {
  const calls = upstream.requests.length;
  const { visitor: eve, id } = await invite(ada, gateway.platformUrl, { email: "eve@example.test" });
  const connection = new RawConnection(gateway.platformUrl);
  const headers = { cookie: eve.cookie!, "x-tollgate-request": "test", "content-type": "application/json" };
  const rest = await connection.begin({ method: "POST", path: pathOf(own), headers, body: JSON.stringify(QUESTION) });
  await ada.call("GET", "/api/me");
  await ada.call("PATCH", `/api/people/${id}`, { disabled: true });
  connection.send(rest);
  expect((await connection.reply()).code).toBe("not_signed_in");
  connection.close();
  expect((await eve.call("POST", pathOf(own), QUESTION)).status).toBe(401);
  expect(upstream.requests).toHaveLength(calls);
});

test("a key that is revoked during the upload gets no response either", async () => {
  const leaked = await gateway.makeKey();
  const connection = new RawConnection(gateway.platformUrl);
  const headers = { cookie: bob.cookie!, "x-tollgate-request": "test", "content-type": "application/json" };
  const rest = await connection.begin({ method: "POST", path: pathOf(leaked), headers, body: JSON.stringify(QUESTION) });
  await ada.call("GET", "/api/me");
  await ada.call("DELETE", `/api/keys/${leaked.id}`);
  connection.send(rest);
  expect((await connection.reply()).code).toBe("invalid_api_key");
  connection.close();
});

test("neither the cookie nor the token of the platform is forwarded", async () => {
  const tracked = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "openai-organization": "org-canary" };
  await callPlatform(gateway, own, JSON.stringify(QUESTION), tracked);
  const { headers: replied } = await bob.call("POST", pathOf(own), QUESTION, { origin: gateway.platformUrl });
  // The gateway allows every origin to read its replies.
  expect(replied.get("access-control-allow-origin")).toBeNull();
  for (const { headers } of upstream.requests) {
    expect(headers.get("authorization")).toBe("Bearer upstream-credential-canary");
    expect(["cookie", "traceparent", "openai-organization", "x-tollgate-request"].filter((name) => headers.has(name))).toEqual([]);
  }
  const secret = bob.cookie!.split("=")[1]!;
  expect([gateway.output().includes(gateway.operatorToken), gateway.output().includes(secret)]).toEqual([false, false]);
});

test("no request over the gateway's own listener can name a key by its id", async () => {
  for (const headers of [{}, { authorization: `Bearer ${own.id}` }, { authorization: `Bearer ${gateway.operatorToken}` }]) {
    for (const path of ["/v1/chat/completions", pathOf(own)]) {
      const response = await fetch(new URL(path, gateway.baseUrl), {
        method: "POST",
        headers: { "content-type": "application/json", cookie: ada.cookie!, "x-tollgate-request": "test", ...headers },
        body: JSON.stringify(QUESTION),
      });
      expect([path, response.status]).toEqual([path, path.startsWith("/v1") ? 401 : 404]);
    }
  }
});
