import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { idOfAccessToken } from "../../src/access/access-token.ts";
import { makeApiKey } from "../../src/access/api-key.ts";
import { toBase62 } from "../../src/lib/text/base62.ts";
import { startClockedPlatform, type ClockedPlatform } from "./clocked-platform.ts";
import { firstOperator, invite, Visitor, type Answer } from "./visitor.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const WANTED = { name: "deploy", scopes: ["accounts:read"], expires_at: "2027-01-31" };

let running: ClockedPlatform;
let ada: Visitor;

beforeEach(async () => {
  running = await startClockedPlatform();
  ada = await firstOperator(running.url, running.makeFirstLink());
});

afterEach(() => running.stop());

const make = (owner: Visitor, more: object = {}): Promise<Answer> => owner.call("POST", "/api/me/access-tokens", { ...WANTED, ...more });
const use = (token: string, method: string, path: string, body?: object): Promise<Answer> =>
  new Visitor(running.url).call(method, path, body, { authorization: `Bearer ${token}` });
const works = async (token: string): Promise<boolean> => (await use(token, "GET", "/api/me")).status === 200;

describe("an operator", () => {
  test("lists and revokes another person's access token; the person and the other token stay valid", async () => {
    const { visitor: bob, id } = await invite(ada, running.url, { email: "bob@example.test" });
    const [leaked, kept] = [(await make(bob, { name: "leaked" })).body, (await make(bob, { name: "kept" })).body];
    const listed = await ada.call("GET", `/api/people/${id}/access-tokens`);
    expect(listed.body.data.map((token) => token["name"])).toEqual(["kept", "leaked"]);
    expect(listed.text).not.toContain(leaked.token);
    const ended = await ada.call("DELETE", `/api/people/${id}/access-tokens/${leaked.id}`);
    expect([ended.status, ended.body]).toMatchObject([200, { id: leaked.id, active: false, revoked_at: "2027-01-01T00:00:00.000Z" }]);
    expect([await works(leaked.token), await works(kept.token), await bob.isSignedIn()]).toEqual([false, true, true]);
    const [change] = (await ada.call("GET", "/api/audit-log?action=access_token.revoke")).body.data;
    expect(change).toMatchObject({ actor_name: "Ada", target: { kind: "access_token", id: leaked.id }, account: "default" });
  });

  test("finds a token only under its own person", async () => {
    const { id } = await invite(ada, running.url, { email: "bob@example.test" });
    const own = (await make(ada)).body;
    for (const path of [`${id}/access-tokens/${own.id}`, `${id}/access-tokens/nothing`]) {
      expect(await ada.call("DELETE", `/api/people/${path}`)).toMatchObject({ status: 404, body: { code: "unknown_access_token" } });
    }
    expect((await ada.call("GET", "/api/people/nobody/access-tokens")).body.code).toBe("unknown_person");
    expect(await works(own.token)).toBe(true);
  });
});

