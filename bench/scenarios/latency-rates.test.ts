import { expect, test } from "bun:test";
import { isTollgateName } from "../systems/system.ts";
import { ratesFor } from "./latency-rates.ts";

test("each system has its own half of its peak, and a faster relay ours", () => {
  const peaks = new Map([
    ["nginx", 50_000],
    ["tollgate", 6001],
    ["tollgate-2", 11_000],
    ["portkey", 500],
    ["litellm", 1.5],
  ]);
  expect(Object.fromEntries(ratesFor(peaks, 0.5, isTollgateName))).toEqual({
    nginx: 5500,
    tollgate: 3000,
    "tollgate-2": 5500,
    portkey: 250,
    litellm: 1,
  });
});
