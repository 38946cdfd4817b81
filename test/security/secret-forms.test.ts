import { expect, test } from "bun:test";
import { formsOf } from "./secret-forms.ts";

const basic = (before: string): string => Buffer.from(`${before}${SECRET}:after`).toString("base64");
const SECRET = 'päss "wörd"\\ +/&<canary> 0123456789abcdef';

test("finds a secret in every encoding, at any position", () => {
  for (const [disguise, text] of Object.entries({
    plain: `before ${SECRET} after`,
    cut: SECRET.slice(-31),
    json: JSON.stringify({ said: SECRET }),
    "json in json": JSON.stringify({ said: JSON.stringify({ said: SECRET }) }),
    query: new URLSearchParams({ a: "b", token: SECRET }).toString(),
    address: `https://example.test/${encodeURIComponent(SECRET)}`,
    hex: Buffer.from(SECRET).toString("hex").toUpperCase(),
    base64: basic(""),
    "base64, one further": basic("a"),
    "base64, two further": basic("ab"),
    base64url: Buffer.from(`user:${SECRET}`).toString("base64url"),
    html: Bun.escapeHTML(SECRET),
    backwards: Array.from(SECRET).toReversed().join(""),
  })) {
    expect([disguise, formsOf(SECRET).some((form) => text.includes(form))]).toEqual([disguise, true]);
  }
});

test("ignores the public part of a secret", () => {
  const text = "the key sk-service-0123456789ab was used";
  expect(formsOf(`sk-service-0123456789ab${"x".repeat(38)}`, "sk-service-0123456789ab").some((form) => text.includes(form))).toBe(false);
});
