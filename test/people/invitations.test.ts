import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { startClockedPlatform, type ClockedPlatform } from "./clocked-platform.ts";
import { firstOperator, invite, PASSWORD, tokenOf, Visitor, type Answer } from "./visitor.ts";

const HOUR_MS = 60 * 60 * 1000;

let running: ClockedPlatform;

beforeEach(async () => {
  running = await startClockedPlatform();
});

afterEach(() => running.stop());

const statusesOf = (answers: readonly Answer[]): string[] => answers.map(({ status }) => String(status)).toSorted();
const visitor = (): Visitor => new Visitor(running.url);
const actionsOf = async (operator: Visitor): Promise<unknown[]> =>
  (await operator.call("GET", "/api/audit-log")).body.data.map((change) => change["action"]).toReversed();

describe("the setup link of the first operator", () => {
  const first = { email: "ada@example.test", name: "Ada" };

  test("creates a signed-in operator, and works once", async () => {
    const link = running.makeFirstLink();
    const shown = await visitor().call("POST", "/api/invitations/show", { token: tokenOf(link) });
    expect(shown.text).toBe('{"email":null,"name":null,"role":"operator"}');
    const ada = visitor();
    expect((await ada.accept(link, first)).body).toMatchObject({ ...first, role: "operator", account: null, has_password: true });
    expect((await ada.call("GET", "/api/me")).body).toMatchObject({ credential: "session", role: "operator", person: first });
    expect((await visitor().accept(link, { email: "eve@example.test", name: "Eve" })).body.code).toBe("unknown_link");
    expect((await visitor().call("POST", "/api/invitations/show", { token: tokenOf(link) })).body.code).toBe("unknown_link");
    expect(await actionsOf(ada)).toEqual(["account.create", "person.create", "person.sign_in"]);
  });

  test("creates one operator when it is used concurrently", async () => {
    const link = running.makeFirstLink();
    running.work.meanwhile = () => Bun.sleep(20);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => visitor().accept(link, { email: `${at}@example.test`, name: "Ada" })),
    );
    expect(statusesOf(answers)).toEqual(["200", ...Array<string>(7).fill("404")]);
    expect(running.platform.people.count()).toBe(1);
  });

  test("is invalid once there is a person, also one invited with the operator token", async () => {
    const link = running.makeFirstLink();
    const operator = { authorization: `Bearer ${running.operatorToken}` };
    const invited = { email: "bob@example.test", name: "Bob", role: "operator" };
    expect((await visitor().call("POST", "/api/people", invited, operator)).status).toBe(201);
    expect((await visitor().call("POST", "/api/invitations/show", { token: tokenOf(link) })).body.code).toBe("unknown_link");
    expect((await visitor().accept(link, first)).body.code).toBe("unknown_link");
    expect(running.platform.people.count()).toBe(1);
  });

  test("works after the system clock was changed", async () => {
    const link = running.makeFirstLink();
    running.clock.systemAheadMs = 24 * HOUR_MS;
    expect((await visitor().accept(link, first)).status).toBe(200);
  });

  test("is valid for an hour, and replaced by a newer one", async () => {
    const old = running.makeFirstLink();
    const link = running.makeFirstLink();
    expect((await visitor().accept(old, first)).body.code).toBe("unknown_link");
    running.clock.nowMs += HOUR_MS;
    expect((await visitor().accept(link, first)).body.code).toBe("unknown_link");
  });

  test("requires an email address and a name, and is not used up by a mistake", async () => {
    const link = running.makeFirstLink();
    const mistakes: [object, string, string][] = [
      [{}, "missing_required_parameter", "email"],
      [{ email: "ada@example.test" }, "missing_required_parameter", "name"],
      [{ email: "ada", name: "Ada" }, "invalid_value", "email"],
      [{ ...first, password: "too short" }, "invalid_value", "password"],
      [{ ...first, password: "Ada@Example.test" }, "invalid_value", "password"],
      [{ ...first, name: "Augusta Ada King", password: "augusta ada king" }, "invalid_value", "password"],
      [{ ...first, password: "Password2026!" }, "invalid_value", "password"],
      [{ ...first, password: "qwertyuiop12" }, "invalid_value", "password"],
      [{ ...first, password: "aaaaaaaaaaaa" }, "invalid_value", "password"],
      [{ ...first, password: "long".repeat(51) }, "invalid_value", "password"],
      [{ ...first, role: "operator" }, "unsupported_parameter", "role"],
    ];
    for (const [more, code, param] of mistakes) {
      const { status, body, text } = await visitor().accept(link, more);
      expect([more, status, body]).toMatchObject([more, 400, { code, param }]);
      expect(text).not.toContain("augusta");
    }
    expect((await visitor().accept(link, first)).status).toBe(200);
  });
});

