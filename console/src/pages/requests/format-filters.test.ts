import { expect, test } from "bun:test";
import { filtersInForce } from "./format-filters.ts";

const inWords = (search: object): string[] =>
  filtersInForce(search, (id) => (id === "k1" ? "backend" : id)).map(({ title, value }) => `${title}: ${value}`);

test("filters are told in words, keys by their names, and how the list is looked at is no filter", () => {
  expect(inWords({ key: "k1", outcome: "refused,left", since: "24h", live: "on" })).toEqual([
    "Key: backend",
    "Outcome: refused or caller left",
    "Time: last 24 hours",
  ]);
});

test("what an address has that nobody knows is told as it is", () => {
  expect(inWords({ key: "gone", outcome: "constructor", since: "a while", from: "yesterday" })).toEqual([
    "Key: gone",
    "Outcome: constructor",
    "Time: a while",
    "From: yesterday",
  ]);
});
