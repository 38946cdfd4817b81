import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ImportedKeys, Key, KeyPage, NewKey } from "../../platform-client/types.ts";
import { sha256Of } from "../../src/access/api-key.ts";
import { chatBody, postChat, type Reply } from "../money/post-chat.ts";
import { startGateway, waitFor } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";

const upstream = startMockUpstream({ "up-good": () => Response.json(completion()) });
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["good"]) });
await gateway.platform("POST", "/api/accounts", { id: "team", name: "Team", credit_line: "unlimited" });

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

let made = 0;

/** A key in the form in which another gateway has issued it. */
function oldKey(): string {
  return `sk-${sha256Of(`old ${++made}`).slice(0, 22)}`;
}

function importKeys(...keys: readonly object[]): Promise<ImportedKeys> {
  return gateway.platform("POST", "/api/imports/keys", { from: "litellm", keys });
}

function wanted(old: string, more: object = {}): object {
  return { sha256: sha256Of(old), name: "app", account: "team", models: ["*"], ...more };
}

async function outcomesOf(...keys: readonly object[]): Promise<readonly string[]> {
  return (await importKeys(...keys)).keys.map(({ outcome }) => outcome);
}

function call(key: string): Promise<Reply> {
  return postChat(gateway, key, chatBody("good"));
}

test("callers go on with the key that they have, within its models, caps, expiry and state", async () => {
  const [free, bounded, paused, expired] = [oldKey(), oldKey(), oldKey(), oldKey()];
  const { keys } = await importKeys(
    wanted(free, { created_at: "2025-03-01T00:00:00Z" }),
    wanted(bounded, { caps: { total: "0" }, models: ["good"] }),
    wanted(paused, { paused: true }),
    wanted(expired, { expires_at: "2025-01-01T00:00:00Z" }),
  );
  expect(keys.map(({ outcome }) => outcome)).toEqual(["created", "created", "created", "created"]);
  const replies = await Promise.all([free, bounded, paused, expired, oldKey(), sha256Of(free)].map(call));
  expect(replies.map(({ status, code }) => `${status} ${code ?? ""}`.trim())).toEqual([
    "200",
    "402 budget_exceeded",
    "401 api_key_paused",
    "401 invalid_api_key",
    "401 invalid_api_key",
    "401 invalid_api_key",
  ]);
  const { id } = keys[0]!;
  const shown = await gateway.platform<Key>("GET", `/api/keys/${id}`);
  expect(shown).toMatchObject({ account: "team", created_at: "2025-03-01T00:00:00.000Z", imported: { from: "litellm" } });
  const { data } = await gateway.platform<KeyPage>("GET", "/api/keys?imported=true&sort=last_used");
  // Keys that were never used are last.
  expect(data.slice(0, 2).map((key) => key.id)).toContain(id);
  expect(data.filter(({ imported }) => imported === null)).toEqual([]);
  expect((await gateway.platform<KeyPage>("GET", "/api/keys?imported=false")).data.map((key) => key.id)).not.toContain(id);
});

test("a second import changes nothing, another state of the source is taken over, and what was done here stays", async () => {
  const [same, rotated, revoked] = [oldKey(), oldKey(), oldKey()];
  const all = [same, rotated, revoked].map((old) => wanted(old));
  const { keys } = await importKeys(...all);
  expect(await outcomesOf(...all)).toEqual(["unchanged", "unchanged", "unchanged"]);
  expect(await outcomesOf(wanted(same, { paused: true }))).toEqual(["updated"]);
  expect(await outcomesOf(wanted(same, { paused: true }))).toEqual(["unchanged"]);
  expect((await call(same)).code).toBe("api_key_paused");
  await gateway.platform<NewKey>("POST", `/api/keys/${keys[1]!.id}/rotate`, { grace_period_seconds: 0 });
  await gateway.platform("DELETE", `/api/keys/${keys[2]!.id}`);
  expect(await outcomesOf(...all.slice(1))).toEqual(["kept", "kept"]);
  // The same for a paused key: another import must not end the pause.
  expect(await outcomesOf(wanted(same))).toEqual(["kept"]);
  expect((await call(same)).code).toBe("api_key_paused");
  await gateway.platform("POST", "/api/accounts", { id: "other", name: "Other" });
  expect(await outcomesOf(wanted(same, { account: "other" }))).toEqual(["conflict"]);
});

test("a rotation issues a secret of ours, and the old key works until its grace period ends", async () => {
  const old = oldKey();
  const { keys } = await importKeys(wanted(old));
  const { key, imported, id } = await gateway.platform<NewKey>("POST", `/api/keys/${keys[0]!.id}/rotate`, {});
  expect([key!.startsWith(`sk-service-${id}`), imported]).toEqual([true, null]);
  expect([(await call(old)).status, (await call(key!)).status]).toEqual([200, 200]);
  await gateway.platform("POST", `/api/keys/${id}/rotate`, { grace_period_seconds: 0 });
  expect([(await call(old)).status, (await call(key!)).status]).toEqual([401, 401]);
});

test("the finder of a leaked imported key can revoke it, and no log has its text", async () => {
  const old = oldKey();
  await importKeys(wanted(old));
  expect((await call(old)).status).toBe(200);
  await fetch(`${gateway.baseUrl}/${old}`);
  const revoke = (): Promise<Response> =>
    fetch(`${gateway.platformUrl}/api/keys/revoke`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ key: old }),
    });
  expect((await revoke()).status).toBe(200);
  const last = await call(old);
  expect(last.code).toBe("invalid_api_key");
  await waitFor(() => gateway.output().includes(last.requestId));
  const stored = readFileSync(join(gateway.folder, "data", "tollgate.db")).toString("latin1");
  expect([gateway.output().includes(old), stored.includes(old), stored.includes(sha256Of(old))]).toEqual([false, false, false]);
});

test("one wrong key of a call is named, and none is imported", async () => {
  const old = oldKey();
  for (const [wrong, place] of [
    [wanted(oldKey(), { sha256: "abc" }), "keys[1].sha256"],
    [wanted(oldKey(), { account: "nobody" }), "account"],
    [wanted(oldKey(), { expires_at: "soon" }), "keys[1].expires_at"],
  ] as const) {
    const [refused] = await Promise.allSettled([importKeys(wanted(old), wrong)]);
    expect(String((refused as PromiseRejectedResult).reason)).toContain(place);
  }
  expect((await call(old)).status).toBe(401);
});

test("operators find the accounts of imported keys by their hashes, also after a rotation", async () => {
  const [old, rotated, unknown] = [oldKey(), oldKey(), oldKey()];
  const { keys } = await importKeys(wanted(old), wanted(rotated));
  await gateway.platform("POST", `/api/keys/${keys[1]!.id}/rotate`, {});
  const body = { sha256: [old, unknown, rotated].map(sha256Of) };
  expect(await gateway.platform<object>("POST", "/api/imports/keys/find", body)).toEqual({
    keys: [keys[0]!.id, null, keys[1]!.id],
    accounts: ["team", null, "team"],
  });
  const [failed] = await Promise.allSettled([gateway.platform("POST", "/api/imports/keys/find", { sha256: [old] })]);
  expect(String((failed as PromiseRejectedResult).reason)).toContain("sha256[0]");
});
