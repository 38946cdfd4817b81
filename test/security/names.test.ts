import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startClockedPlatform, type ClockedPlatform } from "../people/clocked-platform.ts";
import { firstOperator, invite, type Visitor } from "../people/visitor.ts";

let running: ClockedPlatform;
let operator: Visitor;
let member: Visitor;

beforeAll(async () => {
  running = await startClockedPlatform();
  operator = await firstOperator(running.url, running.makeFirstLink());
  ({ visitor: member } = await invite(operator, running.url, { email: "member@example.test" }));
});

afterAll(() => running.stop());

describe("a name", () => {
  for (const [what, name] of [
    ["break a line", "mine\r\nx-forged: 1"],
    ["break a line as Unicode does", "mine\u2028forged"],
    ["move a cursor", "mine\u001B[2J"],
    ["turn what follows around", "mine\u202Eknab"],
    ["turn what follows around, in isolation", "mine\u2067knab"],
    ["hide what follows", "mine\u0000hidden"],
    ["be half a character", "mine\uD800"],
  ] as const) {
    test(`cannot ${what}`, async () => {
      for (const [method, path, body] of [
        ["POST", "/api/keys", { name, models: ["*"] }],
        ["PATCH", "/api/me", { name }],
        ["POST", "/api/me/access-tokens", { name, scopes: ["keys:read"], expires_at: "2027-06-01T00:00:00Z" }],
      ] as const) {
        expect((await member.call(method, path, body)).body).toMatchObject({ code: "invalid_value", param: "name" });
      }
    });
  }

  test("in any script, with emoji and markup, is stored unchanged as text", async () => {
    for (const name of [
      "Ada Łovelace 王",
      "מפתח שלי",
      "👩‍💻 laptop",
      "<script>alert(1)</script>",
      "'; drop table keys; --",
      "${7*7}{{7*7}}",
    ]) {
      const made = await member.call("POST", "/api/keys", { name, models: ["*"] });
      const shown = await operator.call("GET", `/api/keys/${made.body.id}`);
      expect(shown.body).toMatchObject({ name });
    }
  });
});

test("two email addresses cannot look alike or be stored as equal", async () => {
  for (const email of [
    "ada@example.test\u200B",
    "a\u00ADda@example.test",
    "ada\u202E@example.test",
    "ada\uD800@example.test",
    "ada@@example.test",
    "ada@example.test\n",
  ]) {
    const { status, body } = await operator.call("POST", "/api/people", { email, name: "Not Ada", role: "operator" });
    expect([email, status, body.code]).toEqual([email, 400, "invalid_value"]);
  }
});

test("a search is for literal text, not a pattern", async () => {
  for (const name of ["a%b", "a_b", "axb", "a\\b", "a'b"]) await member.call("POST", "/api/keys", { name, models: ["*"] });
  for (const [search, found] of [
    ["a%b", ["a%b"]],
    ["a_b", ["a_b"]],
    ["%", ["a%b"]],
    ["\\", ["a\\b"]],
    ["a'b", ["a'b"]],
    ["a*b", []],
    ["' or '1'='1", []],
  ] as const) {
    const { data } = (await member.call("GET", `/api/keys?search=${encodeURIComponent(search)}`)).body;
    expect([search, data.map(({ name }) => name)]).toEqual([search, [...found]]);
  }
});

test("the Idempotency-Key of another person finds nothing, also within one account", async () => {
  const wanted = { name: "shared", models: ["*"], account: "default" };
  const named = { "idempotency-key": "the-same-for-both" };
  const theirs = await operator.call("POST", "/api/keys", wanted, named);
  const own = await member.call("POST", "/api/keys", wanted, named);
  expect([theirs.status, own.status]).toEqual([201, 201]);
  expect(own.body.id).not.toBe(theirs.body.id);
});

test("no field of a request pollutes Object.prototype", async () => {
  const polluting = '{"name":"x","models":["*"],"caps":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}';
  for (const text of [polluting, '{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}']) {
    const reply = await fetch(`${running.url}/api/keys`, {
      method: "POST",
      headers: { cookie: member.cookie!, "x-tollgate-request": "test", "content-type": "application/json" },
      body: text,
    });
    expect(await reply.json()).toMatchObject({ status: 400, code: "unsupported_parameter" });
  }
  expect("polluted" in {}).toBe(false);
});
