import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { makeApiKey } from "../../src/access/api-key.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";

interface KeyView {
  readonly id: string;
  readonly key: string;
  readonly active: boolean;
  readonly previous_key_works_until: string | null;
  readonly last_used_at: string | null;
}

interface ModelKeyPage {
  readonly data: { key: string; account: string; requests: number; last_used_at: string }[];
  readonly next: string | null;
}

let mock: MockUpstream;
let gateway: RunningGateway;

beforeAll(async () => {
  mock = startMockUpstream({ "up-m": () => Response.json(completion()), "up-meta/llama": () => Response.json(completion()) });
  gateway = await startGateway({ yaml: configFor(mock.baseUrl, ["m", "meta/llama"]) });
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

const works = async (key: string): Promise<boolean> =>
  (await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } })).ok;

const call = (key: string, model: string): Promise<Response> =>
  fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });

const show = (id: string): Promise<KeyView> => gateway.platform("GET", `/api/keys/${id}`);
const rotate = (id: string, body: object = {}): Promise<KeyView> => gateway.platform("POST", `/api/keys/${id}/rotate`, body);
const changesTo = async (id: string): Promise<Record<string, unknown>[]> =>
  (await gateway.platform<{ data: Record<string, unknown>[] }>("GET", `/api/audit-log?kind=key&id=${id}`)).data;

const usersOf = (query = ""): Promise<ModelKeyPage> => gateway.platform("GET", `/api/models/meta%2Fllama/keys${query}`);

/** The error of a call that must fail. */
const refusalOf = (refused: Promise<unknown>): Promise<unknown> =>
  refused.then(
    () => undefined,
    (error: Error) => JSON.parse(error.message) as unknown,
  );

/** Sends a leaked key for revocation, without any credential. */
const surrender = (key: unknown): Promise<Response> =>
  fetch(`${gateway.platformUrl}/api/keys/revoke`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key }),
  });

describe("a rotation", () => {
  test("creates a new secret for the same ID, and both work during the grace period", async () => {
    const { id, key } = await gateway.makeKey();
    const before = Date.now();
    const rotated = await rotate(id, { grace_period_seconds: 1 });
    expect([rotated.id, rotated.key === key]).toEqual([id, false]);
    expect(Date.parse(rotated.previous_key_works_until!)).toBeWithin(before + 1000, Date.now() + 1001);
    expect(await works(rotated.key)).toBe(true);
    const end = Date.parse(rotated.previous_key_works_until!);
    const old = await works(key);
    if (Date.now() < end) expect(old).toBe(true);
    await waitFor(() => Date.now() > end);
    expect([await works(key), await works(rotated.key)]).toEqual([false, true]);
    expect((await show(id)).previous_key_works_until).toBeNull();
  });

  test("has a grace period of a day by default, and none for 0", async () => {
    const { id, key } = await gateway.makeKey();
    const first = await rotate(id);
    expect(Date.parse(first.previous_key_works_until!) - Date.now()).toBeWithin(86_000_000, 86_400_001);
    expect(await works(key)).toBe(true);
    const second = await rotate(id, { grace_period_seconds: 0 });
    expect([await works(key), await works(first.key), await works(second.key)]).toEqual([false, false, true]);
  });

  test("during the grace period of another ends the oldest secret", async () => {
    const { id, key } = await gateway.makeKey();
    const first = await rotate(id);
    const second = await rotate(id);
    expect([await works(key), await works(first.key), await works(second.key)]).toEqual([false, true, true]);
  });

  test("survives a restart, is in the audit log, and stores no plaintext", async () => {
    const { id, key } = await gateway.makeKey();
    const rotated = await rotate(id, { grace_period_seconds: 1000 });
    const { folder } = gateway;
    await gateway.end();
    gateway = await startGateway({ folder });
    expect([await works(key), await works(rotated.key)]).toEqual([true, true]);
    const changes = await changesTo(id);
    expect(changes).toMatchObject([
      { action: "key.rotate", actor: "operator-token", before: { previous_key_works_until: null } },
      { action: "key.create" },
    ]);
    expect(changes[0]!["after"]).toMatchObject({ previous_key_works_until: rotated.previous_key_works_until });
    for (const text of [key, rotated.key]) expect(JSON.stringify([changes, await show(id)])).not.toContain(text.slice(23));
  });

  test("is rejected for a revoked key and for an invalid grace period", async () => {
    const { id } = await gateway.makeKey();
    for (const overlap of [-1, 30 * 86_400 + 1, 1.5, "1"]) {
      expect(await refusalOf(rotate(id, { grace_period_seconds: overlap }))).toMatchObject({ status: 400, param: "grace_period_seconds" });
    }
    await gateway.platform("DELETE", `/api/keys/${id}`);
    expect(await refusalOf(rotate(id))).toMatchObject({ code: "state_conflict" });
    expect(await refusalOf(rotate("unknown"))).toMatchObject({ code: "unknown_key" });
  });
});