describe("an invitation", () => {
  let ada: Visitor;
  beforeEach(async () => {
    ada = await firstOperator(running.url, running.makeFirstLink());
  });

  const inviteBob = (more: object = {}): Promise<Answer> =>
    ada.call("POST", "/api/people", { email: "Bob@Example.test", name: "Bob", role: "member", account: "default", ...more });

  test("shows its link once, and gives a member access to their own account only", async () => {
    const invited = await inviteBob();
    expect([invited.status, invited.body]).toMatchObject([
      201,
      {
        email: "bob@example.test",
        account: "default",
        has_password: false,
        invited_until: "2027-01-08T00:00:00.000Z",
        invitation: { expires_at: "2027-01-08T00:00:00.000Z" },
      },
    ]);
    const link = invited.body.invitation.url;
    expect(link).toStartWith(`${running.url}/welcome#`);
    expect(tokenOf(link)).toMatch(/^[0-9A-Za-z]{43}$/);
    const seen = (await ada.call("GET", "/api/people")).text + (await ada.call("GET", "/api/audit-log")).text;
    expect(seen).not.toContain(tokenOf(link));

    const bob = visitor();
    const shown = (await bob.call("POST", "/api/invitations/show", { token: tokenOf(link) })).body;
    expect(shown).toMatchObject({ email: "bob@example.test", name: "Bob", role: "member" });
    expect((await bob.accept(link, { name: "Robert" })).body).toMatchObject({ name: "Robert", has_password: true, invited_until: null });
    expect((await bob.call("GET", "/api/accounts")).body.data.map(({ id }) => id)).toEqual(["default"]);
    expect((await bob.call("GET", "/api/people")).body.code).toBe("not_permitted");
    await bob.call("POST", "/api/sign-out");
    expect(await bob.isSignedIn()).toBe(false);
    expect((await bob.signIn("bob@example.test")).status).toBe(200);
    const log = await actionsOf(ada);
    expect(log.slice(3)).toEqual(["person.create", "person.accept_invitation", "person.sign_in", "person.sign_out", "person.sign_in"]);
  });

  test("is used once, also concurrently", async () => {
    const link = (await inviteBob()).body.invitation.url;
    running.work.meanwhile = () => Bun.sleep(20);
    const passwords = Array.from({ length: 8 }, (_, at) => `password number ${at}`);
    const answers = await Promise.all(passwords.map((password) => visitor().accept(link, { password })));
    expect(statusesOf(answers)).toEqual(["200", ...Array<string>(7).fill("404")]);
    const winner = passwords[answers.findIndex(({ status }) => status === 200)]!;
    expect((await visitor().signIn("bob@example.test", winner)).status).toBe(200);
    expect((await visitor().accept(link)).body.code).toBe("unknown_link");
  });

  test("is valid for seven days", async () => {
    const link = (await inviteBob()).body.invitation.url;
    running.clock.nowMs += 7 * 24 * HOUR_MS;
    expect((await visitor().accept(link)).body.code).toBe("unknown_link");
  });

  test("cannot be used with another email address", async () => {
    const link = (await inviteBob()).body.invitation.url;
    expect((await visitor().accept(link, { email: "eve@example.test" })).body).toMatchObject({ code: "invalid_value", param: "email" });
  });

  test("can be renewed: the old link is invalid, the password stays valid until the new link is used, and then sessions end", async () => {
    const { visitor: bob, id } = await invite(ada, running.url, { email: "bob@example.test" });
    const lost = (await ada.call("POST", `/api/people/${id}/invitation`)).body.invitation.url;
    const link = (await ada.call("POST", `/api/people/${id}/invitation`)).body.invitation.url;
    expect((await visitor().accept(lost)).body.code).toBe("unknown_link");
    expect(await bob.isSignedIn()).toBe(true);
    expect((await visitor().signIn("bob@example.test")).status).toBe(200);

    expect((await visitor().accept(link, { password: "a new one, long enough" })).status).toBe(200);
    expect(await bob.isSignedIn()).toBe(false);
    expect((await visitor().signIn("bob@example.test")).status).toBe(401);
  });

  test("becomes invalid when the person is disabled, and none is created for them", async () => {
    const { id, invitation } = (await inviteBob()).body;
    await ada.call("PATCH", `/api/people/${id}`, { disabled: true });
    expect((await visitor().accept(invitation.url)).body.code).toBe("unknown_link");
    expect(await ada.call("POST", `/api/people/${id}/invitation`)).toMatchObject({ status: 409, body: { code: "state_conflict" } });
    await ada.call("PATCH", `/api/people/${id}`, { disabled: false });
    expect((await visitor().accept(invitation.url)).body.code).toBe("unknown_link");
  });

  test("is created once per Idempotency-Key, and its link is not shown again", async () => {
    const wanted = { email: "bob@example.test", name: "Bob", role: "operator" };
    const [one, two] = await Promise.all([1, 2].map(() => ada.call("POST", "/api/people", wanted, { "idempotency-key": "bob" })));
    expect(one!.body.id).toBe(two!.body.id);
    expect([one!.body.invitation, two!.body.invitation].filter((each) => each === null)).toHaveLength(1);
  });
});

