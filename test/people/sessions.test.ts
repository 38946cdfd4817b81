import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ownChange } from "../../src/access/change.ts";
import { startClockedPlatform, type ClockedPlatform } from "./clocked-platform.ts";
import { firstOperator, invite, PASSWORD, Visitor, type Answer } from "./visitor.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let running: ClockedPlatform;
let ada: Visitor;

beforeEach(async () => {
  running = await startClockedPlatform();
  ada = await firstOperator(running.url, running.makeFirstLink());
});

afterEach(() => running.stop());

const withoutId = (text: string): string => text.replace(/req_[^"]+/, "");
const visitor = (cookie?: string): Visitor => new Visitor(running.url, cookie);

describe("a session", () => {
  test("ends after twelve hours without use", async () => {
    running.clock.nowMs += 12 * HOUR_MS - 1;
    expect(await ada.isSignedIn()).toBe(true);
    running.clock.nowMs += 12 * HOUR_MS;
    expect(await ada.isSignedIn()).toBe(false);
  });

  test("ends after seven days, even in use", async () => {
    for (let hours = 0; hours < 7 * 24 - 6; hours += 6) {
      running.clock.nowMs += 6 * HOUR_MS;
      expect(await ada.isSignedIn()).toBe(true);
    }
    running.clock.nowMs += 6 * HOUR_MS;
    expect(await ada.isSignedIn()).toBe(false);
  });

  test("is listed with its last use, and can be ended from another", async () => {
    const elsewhere = visitor();
    await elsewhere.signIn("ada@example.test");
    running.clock.nowMs += 5 * MINUTE_MS;
    await elsewhere.call("GET", "/api/me");
    const { data } = (await ada.call("GET", "/api/me/sessions")).body;
    expect(data).toMatchObject([
      { current: false, address: "127.0.0.1", last_seen_at: "2027-01-01T00:05:00.000Z", expires_at: "2027-01-01T12:05:00.000Z" },
      { current: true, created_at: "2027-01-01T00:00:00.000Z" },
    ]);
    expect((await ada.call("DELETE", `/api/me/sessions/${data[0]!["id"] as string}`)).status).toBe(204);
    expect([await elsewhere.isSignedIn(), await ada.isSignedIn()]).toEqual([false, true]);
  });

  test("of another person can be neither seen nor ended", async () => {
    const { visitor: bob } = await invite(ada, running.url, { email: "bob@example.test" });
    const { data } = (await bob.call("GET", "/api/me/sessions")).body;
    expect(data).toHaveLength(1);
    const [others] = (await ada.call("GET", "/api/me/sessions")).body.data;
    const foreign = await bob.call("DELETE", `/api/me/sessions/${others!["id"] as string}`);
    const unknown = await bob.call("DELETE", "/api/me/sessions/session_doesnotexist");
    expect([foreign.status, foreign.body.code]).toEqual([404, "unknown_session"]);
    expect(withoutId(unknown.text)).toBe(withoutId(foreign.text).replace(others!["id"] as string, "session_doesnotexist"));
    expect(await ada.isSignedIn()).toBe(true);
  });

  test("ends at sign-out, also for a copied cookie", async () => {
    const copied = ada.cookie;
    const reply = await ada.call("POST", "/api/sign-out");
    expect([reply.status, reply.headers.getSetCookie()]).toEqual([204, ["tollgate_session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"]]);
    expect(await visitor(copied).isSignedIn()).toBe(false);
  });

  test("is new at every sign-in, and the browser's previous one ends", async () => {
    const before = ada.cookie;
    await ada.signIn("ada@example.test");
    expect(ada.cookie).not.toBe(before);
    expect([await visitor(before).isSignedIn(), await ada.isSignedIn()]).toEqual([false, true]);
  });

  test("cannot be fixed by a planted cookie", async () => {
    const planted = `tollgate_session=${"a".repeat(43)}`;
    const victim = visitor(planted);
    await victim.signIn("ada@example.test");
    expect(victim.cookie).not.toBe(planted);
    expect(await visitor(planted).isSignedIn()).toBe(false);
  });
});

describe("every session ends", () => {
  test("after a new password, and the current one continues with a new cookie", async () => {
    const elsewhere = visitor();
    await elsewhere.signIn("ada@example.test");
    const before = ada.cookie;
    const wrong = await ada.call("POST", "/api/me/password", { current: "not the password", new: "a new one, long enough" });
    expect(wrong).toMatchObject({ status: 400, body: { code: "invalid_value", param: "current" } });
    expect(await elsewhere.isSignedIn()).toBe(true);

    expect((await ada.call("POST", "/api/me/password", { current: PASSWORD, new: "a new one, long enough" })).status).toBe(200);
    expect([await elsewhere.isSignedIn(), await visitor(before).isSignedIn(), await ada.isSignedIn()]).toEqual([false, false, true]);
    expect((await visitor().signIn("ada@example.test")).status).toBe(401);
    expect((await visitor().signIn("ada@example.test", "a new one, long enough")).status).toBe(200);
  });

  test("after a new role or account, but not after a new name", async () => {
    const { visitor: bob, id } = await invite(ada, running.url, { email: "bob@example.test" });
    await ada.call("POST", "/api/accounts", { id: "acme", name: "Acme" });
    for (const [changes, isSignedIn] of [
      [{ name: "Robert" }, true],
      [{ account: "default" }, true],
      [{ account: "acme" }, false],
      [{ role: "operator" }, false],
    ] as const) {
      await bob.signIn("bob@example.test");
      expect((await ada.call("PATCH", `/api/people/${id}`, changes)).status).toBe(200);
      expect([changes, await bob.isSignedIn()]).toEqual([changes, isSignedIn]);
    }
  });

  test("after one's own demotion, and the current one continues with a new cookie as a member", async () => {
    await invite(ada, running.url, { email: "bob@example.test", role: "operator", account: undefined });
    const { id } = (await ada.call("GET", "/api/people?search=ada")).body.data[0] as { id: string };
    const before = ada.cookie;
    expect((await ada.call("PATCH", `/api/people/${id}`, { role: "member", account: "default" })).status).toBe(200);
    expect(await visitor(before).isSignedIn()).toBe(false);
    expect((await ada.call("GET", "/api/me")).body).toMatchObject({ role: "member", account: "default" });
    expect((await ada.call("GET", "/api/people")).body.code).toBe("not_permitted");
  });

  test("when an operator ends them, and the person can sign in again", async () => {
    const { visitor: bob, id } = await invite(ada, running.url, { email: "bob@example.test" });
    expect((await ada.call("DELETE", `/api/people/${id}/sessions`)).status).toBe(200);
    expect([await bob.isSignedIn(), await ada.isSignedIn()]).toEqual([false, true]);
    expect((await bob.signIn("bob@example.test")).status).toBe(200);
  });

  test("when the person is disabled, and stays ended when they are enabled again", async () => {
    const { visitor: bob, id } = await invite(ada, running.url, { email: "bob@example.test" });
    await ada.call("PATCH", `/api/people/${id}`, { disabled: true });
    expect(await bob.isSignedIn()).toBe(false);
    expect((await visitor().signIn("bob@example.test")).body.code).toBe("sign_in_failed");
    await ada.call("PATCH", `/api/people/${id}`, { disabled: false });
    expect(await bob.isSignedIn()).toBe(false);
    expect((await bob.signIn("bob@example.test")).status).toBe(200);
  });
});

/** Disables the person once during this call, and enables them after it. */
async function disabledDuring(id: string, call: () => Promise<Answer>): Promise<Answer> {
  running.work.meanwhile = async () => {
    running.work.meanwhile = () => Promise.resolve();
    await ada.call("PATCH", `/api/people/${id}`, { disabled: true });
  };
  const answer = await call();
  await ada.call("PATCH", `/api/people/${id}`, { disabled: false });
  return answer;
}

describe("a common password", () => {
  test("is rejected as a new one, before the current one is checked", async () => {
    const { verified } = running.work;
    for (const weak of ["password1234", "123456789012", "tollgate-2027", "ada@example.test"]) {
      const { status, body, text } = await ada.call("POST", "/api/me/password", { current: PASSWORD, new: weak });
      expect([weak, status, body]).toMatchObject([weak, 400, { code: "invalid_value", param: "new" }]);
      expect(text).not.toContain(weak);
    }
    expect(running.work.verified).toBe(verified);
  });

  test("still signs in a person who has chosen it before", async () => {
    const { people, signIn } = running.platform;
    const person = people.findByEmail("ada@example.test")!;
    const passwordHash = await signIn.passwords.hash("password1234");
    const change = ownChange("test", { kind: "person", id: person.id }, null, running.clock.nowMs);
    await people.update(person.id, () => ({ record: { ...person, passwordHash }, change }));
    expect((await visitor().signIn("ada@example.test", "password1234")).status).toBe(200);
  });
});

describe("a person who is disabled during a password check", () => {
  test("is not signed in, even when they are enabled again", async () => {
    const { visitor: bob, id } = await invite(ada, running.url, { email: "bob@example.test" });
    const signIn = await disabledDuring(id, () => bob.signIn("bob@example.test"));
    expect([signIn.body.code, await bob.isSignedIn()]).toEqual(["sign_in_failed", false]);
  });

  test("does not stay signed in by changing it", async () => {
    const { visitor: bob, id } = await invite(ada, running.url, { email: "bob@example.test" });
    const change = { current: PASSWORD, new: "a new one, long enough" };
    const changed = await disabledDuring(id, () => bob.call("POST", "/api/me/password", change));
    expect([changed.body.code, await bob.isSignedIn()]).toEqual(["not_signed_in", false]);
    expect((await bob.signIn("bob@example.test")).status).toBe(200);
  });

  test("is not signed in by a link", async () => {
    const { id, invitation } = (
      await ada.call("POST", "/api/people", { email: "bob@example.test", name: "Bob", role: "member", account: "default" })
    ).body;
    const bob = visitor();
    const accepted = await disabledDuring(id, () => bob.accept(invitation.url));
    expect([accepted.body.code, await bob.isSignedIn()]).toEqual(["unknown_link", false]);
  });
});
