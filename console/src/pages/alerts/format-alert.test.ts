import { expect, test } from "bun:test";
import { ALERT_KINDS as KINDS_OF_THE_PLATFORM } from "../../../../src/alerts/alert.ts";
import { ALERT_KINDS, formatAlertKinds, alertTitle } from "./format-alert.ts";

test("every alert type has a title, and an unknown type keeps its API name", () => {
  expect([...ALERT_KINDS]).toEqual([...KINDS_OF_THE_PLATFORM]);
  expect(alertTitle("cap.near")).toBe("Spend cap at 80%");
  expect(alertTitle("webhook.test")).toBe("Test");
  expect([alertTitle("disk.full"), alertTitle("constructor")]).toEqual(["disk.full", "constructor"]);
});

test("formats the alert types of a webhook for a table cell", () => {
  expect(formatAlertKinds(null)).toBe("All");
  expect(formatAlertKinds(["cap.near"])).toBe("Spend cap at 80%");
  expect(formatAlertKinds(["cap.near", "cap.reached"])).toBe("2 types");
});
