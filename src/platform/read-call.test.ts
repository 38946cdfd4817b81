import { afterAll, beforeAll, expect, test } from "bun:test";
import { operations } from "./operations.ts";
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

test("every change without a body rejects one, and accepts an object without fields", async () => {
  const withoutBody = operations(opened.platform).filter(({ method, body }) => method !== "GET" && !body);
  expect(withoutBody.length).toBeGreaterThan(15);
  expect(new Set(withoutBody.map(({ method }) => method))).toContain("DELETE");
  for (const { operationId } of withoutBody) {
    const refused = await opened.call(OPERATOR, operationId, { params: { id: "x" }, body: { force: true } });
    expect([operationId, refused.status, refused.text]).toEqual([operationId, 400, "This call takes no request body."]);
  }
  for (const body of [{}, undefined]) {
    expect((await opened.call(OPERATOR, "removeKey", { params: { id: "x" }, ...(body && { body }) })).body["code"]).toBe("unknown_key");
  }
});

test(
  "a long body of spaces where none is taken does not stop the process",
  async () => {
    for (const [body, code] of [
      [`${" ".repeat(200_000)}x`, "invalid_value"],
      [`{${" ".repeat(200_000)}x`, "invalid_value"],
      [" ".repeat(200_000), "unknown_key"],
      [" \r\n{ } ", "unknown_key"],
    ] as const) {
      expect((await opened.call(OPERATOR, "removeKey", { params: { id: "x" }, body })).body["code"]).toBe(code);
    }
  },
  // Before the fix, it took more than a minute.
  { timeout: 30_000 },
);

test("rejects a body with a number that cannot be represented", async () => {
  const body = { name: "k", models: ["*"], limits: { requests_per_minute: 9577354647427634 } };
  const { status, text } = await opened.call(OPERATOR, "createKey", { body });
  expect([status, text]).toEqual([400, "limits.requests_per_minute must be between 1 and 1000000000."]);
});