describe("an access token", () => {
  test("is shown only once, acts for its person within its scopes, and is identified by its name", async () => {
    const made = await make(ada);
    const { token, id } = made.body;
    expect([made.status, token]).toEqual([201, expect.stringMatching(/^tollgate-access-[0-9A-Za-z]{50}$/) as string]);
    expect(token).toStartWith(`tollgate-access-${id}`);
    expect((await use(token, "GET", "/api/accounts")).status).toBe(200);
    expect(await use(token, "POST", "/api/accounts", { id: "acme", name: "Acme" })).toMatchObject({
      status: 403,
      body: { code: "not_permitted" },
    });
    expect((await use(token, "GET", "/api/keys")).body.code).toBe("not_permitted");
    expect((await use(token, "GET", "/api/me")).body).toMatchObject({
      credential: "access_token",
      role: "operator",
      scopes: ["accounts:read"],
      person: { email: "ada@example.test" },
    });
    const seen = (await ada.call("GET", "/api/me/access-tokens")).text + (await ada.call("GET", "/api/audit-log")).text;
    expect(seen).toContain(id);
    expect(seen).not.toContain(token.slice(28, 60));
  });

  test("makes changes in the name of its person, and the audit log names the token", async () => {
    const { token } = (await make(ada, { scopes: ["accounts:write"] })).body;
    expect((await use(token, "POST", "/api/accounts", { id: "acme", name: "Acme" })).status).toBe(201);
    const [change] = (await ada.call("GET", "/api/audit-log?action=account.create")).body.data;
    expect(change).toMatchObject({ actor_name: "Ada (access token deploy)" });
    expect(change!["actor"]).toMatch(/^person_/);
  });

  test("needs no CSRF header, and is not sufficient for operations that require a session", async () => {
    const { token } = (await make(ada, { scopes: ["accounts:write"] })).body;
    const response = await fetch(`${running.url}/api/accounts`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: '{"id":"acme","name":"Acme"}',
    });
    expect(response.status).toBe(201);
    for (const [method, path, body] of [
      ["POST", "/api/me/access-tokens", WANTED],
      ["GET", "/api/me/access-tokens", undefined],
      ["GET", "/api/me/sessions", undefined],
      ["PATCH", "/api/me", { name: "Mallory" }],
      ["POST", "/api/sign-out", undefined],
    ] as const) {
      for (const credential of [token, running.operatorToken]) {
        expect([path, (await use(credential, method, path, body)).body.code]).toEqual([path, "not_permitted"]);
      }
    }
  });

  test("has the current role of its person, whatever its scopes", async () => {
    const { visitor: bob, id } = await invite(ada, running.url, { email: "bob@example.test", role: "operator", account: undefined });
    const { token } = (await make(bob, { scopes: ["accounts:read", "people:read"] })).body;
    await ada.call("POST", "/api/accounts", { id: "acme", name: "Acme" });
    expect((await use(token, "GET", "/api/people")).status).toBe(200);
    await ada.call("PATCH", `/api/people/${id}`, { role: "member", account: "acme" });
    expect((await use(token, "GET", "/api/people")).body.code).toBe("not_permitted");
    expect((await use(token, "GET", "/api/accounts")).body.data.map((account) => account["id"])).toEqual(["acme"]);
  });

  test("of a member never gains access, nor moves to another account", async () => {
    await ada.call("POST", "/api/accounts", { id: "acme", name: "Acme" });
    for (const [email, changes] of [
      ["promoted@example.test", { role: "operator" }],
      ["moved@example.test", { account: "acme" }],
    ] as const) {
      const { visitor, id } = await invite(ada, running.url, { email });
      const { token } = (await make(visitor, { scopes: ["people:write", "keys:write"] })).body;
      await ada.call("PATCH", `/api/people/${id}`, { name: "Another name" });
      expect(await works(token)).toBe(true);
      expect((await ada.call("PATCH", `/api/people/${id}`, changes)).status).toBe(200);
      expect(await works(token)).toBe(false);
    }
  });

  test("expires", async () => {
    const { token } = (await make(ada)).body;
    running.clock.nowMs += 30 * DAY_MS - 1;
    expect(await works(token)).toBe(true);
    running.clock.nowMs += 1;
    expect(await works(token)).toBe(false);
  });

  test("is revoked permanently by its person, and by nobody else", async () => {
    const { token, id } = (await make(ada)).body;
    const { visitor: bob } = await invite(ada, running.url, { email: "bob@example.test", role: "operator", account: undefined });
    expect(await bob.call("DELETE", `/api/me/access-tokens/${id}`)).toMatchObject({
      status: 404,
      body: { code: "unknown_access_token" },
    });
    expect((await bob.call("GET", "/api/me/access-tokens")).body.data).toEqual([]);
    expect(await works(token)).toBe(true);
    expect((await ada.call("DELETE", `/api/me/access-tokens/${id}`)).body).toMatchObject({ active: false });
    expect(await works(token)).toBe(false);
    expect((await ada.call("GET", "/api/me/access-tokens")).body.data).toMatchObject([
      { id, active: false, last_used_at: "2027-01-01T00:00:00.000Z", revoked_at: "2027-01-01T00:00:00.000Z" },
    ]);
  });

  test("is revoked when its person is disabled, permanently; ending their sessions does not affect it", async () => {
    const { visitor: bob, id } = await invite(ada, running.url, { email: "bob@example.test" });
    const { token } = (await make(bob)).body;
    await ada.call("DELETE", `/api/people/${id}/sessions`);
    expect(await works(token)).toBe(true);
    await ada.call("PATCH", `/api/people/${id}`, { disabled: true });
    expect(await works(token)).toBe(false);
    await ada.call("PATCH", `/api/people/${id}`, { disabled: false });
    expect(await works(token)).toBe(false);
    await bob.signIn("bob@example.test");
    expect((await bob.call("GET", "/api/me/access-tokens")).body.data).toMatchObject([{ active: false }]);
  });

  test("must have existing scopes, and expire within a year", async () => {
    for (const [wanted, param] of [
      [{ scopes: [] }, "scopes"],
      [{ scopes: ["everything"] }, "scopes[0]"],
      [{ expires_at: "2026-12-31" }, "expires_at"],
      [{ expires_at: "2028-01-03" }, "expires_at"],
      [{ expires_at: null }, "expires_at"],
      [{ name: "" }, "name"],
    ] as const) {
      expect(await make(ada, wanted)).toMatchObject({ status: 400, body: { param } });
    }
    expect((await make(ada, { expires_at: "2028-01-01" })).status).toBe(201);
  });

  test("is created once per Idempotency-Key, and listed in pages", async () => {
    const headers = { "idempotency-key": "deploy" };
    const first = await ada.call("POST", "/api/me/access-tokens", WANTED, headers);
    const again = await ada.call("POST", "/api/me/access-tokens", WANTED, headers);
    expect([again.body.id, again.body.token as string | null]).toEqual([first.body.id, null]);
    const { id: second } = (await make(ada)).body;
    const page = (await ada.call("GET", "/api/me/access-tokens?limit=1")).body;
    expect(page.data.map(({ id }) => id)).toEqual([second]);
    const rest = (await ada.call("GET", `/api/me/access-tokens?limit=1&cursor=${page.next}`)).body;
    expect([rest.data.map(({ id }) => id), rest.next]).toEqual([[first.body.id], null]);
  });
});

