import { expect, test } from "bun:test";
import { leftToRight } from "./locale.ts";

test("replaces languages that are written from right to left by English of the same region", () => {
  expect(["ar", "he-IL", "fa", "ur-PK", "de-DE", "ja", "en", "pa-Arab"].map(leftToRight)).toEqual([
    "en-EG",
    "en-IL",
    "en-IR",
    "en-PK",
    "de-DE",
    "ja",
    "en",
    "en-PK",
  ]);
});
