import { afterAll, beforeAll, expect, test } from "bun:test";
import { FREE } from "../../src/money/price.ts";
import { plainModel, type Model } from "../../src/models/catalog.ts";
import { hold, settlement } from "../support/money/ledger-samples.ts";
import { memberOf, openPlatform, OPERATOR, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";

const ACME = memberOf("acme");
const BETA = memberOf("beta");

const model: Model = { ...plainModel("m", { upstream: "u", upstreamModel: "m" }), routes: [], prices: [FREE] };

let platform: PlatformInProcess;
const keys: Record<string, string> = {};

beforeAll(async () => {
  platform = await openPlatform(new Map([[model.id, model]]));
  const { ledger, lastUsed } = platform.stores;
  for (const id of ["acme", "beta"]) {
    await platform.call(OPERATOR, "createAccount", { body: { id, name: id } });
    const { body } = await platform.call(memberOf(id), "createKey", { body: { name: id, models: ["*"] } });
    const keyId = String(body["id"]);
    keys[id] = keyId;
    await ledger.hold(hold(id, 5n, { accountId: id, keyId, atMs: Date.now() - 1000 }));
    await ledger.settle(id, settlement(5n, { atMs: Date.now() - 1000 }));
    lastUsed.noteModel(keyId, "m", Date.now());
  }
});

afterAll(() => platform.stop());

const rotate = (id: string): Promise<{ status: number; body: object; text: string }> =>
  platform.call(ACME, "rotateKey", { params: { id }, body: { grace_period_seconds: 0 } });

const listed = async (actor: typeof ACME, operationId: string, query = ""): Promise<unknown[]> =>
  (await platform.call(actor, operationId, { query, params: { id: "m" } })).body["data"] as unknown[];

test("a member sees the usage of their own account, and another account is not found", async () => {
  const idsSeen = async (actor: typeof ACME, query: string): Promise<unknown[]> =>
    (await listed(actor, "showUsage", query)).map((row) => (row as Record<string, unknown>)["account"]);
  expect(await idsSeen(OPERATOR, "?by=account")).toEqual(["acme", "beta"]);
  expect(await idsSeen(ACME, "?by=account")).toEqual(["acme"]);
  for (const query of ["account=beta", `key=${keys["beta"]}`, "account=nobody", "key=nobody", `account=acme&key=${keys["beta"]}`]) {
    expect([query, await idsSeen(ACME, `?by=account&${query}`)]).toEqual([query, []]);
  }
  expect(await idsSeen(OPERATOR, `?by=account&key=${keys["beta"]}`)).toEqual(["beta"]);
  expect(await idsSeen(BETA, `?by=account&key=${keys["beta"]}&model=m`)).toEqual(["beta"]);
});

const unknownOf = async (actor: typeof ACME, operationId: string, body: object): Promise<unknown> =>
  (await platform.call(actor, operationId, { body })).body["unknown_models"];

test("a new key or account names the models of its list that match none, for a member those that they cannot see too", async () => {
  const models = ["m", "m*", "*", "n", "n*"];
  expect(await unknownOf(OPERATOR, "createKey", { name: "k", models })).toEqual(["n", "n*"]);
  expect(await unknownOf(OPERATOR, "createAccount", { id: "narrow", name: "narrow", models: ["nothing"] })).toEqual(["nothing"]);
  expect(await unknownOf(OPERATOR, "createAccount", { id: "wide", name: "wide" })).toEqual([]);
  expect(await unknownOf(memberOf("narrow"), "createKey", { name: "k", models })).toEqual(["m", "m*", "n", "n*"]);
});

test("a member sees which of their own keys use a model", async () => {
  const keysSeen = async (actor: typeof ACME, query = ""): Promise<unknown[]> =>
    (await listed(actor, "listModelKeys", query)).map((row) => (row as Record<string, unknown>)["key"]);
  expect(new Set(await keysSeen(OPERATOR))).toEqual(new Set(Object.values(keys)));
  expect(await keysSeen(ACME)).toEqual([keys["acme"]]);
  expect(await keysSeen(ACME, "?account=beta")).toEqual([]);
});

test("a member sees grants without the operator's name, and their own keys by name", async () => {
  for (const operationId of ["grantCredit", "adjustCredit"]) {
    const body = { amount: "1", reason: "test", reference: operationId };
    expect((await platform.call(OPERATOR, operationId, { params: { id: "acme" }, body })).status).toBe(201);
  }
  const actorsSeen = async (actor: typeof ACME): Promise<unknown[]> =>
    ((await platform.call(actor, "listEntries", { params: { id: "acme" } })).body["data"] as Record<string, unknown>[]).map(
      (entry) => entry["actor"],
    );
  const [, , ...requests] = await actorsSeen(OPERATOR);
  expect(await actorsSeen(OPERATOR)).toEqual([OPERATOR.id, OPERATOR.id, ...requests]);
  expect(await actorsSeen(ACME)).toEqual(["operator", "operator", ...requests]);
  expect(requests.length).toBeGreaterThan(0);
});

test("a member rotates their own keys, and other keys are not found", async () => {
  const another = await rotate(keys["beta"]!);
  expect({ ...another, text: another.text.replace(keys["beta"]!, "nobody") }).toEqual(await rotate("nobody"));
  expect(await rotate("nobody")).toMatchObject({ status: 404, body: { code: "unknown_key" } });
  expect(await rotate(keys["acme"]!)).toMatchObject({ status: 200, body: { key: expect.stringContaining(keys["acme"]!) } });
});

test("usage checks its time range, and is paginated", async () => {
  for (const [query, param] of [
    ["from=2027-01-02&to=2027-01-01", "from"],
    ["from=2025-01-01&to=2026-12-31", "from"],
    ["from=yesterday", "from"],
    ["from=2026-12-31T23:00:00Z&to=2027-01-01&zone=Europe/Berlin", "from"],
    ["zone=Europe/Atlantis", "zone"],
    ["zone=%2B01:00", "zone"],
    ["by=minute", "by"],
    ["by=day,hour", "by"],
    ["by=model,model", "by"],
    ["by=day,model,key", "by"],
    ["by=", "by"],
    ["by=key&cursor=WzEsMl0", "cursor"],
  ]) {
    const { status, text } = await platform.call(OPERATOR, "showUsage", { query: query! });
    expect([query, status, text.split(" ")[0]!]).toEqual([query!, 400, param!]);
  }
  expect(await platform.call(ACME, "showUsage", { query: "by=upstream" })).toMatchObject({ status: 400 });
  expect(await platform.call(ACME, "showUsage", { query: "by=day,upstream" })).toMatchObject({ status: 400 });
  expect(await platform.call(OPERATOR, "showUsage", { query: "by=upstream" })).toMatchObject({ status: 200 });
  const first = (await platform.call(OPERATOR, "showUsage", { query: "by=key&limit=1" })).body as { data: object[]; next: string };
  const second = (await platform.call(OPERATOR, "showUsage", { query: `by=key&limit=1&cursor=${first.next}` })).body as typeof first;
  const ids = [...first.data, ...second.data].map((row) => (row as { key: string }).key);
  expect([ids, second.next]).toEqual([Object.values(keys).toSorted(), null as unknown as string]);
  expect(first.data).toMatchObject([{ requests: 1, prompt_tokens: 11, cached_tokens: 3, completion_tokens: 22, cost: "0.000000005" }]);
});
