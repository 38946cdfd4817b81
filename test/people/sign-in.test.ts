import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { startClockedPlatform, type ClockedPlatform } from "./clocked-platform.ts";
import { firstOperator, invite, PASSWORD, Visitor, type Answer } from "./visitor.ts";
import { eventually } from "../support/eventually.ts";

let running: ClockedPlatform;
let ada: Visitor;

beforeEach(async () => {
  running = await startClockedPlatform();
  ada = await firstOperator(running.url, running.makeFirstLink());
});

afterEach(() => running.stop());

const visitor = (): Visitor => new Visitor(running.url);
const fail = (email = "ada@example.test"): Promise<Answer> => visitor().signIn(email, "wrong");
const guess = (current: string): Promise<Answer> => ada.call("POST", "/api/me/password", { current, new: "long enough to be one" });
const rename = (headers: Record<string, string>): Promise<Answer> => ada.call("PATCH", "/api/me", { name: "Mallory" }, headers);

/** The parts of a response by which an attacker could distinguish failures. A connection with a valid session is kept open for longer. */
function telling({ status, headers, body }: Answer): object {
  const { "x-request-id": _id, date: _date, connection: _connection, "keep-alive": _keepAlive, ...rest } = Object.fromEntries(headers);
  return { status, headers: rest, body: { ...body, request_id: "" } };
}

test("an email address is case-insensitive", async () => {
  expect((await visitor().signIn("ADA@example.TEST")).body).toMatchObject({ email: "ada@example.test", name: "Ada", role: "operator" });
});

test("every failure has the same response and takes the same work", async () => {
  const { id } = await invite(ada, running.url, { email: "off@example.test" });
  await ada.call("PATCH", `/api/people/${id}`, { disabled: true });
  await ada.call("POST", "/api/people", { email: "new@example.test", name: "New", role: "operator" });
  const attempts = [
    ["ada@example.test", "wrong"],
    ["nobody@example.test", PASSWORD],
    ["off@example.test", PASSWORD],
    ["new@example.test", PASSWORD],
  ] as const;
  const [first, ...others] = await Promise.all(
    attempts.map(async ([email, password]) => {
      const before = running.work.verified;
      const answer = await visitor().signIn(email, password);
      return { answer: telling(answer), hasWorked: running.work.verified > before };
    }),
  );
  expect(running.work.verified).toBe(attempts.length);
  expect(first).toMatchObject({ answer: { status: 401, body: { code: "sign_in_failed" } }, hasWorked: true });
  for (const other of others) expect(other).toEqual(first!);
});

test("a sign-in is audited, also a failed one for an existing person, without secrets and unknown addresses", async () => {
  await visitor().signIn("ada@example.test");
  await visitor().signIn("ada@example.test", "wrong-password-canary");
  await visitor().signIn("stranger@example.test");
  const log = async (): Promise<readonly Record<string, unknown>[]> =>
    (await ada.call("GET", "/api/audit-log?action=person.sign_in_failed")).body.data;
  await eventually(log, (entries) => entries.length > 0);
  const { text, body } = await ada.call("GET", "/api/audit-log");
  const [failed, succeeded] = body.data;
  const target = { kind: "person", id: expect.stringMatching(/^person_/) as string };
  expect(failed).toMatchObject({ actor: "anyone", action: "person.sign_in_failed", target, address: "127.0.0.1" });
  expect(succeeded).toMatchObject({ actor_name: "Ada", action: "person.sign_in", target, after: { by: "password" } });
  expect(await log()).toHaveLength(1);
  for (const secret of [PASSWORD, "wrong-password-canary", "stranger", ada.cookie!.split("=")[1]!, "hash of"]) {
    expect(text).not.toContain(secret);
  }
});

