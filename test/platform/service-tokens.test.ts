import { afterAll, beforeAll, expect, test } from "bun:test";
import { commandRunner, type CommandRunner } from "../commands/command-runner.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

interface NewToken {
  readonly id: string;
  readonly token: string;
  readonly active: boolean;
}

const DAY_MS = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

let gateway: RunningGateway;
let tollgate: CommandRunner;
beforeAll(async () => {
  gateway = await startGateway();
  tollgate = commandRunner(gateway);
});
afterAll(() => gateway.stop());

async function call(
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${gateway.platformUrl}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const create = (token: string, body: object): ReturnType<typeof call> => call(token, "POST", "/api/access-tokens", body);
const wanted = { service: "ci", scopes: ["accounts:write", "people:write", "audit:read"], expires_at: inDays(30) };

test("the operator token creates an access token of a service, which acts within its scopes and is named in the audit log", async () => {
  const { id, token } = (await create(gateway.operatorToken, wanted)).body as unknown as NewToken;
  expect(await call(token, "GET", "/api/me")).toEqual({
    status: 200,
    body: { credential: "access_token", role: "operator", account: null, scopes: wanted.scopes, person: null, service: "ci" },
  });
  expect((await call(token, "POST", "/api/accounts", { id: "acme", name: "Acme" })).status).toBe(201);
  expect((await call(token, "GET", "/api/keys")).status).toBe(403);
  const { body } = await call(token, "GET", "/api/audit-log?actor=service:ci");
  expect(body["data"]).toMatchObject([{ action: "account.create", actor: "service:ci", actor_name: "service ci" }]);
  // The first operator can still set up the platform.
  expect(gateway.signInUrl).toContain("/welcome#");

  expect((await call(gateway.operatorToken, "DELETE", `/api/access-tokens/${id}`)).body).toMatchObject({ id, active: false });
  expect((await call(token, "GET", "/api/me")).status).toBe(401);
});

test("no access token creates another, whatever its scopes", async () => {
  const { token } = (await create(gateway.operatorToken, wanted)).body as unknown as NewToken;
  expect(await create(token, wanted)).toMatchObject({
    status: 403,
    body: { code: "not_permitted", detail: "This requires the operator token." },
  });
});

test.each([
  [{ expires_at: undefined }, "missing_required_parameter", "expires_at"],
  [{ expires_at: inDays(400) }, "invalid_value", "expires_at"],
  [{ expires_at: inDays(-1) }, "invalid_value", "expires_at"],
  [{ scopes: [] }, "invalid_value", "scopes"],
  [{ service: "No Name" }, "invalid_value", "service"],
])("a token with %p is rejected", async (change, code, param) => {
  expect(await create(gateway.operatorToken, { ...wanted, ...change })).toMatchObject({ status: 400, body: { code, param } });
});

test("the command line creates, lists and revokes them", async () => {
  const shown = await tollgate.text("access-tokens create nightly-report --scopes usage:read --expires 90d");
  const [token] = /^tollgate-access-\S+$/m.exec(shown)!;
  expect(await tollgate.text("whoami", { env: { TOLLGATE_ACCESS_TOKEN: token } })).toMatch(/Service\s+nightly-report/);
  const { data } = await tollgate.json<{ data: { id: string; service: string; token?: string }[] }>(
    "access-tokens list --service nightly-report",
  );
  expect(data).toMatchObject([{ service: "nightly-report", active: true, scopes: ["usage:read"] }]);
  expect(data[0]!.token).toBeUndefined();
  expect(await tollgate.text(`access-tokens revoke ${data[0]!.id}`)).toBe(`Revoked ${data[0]!.id} of the service nightly-report.\n`);
  expect((await call(token, "GET", "/api/me")).status).toBe(401);
});
