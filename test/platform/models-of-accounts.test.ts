import { afterAll, beforeAll, expect, test } from "bun:test";
import { hold, settlement } from "../support/money/ledger-samples.ts";
import { memberOf, openPlatform, OPERATOR, type CallResult, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";

const [ACME, BETA] = [memberOf("acme"), memberOf("beta")];
const NOW = Date.parse("2027-03-10T12:00:00Z");
const MODEL = { routes: [{ upstream: "u", model: "m" }], free: true };

let platform: PlatformInProcess;

beforeAll(async () => {
  platform = await openPlatform(new Map(), { nowMs: () => NOW });
  await create("createUpstream", { id: "u", dialect: "openai", base_url: "https://u.example/v1", credential: "c" });
  for (const id of ["acme", "beta"]) await create("createAccount", { id, name: id });
  await create("createModel", { id: "open", ...MODEL });
});

afterAll(() => platform.stop());

async function create(operationId: string, body: object): Promise<Record<string, unknown>> {
  const { status, body: made, text } = await platform.call(OPERATOR, operationId, { body });
  expect([status, status === 201 ? "" : text]).toEqual([201, ""]);
  return made;
}

function update(id: string, body: object, query?: string): Promise<CallResult> {
  return platform.call(OPERATOR, "updateModel", { params: { id }, body, ...(query !== undefined && { query }) });
}

async function idsFor(actor: typeof ACME, operationId = "listModels", field = "id"): Promise<unknown[]> {
  const { body } = await platform.call(actor, operationId);
  return (body["data"] as Record<string, unknown>[]).map((each) => each[field]);
}

async function errorFor(accounts: unknown): Promise<unknown> {
  const { status, text } = await platform.call(OPERATOR, "createModel", { body: { id: "bad", ...MODEL, accounts } });
  return [status, text];
}

/** The rejections that a preview counts for the model `open` with these accounts. */
async function rejectedWith(accounts: readonly string[] | null): Promise<unknown> {
  return (await update("open", { accounts }, "preview=true")).body["refused_by"];
}

test("an operator sets, sees and clears the accounts of a model, and the audit log has both states", async () => {
  expect(await create("createModel", { id: "team", ...MODEL, accounts: ["acme"] })).toMatchObject({ accounts: ["acme"] });
  expect((await update("team", { accounts: ["acme", "beta"] })).body).toMatchObject({ accounts: ["acme", "beta"] });
  expect((await update("team", { owned_by: "us" })).body).toMatchObject({ accounts: ["acme", "beta"] });
  expect((await update("team", { accounts: null })).body).toMatchObject({ accounts: null });
  const [cleared] = await platform.stores.auditLog.page({ targetKind: "model", targetId: "team" }, Number.MAX_SAFE_INTEGER, 1);
  expect(cleared!.before).toMatchObject({ accounts: ["acme", "beta"] });
  expect(cleared!.after).not.toHaveProperty("accounts");
  expect((await platform.call(ACME, "showModel", { params: { id: "team" } })).body).not.toHaveProperty("accounts");
});

test("unknown accounts, repeated ones and an empty list are rejected", async () => {
  expect(await errorFor(["acme", "nobody"])).toEqual([400, 'accounts[1] names "nobody", and there is no such account.']);
  expect(await errorFor(["acme", "acme"])).toEqual([400, 'accounts[1] repeats "acme".']);
  expect(await errorFor([])).toEqual([400, expect.stringContaining("accounts must have") as string]);
  expect((await update("open", { accounts: ["nobody"] })).status).toBe(400);
  expect((await update("open", { accounts: ["nobody"] }, "preview=true")).status).toBe(400);
});

test("members of other accounts see nothing of the model, also after it was retired or removed", async () => {
  const routes = MODEL.routes;
  for (const id of ["secret", "secret-retired", "secret-removed"])
    await create("createModel", { id, routes, free: true, accounts: ["acme"] });
  expect(await idsFor(ACME)).toContain("secret");
  expect(await idsFor(ACME, "listAnnouncements", "model")).toContain("secret");
  await platform.call(OPERATOR, "deprecateModel", {
    params: { id: "secret-retired" },
    body: { shutdown_date: "2999-01-31", replacement: "open" },
  });
  await platform.call(OPERATOR, "retireModel", { params: { id: "secret-retired" } });
  expect((await platform.call(OPERATOR, "removeModel", { params: { id: "secret-removed" } })).status).toBe(200);
  const seen = [await idsFor(BETA), await idsFor(BETA, "listAnnouncements", "model"), (await platform.call(BETA, "showFeed")).text];
  expect(JSON.stringify(seen)).not.toContain("secret");
  expect(await idsFor(ACME, "listAnnouncements", "model")).toContain("secret-retired");
  const refused = async (id: string): Promise<unknown> => {
    const { status, text } = await platform.call(BETA, "showModel", { params: { id } });
    return [status, text.replaceAll(id, "ID")];
  };
  expect(await refused("secret")).toEqual(await refused("nowhere"));
  const key = (await create("createKey", { name: "k", account: "beta", models: ["*"] }))["id"] as string;
  const { body } = await platform.call(OPERATOR, "listModels", { query: `key=${key}` });
  expect(JSON.stringify(body)).not.toContain("secret");
});

test("a model that other accounts may call is not replaced by one that they may not, whose name they would learn", async () => {
  const routes = MODEL.routes;
  await create("createModel", { id: "everybody's", ...MODEL });
  await create("createModel", { id: "acme's", routes, free: true, accounts: ["acme"] });
  await create("createModel", { id: "of-both", routes, free: true, accounts: ["beta", "acme"] });
  const deprecate = async (id: string, replacement: string): Promise<[number, string]> => {
    const body = { shutdown_date: "2999-01-31", replacement };
    const { status, text } = await platform.call(OPERATOR, "deprecateModel", { params: { id }, body });
    return [status, status === 200 ? "" : text];
  };
  for (const id of ["everybody's", "of-both"]) {
    const why = `replacement names acme's, which is restricted to accounts, and others may call ${id}.`;
    expect(await deprecate(id, "acme's")).toEqual([400, why]);
  }
  expect(await deprecate("acme's", "of-both")).toEqual([200, ""]);
});

test("names in the list of a key match no model that its account may not call", async () => {
  const body = { name: "k", account: "beta", models: ["secret", "open"] };
  expect((await platform.call(BETA, "createKey", { body })).body).toMatchObject({ unknown_models: ["secret"] });
});

test("a preview counts the requests of accounts that could no longer call the model", async () => {
  const { ledger } = platform.stores;
  for (const [at, account] of ["acme", "beta", "beta"].entries()) {
    const key = await create("createKey", { name: "k", account, models: ["*"] });
    const request = { accountId: account, keyId: String(key["id"]), model: "open", atMs: NOW - 60_000 };
    await ledger.hold(hold(`request-${at}`, 0n, request));
    await ledger.settle(`request-${at}`, settlement(0n, { atMs: NOW - 50_000 }));
  }
  expect(await rejectedWith(["acme"])).toEqual({ model_not_allowed: 2 });
  expect(await rejectedWith(["acme", "beta"])).toEqual({});
  expect(await rejectedWith(null)).toEqual({});
});

test("an account cannot be removed while a model names it, whether or not it is archived", async () => {
  await create("createAccount", { id: "leaving", name: "Leaving" });
  await create("createModel", { id: "theirs", ...MODEL, accounts: ["leaving", "acme"] });
  await platform.call(OPERATOR, "updateAccount", { params: { id: "leaving" }, body: { archived: true } });
  const refused = await platform.call(OPERATOR, "removeAccount", { params: { id: "leaving" } });
  expect([refused.status, refused.body["code"], refused.text]).toEqual([
    409,
    "still_in_use",
    expect.stringContaining("the models theirs") as string,
  ]);
  await update("theirs", { accounts: ["acme"] });
  expect((await platform.call(OPERATOR, "removeAccount", { params: { id: "leaving" } })).status).toBe(200);
});
