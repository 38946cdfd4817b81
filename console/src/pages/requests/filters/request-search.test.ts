import { expect, test } from "bun:test";
import { filtersOf, hasFilters, isLive, sortOf, toQuery, withoutFilters, withSort } from "./request-search.ts";

const NOW = Date.parse("2027-01-31T12:00:00Z");

test("passes the filters in the URL to the API", () => {
  const search = { model: "gpt-4o", outcome: "refused,failed", from: "2027-01-30T00:00:00Z", to: "2027-01-31T00:00:00Z", live: "on" };
  const { live: _, ...filters } = search;
  expect(toQuery(search, NOW)).toEqual(filters);
});

test("computes a relative range from now, and overrides from and to", () => {
  expect(toQuery({ since: "1h", from: "2020-01-01T00:00:00Z", to: "2020-01-02T00:00:00Z" }, NOW)).toEqual({
    from: "2027-01-31T11:00:00.000Z",
  });
});

test("ignores an unknown relative range", () => {
  expect(toQuery({ since: "a while" }, NOW)).toEqual({});
});

test("keeps the view settings when filters are cleared", () => {
  expect(withoutFilters({ model: "a", live: "on" })).toEqual({ live: "on" });
  expect(hasFilters({ live: "on" })).toBe(false);
  expect(hasFilters({ live: "on", code: "overloaded" })).toBe(true);
});

test("does not update a range with an end", () => {
  expect(isLive({ live: "on" })).toBe(true);
  expect(isLive({ live: "on", to: "2027-01-01T00:00:00Z" })).toBe(false);
  expect(isLive({})).toBe(false);
});

test("sorts in the URL, and leaves out defaults", () => {
  expect(sortOf({})).toEqual({ column: "time", direction: "descending" });
  for (const sort of [
    { column: "cost", direction: "descending" },
    { column: "cost", direction: "ascending" },
    { column: "time", direction: "ascending" },
  ] as const) {
    const search = withSort({ model: "a", live: "on" }, sort);
    expect(sortOf(search)).toEqual(sort);
    expect(isLive(search)).toBe(false);
    expect(filtersOf(toQuery(search, NOW))).toEqual({ model: "a" });
  }
  expect(withSort({ sort: "cost", order: "lowest", live: "on" }, { column: "time", direction: "descending" })).toEqual({ live: "on" });
});
