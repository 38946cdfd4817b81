import { expect, test } from "bun:test";
import { ALERT_KINDS as KINDS_OF_THE_PLATFORM } from "../../../../src/vocabulary/alert.ts";
import { ALERT_KINDS, kindsInWords, titleOf } from "./format-alert.ts";

test("every kind of alert has words, and one of a newer platform keeps its name", () => {
  expect([...ALERT_KINDS]).toEqual([...KINDS_OF_THE_PLATFORM]);
  expect(titleOf("cap.near")).toBe("A cap is near");
  expect(titleOf("webhook.test")).toBe("A test");
  expect([titleOf("disk.full"), titleOf("constructor")]).toEqual(["disk.full", "constructor"]);
});

test("what a webhook is sent fits into a column", () => {
  expect(kindsInWords(null)).toBe("All");
  expect(kindsInWords(["cap.near"])).toBe("A cap is near");
  expect(kindsInWords(["cap.near", "cap.reached"])).toBe("2 kinds");
});
