import { expect, test } from "bun:test";
import { ALERT_KINDS as KINDS_OF_THE_PLATFORM } from "../../../../src/vocabulary/alert.ts";
import { ALERT_KINDS, formatAlertKinds, alertTitle } from "./format-alert.ts";

test("every kind of alert has words, and one of a newer platform keeps its name", () => {
  expect([...ALERT_KINDS]).toEqual([...KINDS_OF_THE_PLATFORM]);
  expect(alertTitle("cap.near")).toBe("A cap is near");
  expect(alertTitle("webhook.test")).toBe("A test");
  expect([alertTitle("disk.full"), alertTitle("constructor")]).toEqual(["disk.full", "constructor"]);
});

test("what a webhook is sent fits into a column", () => {
  expect(formatAlertKinds(null)).toBe("All");
  expect(formatAlertKinds(["cap.near"])).toBe("A cap is near");
  expect(formatAlertKinds(["cap.near", "cap.reached"])).toBe("2 kinds");
});
