import { afterEach, beforeEach, expect, test } from "bun:test";
import { startClockedPlatform, type ClockedPlatform } from "../people/clocked-platform.ts";
import { firstOperator, invite, type Visitor } from "../people/visitor.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { RawConnection } from "./raw-connection.ts";

let running: ClockedPlatform;
let ada: Visitor;

beforeEach(async () => {
  running = await startClockedPlatform();
  ada = await firstOperator(running.url, running.makeFirstLink());
});

afterEach(() => running.stop());

const COME_BACK = JSON.stringify({ email: "back@example.test", name: "Back door", role: "operator" });

/** Starts to send an invitation of an operator, revokes the inviter's access meanwhile, and then sends the rest. */
async function finishLater(credential: Record<string, string>, shutOut: () => Promise<unknown>): Promise<string> {
  const connection = new RawConnection(running.url);
  const headers = { ...credential, "x-tollgate-request": "test", "content-type": "application/json" };
  const rest = await connection.begin({ method: "POST", path: "/api/people", headers, body: COME_BACK });
  await shutOut();
  connection.send(rest);
  const { code } = await connection.reply();
  connection.close();
  return code;
}

test("a person who is disabled, demoted or signed out during a request cannot finish it", async () => {
  for (const [email, shutOut, refusal] of [
    ["disabled@example.test", (id: string) => ada.call("PATCH", `/api/people/${id}`, { disabled: true }), "not_signed_in"],
    ["ended@example.test", (id: string) => ada.call("DELETE", `/api/people/${id}/sessions`), "not_signed_in"],
    [
      "demoted@example.test",
      (id: string) => ada.call("PATCH", `/api/people/${id}`, { role: "member", account: "default" }),
      "not_signed_in",
    ],
  ] as const) {
    const { visitor, id } = await invite(ada, running.url, { email, role: "operator", account: undefined });
    expect([email, await finishLater({ cookie: visitor.cookie! }, () => shutOut(id))]).toEqual([email, refusal]);
  }
});

test("an access token that is revoked, or whose person lost the permission, cannot finish a request", async () => {
  const { visitor, id } = await invite(ada, running.url, { email: "eve@example.test", role: "operator", account: undefined });
  const wanted = { name: "t", scopes: ["people:write"], expires_at: "2027-06-01T00:00:00Z" };
  const tokens = [await visitor.call("POST", "/api/me/access-tokens", wanted), await visitor.call("POST", "/api/me/access-tokens", wanted)];
  const bearer = (at: number): Record<string, string> => ({ authorization: `Bearer ${tokens[at]!.body.token}` });
  const revoke = (): Promise<unknown> => visitor.call("DELETE", `/api/me/access-tokens/${tokens[0]!.body.id}`);
  expect(await finishLater(bearer(0), revoke)).toBe("not_signed_in");
  const demote = (): Promise<unknown> => ada.call("PATCH", `/api/people/${id}`, { role: "member", account: "default" });
  expect(await finishLater(bearer(1), demote)).toBe("not_permitted");
});

test("a key that is revoked, rotated or restricted during its request is rejected by its new state", async () => {
  const gateway = await startGateway();
  const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "hello" }] });
  for (const shutOut of [
    (id: string) => gateway.platform("DELETE", `/api/keys/${id}`),
    (id: string) => gateway.platform("POST", `/api/keys/${id}/rotate`, { grace_period_seconds: 0 }),
    (id: string) => gateway.platform("PATCH", `/api/keys/${id}`, { models: ["another"] }),
  ]) {
    const { id, key } = await gateway.makeKey(["echo"]);
    const connection = new RawConnection(gateway.baseUrl);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const rest = await connection.begin({ method: "POST", path: "/v1/chat/completions", headers, body });
    await shutOut(id);
    connection.send(rest);
    expect(["invalid_api_key", "model_not_allowed"]).toContain((await connection.reply()).code);
    connection.close();
  }
  await gateway.stop();
});

test("a key that is revoked during its request receives no stored reply", async () => {
  const gateway = await startGateway();
  const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "hello" }] });
  const { id, key } = await gateway.makeKey(["echo"]);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": "mine" };
  expect((await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body })).status).toBe(200);
  const connection = new RawConnection(gateway.baseUrl);
  const rest = await connection.begin({ method: "POST", path: "/v1/chat/completions", headers, body });
  await gateway.platform("DELETE", `/api/keys/${id}`);
  connection.send(rest);
  expect((await connection.reply()).code).toBe("invalid_api_key");
  connection.close();
  await gateway.stop();
});