describe("the holder of a key", () => {
  test("can revoke it without another credential, and the audit log has the address", async () => {
    const { id, key } = await gateway.makeKey();
    const reply = await surrender(`${key}\n`);
    expect([reply.status, await reply.json()]).toEqual([200, { id, revoked: true, key_still_works: false }]);
    expect(await works(key)).toBe(false);
    expect(await show(id)).toMatchObject({ active: false });
    const again = await surrender(key);
    expect([again.status, await again.json()]).toEqual([200, { id, revoked: true, key_still_works: false }]);
    expect(await changesTo(id)).toMatchObject([
      {
        action: "key.revoke",
        actor: "key-holder",
        actor_name: "the key's holder",
        address: "127.0.0.1",
        account: "default",
        after: { id },
      },
      { action: "key.create" },
    ]);
  });

  test("revokes the submitted secret of a rotated key: the old one alone, or both with the new one", async () => {
    const { id, key } = await gateway.makeKey();
    const rotated = await rotate(id);
    for (let time = 0; time < 2; time++) expect((await surrender(key)).status).toBe(200);
    expect([await works(key), await works(rotated.key)]).toEqual([false, true]);
    expect(await show(id)).toMatchObject({ active: true, previous_key_works_until: null });
    expect((await changesTo(id)).map(({ action }) => action)).toEqual(["key.revoke_previous", "key.rotate", "key.create"]);
    const third = await rotate(id);
    await surrender(third.key);
    expect([await works(rotated.key), await works(third.key)]).toEqual([false, false]);
  });

  test("can revoke it while the database is unwritable, receives 500 because it is not recorded, and can retry", async () => {
    const database = new Database(join(gateway.folder, "data", "tollgate.db"));
    // The gateway writes to the same file.
    database.run("pragma busy_timeout = 120000");
    const { id, key } = await gateway.makeKey();
    const rotated = await rotate(id);
    database.run("create trigger no_writes before update on keys begin select raise(abort, 'the disk is full'); end");
    try {
      for (let time = 0; time < 2; time++) expect((await surrender(key)).status).toBe(500);
      expect([await works(key), await works(rotated.key)]).toEqual([false, true]);
      expect((await surrender(rotated.key)).status).toBe(500);
      expect(await works(rotated.key)).toBe(false);
    } finally {
      database.run("drop trigger no_writes");
    }
    expect((await surrender(rotated.key)).status).toBe(200);
    expect(database.query("select revoked_at_ms from keys where id = ?").get(id)).toEqual({ revoked_at_ms: expect.any(Number) as number });
    expect((await changesTo(id)).map(({ action }) => action)).toEqual(["key.revoke", "key.rotate", "key.create"]);
    database.close();
  });

  test("receives the same error for every unknown key; a flood is throttled, and a real key is still revoked", async () => {
    const { id, key } = await gateway.makeKey();
    const { key: first } = await gateway.makeKey();
    const forged = makeApiKey(id).key.reveal();
    const junk = ["", "junk", `${key}x`, key.slice(0, -1), makeApiKey().key.reveal(), forged, "a".repeat(100_000)];
    const answers = await Promise.all(
      junk.map(async (text) => {
        const reply = await surrender(text);
        const { request_id: _, ...problem } = (await reply.json()) as Record<string, unknown>;
        return JSON.stringify([reply.status, problem]);
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('[404,{"type":"urn:tollgate:problem:unknown_key"');
    expect((await surrender(5)).status).toBe(400);
    const flood = await Promise.all(Array.from({ length: 40 }, () => surrender(forged)));
    expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([404, 429]));
    const slowed = flood.find(({ status }) => status === 429)!;
    expect(Number(slowed.headers.get("retry-after"))).toBeWithin(1, 60);
    expect(await slowed.json()).toMatchObject({ code: "too_many_attempts" });
    expect([await works(key), (await surrender(first)).status]).toEqual([true, 200]);
  });

  test("finds it in no log, wherever it was in the request", async () => {
    const { key } = await gateway.makeKey();
    const post = (path: string, body: object): Promise<Response> =>
      fetch(gateway.platformUrl + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    await post("/api/keys/revoke", { [key]: 1 });
    await post(`/api/keys/revoke?${key}`, { key });
    await post(`/api/keys/${key}/nothing`, { key });
    await surrender(key);
    const last = await surrender("the last");
    await last.text();
    await waitFor(() => gateway.output().includes(last.headers.get("x-request-id")!));
    expect(gateway.output()).not.toContain(key.slice(23));
  });
});

describe("the last use of a key", () => {
  test("is shown at once, also for a rejected request, and after a restart", async () => {
    const { id, key } = await gateway.makeKey(["m"]);
    expect((await show(id)).last_used_at).toBeNull();
    const before = Date.now();
    await call(key, "nothing");
    const { last_used_at: used } = await show(id);
    expect(Date.parse(used!)).toBeWithin(before, Date.now() + 1);
    const listed = await gateway.platform<{ data: KeyView[] }>("GET", "/api/keys");
    expect(listed.data.find((each) => each.id === id)!.last_used_at).toBe(used);
    await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${makeApiKey(id).key.reveal()}` } });
    const { folder } = gateway;
    await gateway.end();
    gateway = await startGateway({ folder });
    expect((await show(id)).last_used_at).toBe(used);
  });
});

describe("the keys of a model", () => {
  test("are those with admitted requests, in pages, with counts and times", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "acme", name: "Acme" });
    await gateway.platform("POST", "/api/accounts/acme/grants", { amount: "5", reference: "first", reason: "for tests" });
    const keys = [await gateway.makeKey(), await gateway.makeKey(["m"]), await gateway.makeKey(["*"], { account: "acme" })];
    for (const { key } of [...keys, keys[0]!]) await (await call(key, "meta/llama")).text();
    const [mine, , acmes] = keys.map(({ id }) => id);
    const { data } = await usersOf();
    expect(Object.fromEntries(data.map(({ key, requests }) => [key, requests]))).toEqual({ [mine!]: 2, [acmes!]: 1 });
    expect(data.find(({ key }) => key === acmes)).toMatchObject({ account: "acme", name: "test" });
    const first = await usersOf("?limit=1");
    const second = await usersOf(`?limit=1&cursor=${first.next}`);
    expect([...first.data, ...second.data, second.next]).toEqual([...data, null]);
    expect((await usersOf("?account=acme")).data.map(({ key }) => key)).toEqual([acmes!]);
    const after = new Date(
      Date.parse(
        data
          .map((each) => each.last_used_at)
          .toSorted()
          .at(-1)!,
      ) + 1,
    ).toISOString();
    expect((await usersOf(`?since=${after}`)).data).toEqual([]);
  });

  test("are a 404 for an unknown model, and survive a restart", async () => {
    expect(await refusalOf(gateway.platform("GET", "/api/models/nothing/keys"))).toMatchObject({ code: "unknown_model" });
    const { data } = await usersOf();
    const { folder } = gateway;
    await gateway.end();
    gateway = await startGateway({ folder });
    expect(await usersOf()).toEqual({ data, next: null });
  });
});
