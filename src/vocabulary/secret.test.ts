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
