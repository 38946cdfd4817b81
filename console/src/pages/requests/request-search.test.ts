import { expect, test } from "bun:test";
import { hasFilters, isFollowed, toQuery, withoutFilters } from "./request-search.ts";

const NOW = Date.parse("2027-01-31T12:00:00Z");

test("what is in the address is asked for as it is there", () => {
  const search = { model: "gpt-4o", outcome: "refused,failed", from: "2027-01-30T00:00:00Z", to: "2027-01-31T00:00:00Z", live: "on" };
  const { live: _, ...filters } = search;
  expect(toQuery(search, NOW)).toEqual(filters);
});

test("the last hour is reckoned from now, and takes the place of a span", () => {
  expect(toQuery({ since: "1h", from: "2020-01-01T00:00:00Z", to: "2020-01-02T00:00:00Z" }, NOW)).toEqual({
    from: "2027-01-31T11:00:00.000Z",
  });
});

test("a length of time that nobody knows is left out", () => {
  expect(toQuery({ since: "a while" }, NOW)).toEqual({});
});

test("clearing filters leaves how the list is looked at", () => {
  expect(withoutFilters({ model: "a", live: "on" })).toEqual({ live: "on" });
  expect(hasFilters({ live: "on" })).toBe(false);
  expect(hasFilters({ live: "on", code: "overloaded" })).toBe(true);
});

test("a span that has ended is not followed", () => {
  expect(isFollowed({ live: "on" })).toBe(true);
  expect(isFollowed({ live: "on", to: "2027-01-01T00:00:00Z" })).toBe(false);
  expect(isFollowed({})).toBe(false);
});