describe("invalid combinations are rejected", () => {
  let ada: Visitor;
  beforeEach(async () => {
    ada = await firstOperator(running.url, running.makeFirstLink());
  });

  test("a member needs an existing account, an operator has none, and email addresses are unique", async () => {
    const bob = { email: "bob@example.test", name: "Bob" };
    const mistakes: [object, number, string, string][] = [
      [{ ...bob, role: "member" }, 400, "missing_required_parameter", "account"],
      [{ ...bob, role: "member", account: "nowhere" }, 400, "invalid_value", "account"],
      [{ ...bob, role: "operator", account: "default" }, 400, "invalid_value", "account"],
      [{ ...bob, role: "owner" }, 400, "invalid_value", "role"],
      [{ ...bob, role: "operator", email: "ADA@example.test" }, 409, "already_exists", "email"],
      [{ ...bob, role: "operator", email: "a@b@c" }, 400, "invalid_value", "email"],
      [{ ...bob, role: "operator", password: PASSWORD }, 400, "unsupported_parameter", "password"],
    ];
    for (const [wanted, status, code, param] of mistakes) {
      expect(await ada.call("POST", "/api/people", wanted)).toMatchObject({ status, body: { code, param } });
    }
    const { id } = await invite(ada, running.url, { email: "op@example.test", role: "operator", account: undefined });
    for (const changes of [{ role: "member" }, { account: "default" }, { role: "member", account: "nowhere" }]) {
      expect(await ada.call("PATCH", `/api/people/${id}`, changes)).toMatchObject({ status: 400, body: { param: "account" } });
    }
    expect((await ada.call("PATCH", "/api/people/person_doesnotexist", { name: "x" })).body.code).toBe("unknown_person");
  });

  test("the last operator cannot be removed, even by two who demote each other", async () => {
    const [{ id }] = (await ada.call("GET", "/api/people")).body.data as unknown as [{ id: string }];
    const lose = { role: "member", account: "default" };
    for (const changes of [{ disabled: true }, lose]) {
      expect(await ada.call("PATCH", `/api/people/${id}`, changes)).toMatchObject({ status: 409, body: { code: "state_conflict" } });
    }
    const { visitor: bob, id: bobsId } = await invite(ada, running.url, {
      email: "bob@example.test",
      role: "operator",
      account: undefined,
    });
    const answers = await Promise.all([ada.call("PATCH", `/api/people/${bobsId}`, lose), bob.call("PATCH", `/api/people/${id}`, lose)]);
    expect(running.platform.people.countOperators()).toBe(1);
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
  });

  test("people are found by part of their name or email, by role and by account, in pages", async () => {
    await ada.call("POST", "/api/accounts", { id: "acme", name: "Acme" });
    for (const name of ["Bob", "Carol"]) {
      running.clock.nowMs += 1;
      await invite(ada, running.url, { email: `${name.toLowerCase()}@example.test`, name, account: "acme" });
    }
    const namesAt = async (query: string): Promise<unknown[]> =>
      (await ada.call("GET", `/api/people${query}`)).body.data.map(({ name }) => name);
    expect(await namesAt("")).toEqual(["Carol", "Bob", "Ada"]);
    expect(await namesAt("?role=operator")).toEqual(["Ada"]);
    expect(await namesAt("?account=acme&search=CAR")).toEqual(["Carol"]);
    const { data, next } = (await ada.call("GET", "/api/people?limit=2")).body;
    expect(data).toHaveLength(2);
    expect(await namesAt(`?limit=2&cursor=${next}`)).toEqual(["Ada"]);
  });
});
