import { expect, test } from "bun:test";
import { activeFilters } from "./format-filters.ts";

const format = (search: object): string[] =>
  activeFilters(search, (id) => (id === "k1" ? "backend" : id)).map(({ title, value }) => `${title}: ${value}`);

test("labels filters, shows keys by name, and leaves out view settings", () => {
  expect(format({ key: "k1", outcome: "refused,client_closed", since: "24h", live: "on" })).toEqual([
    "Key: backend",
    "Outcome: rejected or client disconnected",
    "Time: last 24 hours",
  ]);
});

test("shows unknown values in the URL unchanged", () => {
  expect(format({ key: "gone", outcome: "constructor", since: "a while", from: "yesterday" })).toEqual([
    "Key: gone",
    "Outcome: constructor",
    "Time: a while",
    "From: yesterday",
  ]);
});

test("shows amounts with their units", () => {
  expect(
    format({ min_cost: "0.5", max_duration_ms: "2500", min_tokens: "12000", max_attempts: "many", error: "no", sort: "cost" }),
  ).toEqual(["Minimum cost: $0.50", "Maximum duration: 2.50 s", "Minimum tokens: 12,000", "Maximum attempts: many", "Error text: no"]);
});