describe("an invalid Authorization header is rejected, even with a valid cookie", () => {
  test("whatever its defect", async () => {
    const wrong = [
      "Bearer wrong",
      "Bearer ",
      "Basic YWRhOnBhc3N3b3Jk",
      running.operatorToken,
      `Bearer ${makeApiKey().key.reveal()}`,
      `Bearer tollgate-access-${"0".repeat(50)}`,
      `Bearer ${ada.cookie!.split("=")[1]!}`,
    ];
    for (const authorization of wrong) {
      const { status, body } = await ada.call("GET", "/api/me", undefined, { authorization });
      expect([authorization, status, body.code]).toEqual([authorization, 401, "not_signed_in"]);
    }
    expect((await ada.call("GET", "/api/me", undefined, { authorization: `Bearer ${running.operatorToken}` })).body).toMatchObject({
      credential: "operator_token",
      person: null,
    });
  });

  test("a token with one changed character is invalid, and so is a forged secret with a correct checksum", async () => {
    const { token, id } = (await make(ada)).body;
    const changed = token.slice(0, -10) + (token.at(-10) === "a" ? "b" : "a") + token.slice(-9);
    const unchecked = `tollgate-access-${id}${"a".repeat(32)}`;
    const forged = unchecked + toBase62(Bun.hash.crc32(unchecked), 6);
    expect(idOfAccessToken(forged)).toBe(id);
    expect([await works(token), await works(changed), await works(forged)]).toEqual([true, false, false]);
  });
});
