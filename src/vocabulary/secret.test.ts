import { expect, test } from "bun:test";
import { inspect } from "node:util";
import { Secret } from "./secret.ts";

const secret = new Secret("hunter2");

test("nothing that prints a value prints a secret", () => {
  const shown = [
    "".concat(secret as unknown as string),
    String(secret),
    JSON.stringify({ secret }),
    inspect({ secret }),
    Bun.inspect({ secret }),
    JSON.stringify(Object.entries(secret)),
  ];
  for (const text of shown) expect(text).not.toContain("hunter2");
});

test("it gives itself out when asked, and out of text that others wrote", () => {
  expect(secret.reveal()).toBe("hunter2");
  expect(secret.redactFrom("bad key hunter2!")).toBe("bad key [secret]!");
});

test("it is found in the spellings of an address, of JSON and of markup", () => {
  const odd = new Secret('a+b/"c"\\&d=');
  const texts = ['a+b/"c"\\&d=', encodeURIComponent(odd.reveal()), JSON.stringify(odd.reveal()).slice(1, -1), Bun.escapeHTML(odd.reveal())];
  expect(texts.map((text) => odd.redactFrom(`<${text}>`))).toEqual(Array(4).fill("<[secret]>"));
});
