import { describe, expect, test } from "bun:test";
import { newComplaints } from "./complaints.ts";

describe("an error that a page has logged", () => {
  const complaints = newComplaints();

  test("is reported in the test that caused it", () => {
    complaints.push("an error");
    expect(complaints).toEqual(["an error"]);
  });

  test("does not fail the next test", () => {
    expect(complaints).toEqual([]);
  });
});
