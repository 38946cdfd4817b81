import { expect, test } from "bun:test";
import { format, inspect } from "node:util";
import { Secret } from "./secret.ts";

// Bun prints the source lines of an error, so the secret text must not be in this file.
const TEXT = ["hunter", "2"].join("");
const secret = new Secret(TEXT);

test("no way to print a value prints a secret", () => {
  const asText = secret as unknown as string;
  const shown = [
    "".concat(asText),
    String(secret),
    `a ${asText}`,
    [secret, secret].join(),
    encodeURIComponent(asText),
    new URLSearchParams({ secret: asText }).toString(),
    JSON.stringify({ secret }),
    JSON.stringify([secret]),
    JSON.stringify(Object.entries(secret)),
    JSON.stringify(Object.assign({}, secret)),
    JSON.stringify(structuredClone(Object.assign({}, secret))),
    inspect({ secret }),
    inspect(secret, { showHidden: true, depth: null }),
    Bun.inspect({ secret }),
    Bun.inspect(new Map([[secret, secret]])),
    Bun.inspect.table([{ secret }]),
    format("%s %o %O %j %d", secret, secret, secret, secret, secret),
  ];
  for (const text of shown) expect(text).not.toContain(TEXT);
});

test("an error with a secret does not expose it", () => {
  const error = new Error(`no ${secret as unknown as string}`, { cause: secret });
  const carrying = Object.assign(new TypeError("failed"), { secret, headers: [secret] });
  for (const each of [error, carrying, new AggregateError([error, carrying], "both")]) {
    const shown = [
      String(each),
      each.stack ?? "",
      inspect(each),
      Bun.inspect(each),
      JSON.stringify(each),
      JSON.stringify(Object.assign({}, each)),
    ];
    for (const text of shown) expect(text).not.toContain(TEXT);
  }
});

test("reveals itself on request, and redacts itself from text", () => {
  expect(secret.reveal()).toBe(TEXT);
  expect(secret.redactFrom(`bad key ${TEXT}!`)).toBe("bad key [secret]!");
});

test("is redacted in URL, JSON and HTML encodings", () => {
  const odd = new Secret('a+b/"c"\\&d=');
  const texts = ['a+b/"c"\\&d=', encodeURIComponent(odd.reveal()), JSON.stringify(odd.reveal()).slice(1, -1), Bun.escapeHTML(odd.reveal())];
  expect(texts.map((text) => odd.redactFrom(`<${text}>`))).toEqual(Array(4).fill("<[secret]>"));
});
