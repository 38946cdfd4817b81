import { afterAll, beforeAll, expect, test } from "bun:test";
import { ownChange } from "../../src/access/change.ts";
import { importKey, sha256Of } from "../../src/access/api-key.ts";
import { NO_CAPS, NO_LIMITS } from "../../src/money/limits.ts";
import { OPERATOR, openPlatform } from "../support/gateway/platform-in-process.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** Keys of another gateway can be short, or chosen by their users. */

const IMPORTED = "sk-Qm3xTz81vLw0rYbN";
let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { TOLLGATE_TRUSTED_PROXIES: "127.0.0.1" } });
});
afterAll(() => gateway.stop());

function importKeys(...keys: string[]): Promise<{ keys: { id: string; outcome: string }[] }> {
  const wanted = keys.map((key) => ({ sha256: sha256Of(key), name: key, account: "default", models: ["*"] }));
  return gateway.platform("POST", "/api/imports/keys", { from: "litellm", keys: wanted });
}

function statusOf(key: string, from: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "x-forwarded-for": from };
  return fetch(`${gateway.baseUrl}/models`, { headers }).then(({ status }) => status);
}

test("an address that tries keys is throttled before it finds one, and nobody else is", async () => {
  const known = "sk-Yb72KwPq0sLmVx9d";
  await importKeys(IMPORTED, known);
  const { key: issued } = await gateway.makeKey(["*"]);
  expect(await statusOf(known, "192.0.2.7")).toBe(200);
  const tries = await Promise.all(Array.from({ length: 500 }, (_, at) => statusOf(`sk-guess-${at}`, "192.0.2.7")));
  expect(tries.filter((status) => status === 401).length).toBe(60);
  expect(tries.filter((status) => status === 429).length).toBe(440);
  // Even the correct key, which has not been used before.
  expect(await statusOf(IMPORTED, "192.0.2.7")).toBe(429);
  expect(await Promise.all([statusOf(known, "192.0.2.7"), statusOf(issued, "192.0.2.7"), statusOf(IMPORTED, "192.0.2.8")])).toEqual([
    200, 200, 200,
  ]);
});

test("a key that anybody would guess is not imported", async () => {
  const { keys } = await importKeys("sk-1234", "sk-L0ngAndRandom4417");
  expect(keys.map(({ outcome }) => outcome)).toEqual(["guessable", "created"]);
  expect([await statusOf("sk-1234", "192.0.2.9"), await statusOf("sk-L0ngAndRandom4417", "192.0.2.9")]).toEqual([401, 200]);
});

test("such a key that an earlier import has brought is paused", async () => {
  const opened = await openPlatform(new Map());
  const { platform } = opened;
  const sha256 = sha256Of("sk-1234");
  const wanted = {
    name: "k",
    accountId: "default",
    models: ["*"],
    limits: NO_LIMITS,
    caps: NO_CAPS,
    expiresAtMs: null,
    createdAtMs: 0,
    pausedAtMs: null,
  };
  const record = importKey(wanted, sha256, { from: "litellm", source: null, atMs: 0 }, platform.hashSecret);
  await platform.keys.add(record, ownChange("key.import", { kind: "key", id: record.id }, null, 0));
  const body = { from: "litellm", keys: [{ sha256, name: "k", account: "default", models: ["*"] }] };
  expect((await opened.call(OPERATOR, "importKeys", { body })).body).toEqual({ keys: [{ id: record.id, outcome: "guessable" }] });
  expect(platform.keys.find(record.id)!.pausedAtMs).toBeNumber();
  await opened.stop();
});
