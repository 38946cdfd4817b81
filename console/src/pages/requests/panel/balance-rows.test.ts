import { expect, test } from "bun:test";
import type { Account, Key } from "../../../../../platform-client/types.ts";
import { balancesOf } from "./balance-rows.ts";

const spent = { day: "1", month: "4", total: "9" };
const account = { credit: "10", held: "0.5", available: "9.5", spent, caps: { month: "4.25" } } as unknown as Account;
const key = { held: "0", spent, caps: { day: "2", month: null } } as unknown as Key;

test("lists credit and spend caps, and counts reservations as used", () => {
  expect(balancesOf(account, key)).toEqual([
    { name: "Account credit", cap: null, used: "0.5", remaining: "9.5", isUsedUp: false },
    { name: "Monthly spend cap of the account", cap: "4.25", used: "4.500000000", remaining: "-0.250000000", isUsedUp: true },
    { name: "Daily spend cap of the key", cap: "2", used: "1.000000000", remaining: "1.000000000", isUsedUp: false },
  ]);
});

test("marks a spend cap as used up without rounding errors", () => {
  const used = { ...key, held: "0.2", spent: { ...spent, day: "0.1" }, caps: { day: "0.3" } } as unknown as Key;
  expect(balancesOf(account, used).at(-1)).toMatchObject({ used: "0.300000000", remaining: "0.000000000", isUsedUp: true });
});

test("lists only the account where the key is not visible", () => {
  expect(balancesOf(account, undefined).map(({ name }) => name)).toEqual(["Account credit", "Monthly spend cap of the account"]);
});
