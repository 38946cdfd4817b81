import { afterAll, beforeAll, expect, test } from "bun:test";
import { OPERATOR, openPlatform, type PlatformInProcess } from "../../test/support/gateway/platform-in-process.ts";

let opened: PlatformInProcess;
beforeAll(async () => {
  opened = await openPlatform();
});
afterAll(() => opened.stop());

test.each([
  ["limit=9577354647427634", "limit must be between 1 and 1000."],
  [`limit=${"9".repeat(400)}`, "limit must be between 1 and 1000."],
  ["limit=999999999999999", "limit must be between 1 and 1000, not 999999999999999."],
  ["limit=0", "limit must be between 1 and 1000, not 0."],
  ["limit=-5", "limit must be between 1 and 1000, not -5."],
  ["limit=ten", 'limit must be an integer, not "ten".'],
  ["limit=1.5", 'limit must be an integer, not "1.5".'],
])("a query of %s is rejected, and the message names the range", async (query, message) => {
  expect(await opened.call(OPERATOR, "listKeys", { query })).toMatchObject({ status: 400, text: message });
});

test("rejects a body with a number that cannot be represented", async () => {
  const body = { name: "k", models: ["*"], limits: { requests_per_minute: 9577354647427634 } };
  const { status, text } = await opened.call(OPERATOR, "createKey", { body });
  expect([status, text]).toEqual([400, "limits.requests_per_minute must be between 1 and 1000000000."]);
});
