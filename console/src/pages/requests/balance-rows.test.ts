import { expect, test } from "bun:test";
import type { Account, Key } from "../../platform/interface.ts";
import { pursesOf } from "./balance-rows.ts";

const spent = { day: "1", month: "4", total: "9" };
const account = { credit: "10", held: "0.5", available: "9.5", spent, caps: { month: "4.25" } } as unknown as Account;
const key = { held: "0", spent, caps: { day: "2", month: null } } as unknown as Key;

test("credit and every cap that is set are told, with what is left when what is held counts as used", () => {
  expect(pursesOf(account, key)).toEqual([
    { name: "Credit of the account", cap: null, used: "0.5", left: "9.5", isEmpty: false },
    { name: "Monthly cap of the account", cap: "4.25", used: "4.500000000", left: "-0.250000000", isEmpty: true },
    { name: "Daily cap of the key", cap: "2", used: "1.000000000", left: "1.000000000", isEmpty: false },
  ]);
});

test("a cap that is used to the last is not a hair over it", () => {
  const used = { ...key, held: "0.2", spent: { ...spent, day: "0.1" }, caps: { day: "0.3" } } as unknown as Key;
  expect(pursesOf(account, used).at(-1)).toMatchObject({ used: "0.300000000", left: "0.000000000", isEmpty: true });
});

test("a key that cannot be seen leaves the account's", () => {
  expect(pursesOf(account, undefined).map(({ name }) => name)).toEqual(["Credit of the account", "Monthly cap of the account"]);
});
