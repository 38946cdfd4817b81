import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { ClientIdentities } from "./client-identities.ts";

const hidden = (text: string, ...names: string[]): string => new ClientIdentities(names, []).redactIn(text);
const hiddenInJson = (text: string, ...names: string[]): string => new ClientIdentities(names, []).redactInJson(text);

test("hides names in the message of an upstream, however they are spelled there", () => {
  expect(hidden("user Ada@Example.com: ada%40example.com", "ada@example.com")).toBe("user [redacted]: [redacted]");
  expect(hidden(String.raw`{"user":"a\"b\/caf\u00E9"}`, 'a"b/café')).toBe('{"user":"[redacted]"}');
  expect(hidden("&lt;ada&gt; and <ada>", "<ada>")).toBe("[redacted] and [redacted]");
  expect(hidden("用户小明不存在", "小明")).toBe("用户[redacted]不存在");
  expect(new ClientIdentities(["ada-1"], ["ada-1-thread"]).redactIn("ada-1-thread of ada-1")).toBe("[redacted] of [redacted]");
});

test("hides a short name as a word, or as a string of JSON, and nothing else", () => {
  expect(hidden("cannot: user ann is 1 of 10, ann", "ann", "1")).toBe("cannot: user [redacted] is [redacted] of 10, [redacted]");
  expect(hiddenInJson('{"user":"1","n":1,"text":"1 of 1"}', "1")).toBe('{"user":"[redacted]","n":1,"text":"1 of 1"}');
});

test("hides a long name also where it was cut short", () => {
  const name = "x".repeat(5000);
  expect(hiddenInJson(`{"user":"${name}","n":1}`, name)).toBe('{"user":"[redacted]","n":1}');
  expect(hidden(`user ${name.slice(0, 1000)}`, name)).toBe("user [redacted]");
});

test("hides any name in JSON, and does not print it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 40 }), (user) => {
      const identities = new ClientIdentities([user], []);
      expect(identities.redactInJson(JSON.stringify({ user }))).not.toContain(JSON.stringify(user));
    }),
  );
  expect(Bun.inspect(new ClientIdentities(["ada@example.com"], [])) + JSON.stringify(new ClientIdentities(["ada"], []))).not.toContain(
    "ada",
  );
});
