import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { plainModel } from "../../src/models/catalog.ts";
import { FREE } from "../../src/money/price.ts";
import { hold, settlement } from "../support/money/ledger-samples.ts";
import { memberOf, openPlatform, OPERATOR, type CallResult, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";

const PRICE = { input_per_million: 1, output_per_million: 2 };
const END = { shutdown_date: "2999-01-31", replacement: "new" };
const found = { ...plainModel("found", { upstream: "u", upstreamModel: "m" }), prices: [FREE] };

let open: PlatformInProcess;
const keys: Record<string, string> = {};

beforeAll(async () => {
  open = await openPlatform(new Map([[found.id, found]]));
  const make = async (operationId: string, body: object): Promise<string> => {
    const made = await open.call(OPERATOR, operationId, { body });
    expect([made.status, made.text]).toEqual([201, made.text]);
    return String(made.body["id"]);
  };
  await make("createUpstream", { id: "box", dialect: "openai", base_url: "https://box.example/v1" });
  for (const id of ["old", "new"]) await make("createModel", { id, routes: [{ upstream: "box", model: id }], price: PRICE });
  for (const account of ["acme", "beta"]) await make("createAccount", { id: account, name: account });
  for (const name of ["acme-1", "acme-2", "beta-1"])
    keys[name] = await make("createKey", { name, account: name.slice(0, 4), models: ["*"] });
  for (const [name, keyId] of Object.entries(keys)) {
    const atMs = Date.now() - 60_000;
    await open.stores.ledger.hold(hold(name, 5000n, { accountId: name.slice(0, 4), keyId, model: "old", atMs }));
    await open.stores.ledger.settle(name, settlement(4000n, { atMs }));
  }
});

afterAll(() => open.stop());

const ask = (operationId: string, id: string, body?: object, query = "preview=true", actor = OPERATOR): Promise<CallResult> =>
  open.call(actor, operationId, { params: { id }, query, ...(body && { body }) });

/** All state that a change could affect. */
async function everything(): Promise<unknown> {
  const lists = ["listKeys", "listAccounts", "listModels", "listAnnouncements", "listChanges"];
  return Promise.all(lists.map(async (operationId) => (await open.call(OPERATOR, operationId)).body));
}

const CHANGES: [operationId: string, id: () => string, body: object][] = [
  ["updateKey", () => keys["acme-1"]!, { models: ["new"], name: "another name", expires_at: "2999-01-01" }],
  ["updateAccount", () => "acme", { caps: { day: "0.000001" }, limits: { requests_per_minute: 1 } }],
  ["updateModel", () => "old", { price: { ...PRICE, input_per_million: 1.5 } }],
  ["deprecateModel", () => "old", END],
];

test("a preview saves nothing, announces nothing, and is not audited", async () => {
  const before = await everything();
  for (const [operationId, id, body] of CHANGES) {
    const { status, body: preview } = await ask(operationId, id(), body);
    expect([operationId, status, preview["requests"]]).toEqual([operationId, 200, expect.any(Number) as number]);
    expect(preview["money"]).toBeDefined();
  }
  expect(await everything()).toEqual(before);
});

describe("a preview is rejected like the change itself:", () => {
  const WRONG: [why: string, operationId: string, id: string, body?: object][] = [
    ["a key that is not there", "updateKey", "nosuchthing0", {}],
    ["an account that is not there", "updateAccount", "nobody", {}],
    ["a model that is not there", "updateModel", "none-such", {}],
    ["a model that was found", "updateModel", "found", { free: true }],
    ["a wrong field", "updateAccount", "acme", { caps: { day: "much" } }],
    ["an unknown field", "updateAccount", "acme", { day: "5" }],
    ["null if it means nothing", "updateAccount", "acme", { limits: null }],
    ["an upstream that is not there", "updateModel", "old", { routes: [{ upstream: "nowhere", model: "m" }] }],
    ["a replacement that is not there", "deprecateModel", "old", { ...END, replacement: "none-such" }],
    ["a day that is over", "deprecateModel", "old", { ...END, shutdown_date: "2001-01-31" }],
    ["a move that skips one", "retireModel", "old"],
  ];
  for (const [why, operationId, id, body] of WRONG) {
    test(why, async () => {
      const [looked, changed] = [await ask(operationId, id, body), await ask(operationId, id, body, "")];
      expect(changed.status).toBeGreaterThanOrEqual(400);
      expect(looked).toEqual(changed);
    });
  }

  test("and for a value that is neither true nor false", async () => {
    expect(await ask("updateAccount", "acme", {}, "preview=1")).toMatchObject({ status: 400, body: { code: "invalid_value" } });
    expect(await ask("updateAccount", "acme", {}, "preview=true&preview=true")).toMatchObject({ status: 400 });
    expect(await ask("rotateKey", keys["acme-1"]!, {})).toMatchObject({ status: 400, body: { code: "unsupported_parameter" } });
  });
});

test("preview=false makes the change", async () => {
  const { body } = await ask("updateAccount", "beta", { name: "Beta" }, "preview=false");
  expect([body["name"], open.stores.accounts.find("beta")!.name]).toEqual(["Beta", "Beta"]);
});

test("an unchanged resource has no effect", async () => {
  await ask("updateKey", keys["beta-1"]!, { caps: { total: "0.000000001" }, models: ["new"], limits: { tokens_per_minute: 1 } }, "");
  const body = { name: "Beta 1", models: ["new"], caps: { total: "0.000000001" } };
  const nothing = { requests: 1, refused: 0, refused_by: {}, keys: { count: 0, first: [] }, models: { count: 0, first: [] } };
  expect((await ask("updateKey", keys["beta-1"]!, body)).body).toMatchObject(nothing);
  const sameModel = { price: PRICE, context_window: 1000 };
  expect((await ask("updateModel", "old", sameModel)).body).toMatchObject({ ...nothing, requests: 3, price: null });
});

test("a model without a price in force would have rejected all requests", async () => {
  const { body } = await ask("updateModel", "old", { prices: [{ ...PRICE, effective: "2999-01-01" }] });
  expect(body).toMatchObject({ requests: 3, refused: 3, refused_by: { model_not_allowed: 3 }, keys: { count: 3 } });
});

test("a member previews changes of their own key only", async () => {
  const acme = memberOf("acme");
  const own = await ask("updateKey", keys["acme-1"]!, { models: ["new"] }, "preview=true", acme);
  const row = {
    id: keys["acme-1"],
    name: "acme-1",
    account: "acme",
    requests: 1,
    refused: 1,
    charged: "0.000004",
    would_be_charged: "0.00",
  };
  expect(own.body).toMatchObject({ requests: 1, refused: 1, keys: { count: 1, first: [row] } });
  for (const foreign of ["acme-2", "beta-1", keys["acme-2"]!, keys["beta-1"]!]) expect(own.text).not.toContain(foreign);
  const another = await ask("updateKey", keys["beta-1"]!, { models: ["new"] }, "preview=true", acme);
  const nobody = await ask("updateKey", "nosuchthing0", { models: ["new"] }, "preview=true", acme);
  expect(another).toEqual({ ...nobody, text: nobody.text.replace("nosuchthing0", keys["beta-1"]!) });
  expect(nobody.status).toBe(404);
});