describe("password guessing is throttled", () => {
  test("after five failures each attempt waits twice as long", async () => {
    const stranger = "stranger@example.test";
    for (let at = 0; at < 5; at++) expect((await fail(stranger)).status).toBe(401);
    for (const seconds of [1, 2, 4, 8, 16, 32]) {
      const early = await fail(stranger);
      expect([early.status, early.body.code, early.headers.get("retry-after")]).toEqual([429, "too_many_attempts", String(seconds)]);
      running.clock.nowMs += seconds * 1000 - 1;
      expect((await fail(stranger)).status).toBe(429);
      running.clock.nowMs += 1;
      expect((await fail(stranger)).status).toBe(401);
    }
  });

  test("and no longer, however the system clock is set", async () => {
    const stranger = "stranger@example.test";
    for (let at = 0; at < 5; at++) await fail(stranger);
    for (const systemAheadMs of [1_800_000, -1_800_000]) {
      running.clock.systemAheadMs = systemAheadMs;
      expect((await fail(stranger)).status).toBe(429);
    }
    running.clock.nowMs += 1000;
    expect((await fail(stranger)).status).toBe(401);
  });

  test("the right password has to wait too, and then resets the count", async () => {
    for (let at = 0; at < 5; at++) await fail();
    expect((await visitor().signIn("ada@example.test")).status).toBe(429);
    running.clock.nowMs += 1000;
    expect((await visitor().signIn("ada@example.test")).status).toBe(200);
    for (let at = 0; at < 5; at++) expect((await fail()).status).toBe(401);
  });

  test("a rejected attempt costs no work", async () => {
    for (let at = 0; at < 5; at++) await fail("stranger@example.test");
    const { verified } = running.work;
    expect((await fail("stranger@example.test")).status).toBe(429);
    expect(running.work.verified).toBe(verified);
  });

  test("concurrent attempts all count", async () => {
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await fail("stranger@example.test")).status));
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
  });

  test("also for one's own password", async () => {
    for (let at = 0; at < 5; at++) expect((await guess("wrong")).status).toBe(400);
    expect((await guess(PASSWORD)).status).toBe(429);
  });
});

describe("while strangers try more passwords than can be checked", () => {
  let endFlood: () => Promise<unknown>;

  beforeEach(async () => {
    const gate = Promise.withResolvers<void>();
    running.work.meanwhile = () => gate.promise;
    const flood = Array.from({ length: 60 }, (_, at) => fail(`stranger-${at}@example.test`));
    const refused = await Promise.any(flood);
    expect([refused.status, refused.body.code]).toEqual([503, "overloaded"]);
    endFlood = () => {
      running.work.meanwhile = () => Promise.resolve();
      gate.resolve();
      return Promise.all(flood);
    };
  });

  test("a person signs in from a known address, and changes their password", async () => {
    const signingIn = visitor().signIn("ada@example.test");
    const changing = guess(PASSWORD);
    // By now both wait in their queue, or were rejected.
    await ada.call("GET", "/api/me");
    await endFlood();
    expect([(await signingIn).status, (await changing).status]).toEqual([200, 200]);
  });

  test("a rejection because of overload is not a failure", async () => {
    for (let at = 0; at < 8; at++) expect((await fail("late@example.test")).body.code).toBe("overloaded");
    await endFlood();
    for (let at = 0; at < 5; at++) expect((await fail("late@example.test")).status).toBe(401);
    expect((await fail("late@example.test")).status).toBe(429);
  });
});

describe("a change is rejected", () => {
  const foreign: Record<string, Record<string, string>> = {
    "from another origin": { origin: "https://evil.test" },
    "from no origin that can be named": { origin: "null" },
    "from another site": { "sec-fetch-site": "cross-site" },
    "from a neighbouring name": { "sec-fetch-site": "same-site" },
    "from an address that was typed in": { "sec-fetch-site": "none" },
    "from another origin, whatever the browser says of the site": { "sec-fetch-site": "same-origin", origin: "http://127.0.0.1:1" },
  };
  for (const [name, headers] of Object.entries(foreign)) {
    test(name, async () => {
      expect(await rename(headers)).toMatchObject({ status: 403, body: { code: "cross_site_request" } });
      const signIn = await visitor().call("POST", "/api/sign-in", { email: "ada@example.test", password: PASSWORD }, headers);
      expect([signIn.status, signIn.headers.getSetCookie()]).toEqual([403, []]);
      expect((await ada.call("GET", "/api/me")).body).toMatchObject({ person: { name: "Ada" } });
    });
  }

  test("without the CSRF header", async () => {
    const response = await fetch(`${running.url}/api/me`, {
      method: "PATCH",
      headers: { cookie: ada.cookie!, "content-type": "application/json" },
      body: '{"name":"Mallory"}',
    });
    expect([response.status, await response.json()]).toMatchObject([403, { code: "cross_site_request" }]);
  });

  test("as a form, whatever its fields", async () => {
    const response = await fetch(`${running.url}/api/sign-in`, {
      method: "POST",
      body: new URLSearchParams({ email: "ada@example.test", password: PASSWORD }),
    });
    expect([response.status, response.headers.getSetCookie()]).toEqual([415, []]);
  });

  test("but not from the own page", async () => {
    expect((await rename({ origin: running.url, "sec-fetch-site": "same-origin" })).status).toBe(200);
  });
});
