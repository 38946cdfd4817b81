import { expect, test } from "bun:test";
import { Secret } from "../lib/secret/secret.ts";
import { Cursors } from "./cursors.ts";

const SECRET = new Secret("s");
const MEMBER = { role: "member", accountId: "acme" } as const;
const OF_ACME = new Cursors(SECRET, ["listEntries"], MEMBER);

test("a cursor is valid after a restart, and does not reveal its position", () => {
  const cursor = OF_ACME.seal(["2027-01-31", 7]);
  expect(new Cursors(new Secret("s"), ["listEntries"], MEMBER).open(cursor)).toEqual(["2027-01-31", 7]);
  expect(Buffer.from(cursor, "base64url").toString("latin1")).not.toContain("2027");
  expect(OF_ACME.seal(["2027-01-31", 7])).not.toBe(cursor);
  expect(OF_ACME.seal(["2027-01-31", Number.MAX_SAFE_INTEGER]).length).toBe(cursor.length);
});

test("a cursor is invalid for another account, another list, an operator, and under another secret", () => {
  const cursor = OF_ACME.seal([7]);
  const others = [
    new Cursors(SECRET, ["listEntries"], { ...MEMBER, accountId: "other" }),
    new Cursors(SECRET, ["listRequests"], MEMBER),
    new Cursors(SECRET, ["listEntries"], { role: "operator", accountId: null }),
    new Cursors(SECRET, ["listEntries", { id: "acme" }], MEMBER),
    new Cursors(new Secret("t"), ["listEntries"], MEMBER),
  ];
  expect(others.map((each) => each.open(cursor))).toEqual(others.map(() => undefined));
});

test("a changed, truncated or forged cursor is invalid", () => {
  const bytes = Buffer.from(OF_ACME.seal([7]), "base64url");
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    expect(OF_ACME.open(changed.toString("base64url"))).toBeUndefined();
    expect(OF_ACME.open(bytes.subarray(0, at).toString("base64url"))).toBeUndefined();
  }
  for (const made of ["", "x", Buffer.from("[7]").toString("base64url"), "!".repeat(200)]) expect(OF_ACME.open(made)).toBeUndefined();
});

test("no cursor begins with a hyphen, as an option of a command line does", () => {
  const cursors = Array.from({ length: 2000 }, () => OF_ACME.seal([7]));
  expect(cursors.filter((cursor) => cursor.startsWith("-"))).toEqual([]);
});
