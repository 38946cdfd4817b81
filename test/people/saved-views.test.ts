import { afterAll, beforeAll, expect, test } from "bun:test";
import { MAX_SAVED_VIEWS } from "../../src/access/saved-view.ts";
import { startClockedPlatform, type ClockedPlatform } from "./clocked-platform.ts";
import { firstOperator, invite, type Visitor } from "./visitor.ts";

let running: ClockedPlatform;
let ada: Visitor;
let bob: Visitor;

beforeAll(async () => {
  running = await startClockedPlatform();
  ada = await firstOperator(running.url, running.makeFirstLink());
  ({ visitor: bob } = await invite(ada, running.url, { email: "bob@example.test" }));
});
afterAll(() => running.stop());

const VIEW = { name: "Failed", page: "/requests", query: "outcome=failed&user=mary%40example.test" };

const listOf = async (person: Visitor): Promise<readonly Record<string, unknown>[]> =>
  (await person.call("GET", "/api/me/views")).body.data;

test("a person saves, renames and deletes views, which nobody else sees", async () => {
  const made = await ada.call("POST", "/api/me/views", VIEW);
  expect([made.status, made.body]).toMatchObject([201, { ...VIEW, created_at: "2027-01-01T00:00:00.000Z" }]);
  const { id } = made.body;
  expect(await listOf(bob)).toEqual([]);
  for (const [method, body] of [
    ["PATCH", { name: "mine" }],
    ["DELETE", undefined],
  ] as const) {
    const foreign = await bob.call(method, `/api/me/views/${id}`, body);
    expect([foreign.status, foreign.body.code]).toEqual([404, "unknown_view"]);
  }
  await bob.call("POST", "/api/me/views", VIEW);
  const renamed = await ada.call("PATCH", `/api/me/views/${id}`, { name: "Failures" });
  expect(renamed.body).toMatchObject({ ...VIEW, id, name: "Failures" });
  await ada.call("POST", "/api/me/views", { name: "By key", page: "/", query: "by=key" });
  expect((await listOf(ada)).map(({ name }) => name)).toEqual(["By key", "Failures"]);
  expect((await ada.call("DELETE", `/api/me/views/${id}`)).status).toBe(200);
  expect((await listOf(ada)).map(({ name }) => name)).toEqual(["By key"]);
  expect(await listOf(bob)).toHaveLength(1);
});

test("the audit log has the name of a view, and no filter, which may name an end user", async () => {
  const { data } = (await ada.call("GET", "/api/audit-log?kind=saved_view")).body;
  expect(new Set(data.map(({ action }) => action))).toEqual(new Set(["saved_view.create", "saved_view.update", "saved_view.remove"]));
  expect(JSON.stringify(data)).not.toContain("mary");
});

test("rejects a second view of the same name, other sites' addresses, unknown fields and too many views", async () => {
  const taken = await bob.call("POST", "/api/me/views", VIEW);
  expect([taken.status, taken.body]).toMatchObject([409, { code: "already_exists", param: "name" }]);
  for (const wrong of [
    { page: "//evil.example" },
    { page: "/\\evil.example" },
    { page: "requests" },
    { page: "/requests?x" },
    { query: "?a=b" },
    { query: "a=b#c" },
    { name: "" },
    { owner: "x" },
  ]) {
    const { status } = await bob.call("POST", "/api/me/views", { ...VIEW, name: "new", ...wrong });
    expect([wrong, status]).toEqual([wrong, 400]);
  }
  for (let at = 1; at < MAX_SAVED_VIEWS; at++) await bob.call("POST", "/api/me/views", { ...VIEW, name: `view ${at}` });
  expect((await bob.call("POST", "/api/me/views", { ...VIEW, name: "one more" })).status).toBe(409);
  expect(await listOf(bob)).toHaveLength(MAX_SAVED_VIEWS);
});
