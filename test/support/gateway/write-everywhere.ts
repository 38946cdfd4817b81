import { expect } from "bun:test";
import { makeAlert } from "../../../src/alerts/alert.ts";
import { issueAccessToken } from "../../../src/access/access-token.ts";
import { ownChange } from "../../../src/access/change.ts";
import { makeSavedView } from "../../../src/access/saved-view.ts";
import { Secret } from "../../../src/lib/secret/secret.ts";
import { beginSession } from "../../../src/access/session.ts";
import { answer, hold, settlement } from "../money/ledger-samples.ts";
import { OPERATOR, type PlatformInProcess } from "./platform-in-process.ts";

/** Changes something in every table of the stores. A few tables change only when the stores are closed. */
export async function writeEverywhere(running: PlatformInProcess, nowMs: number): Promise<void> {
  const create = async (operationId: string, body: object, params = {}): Promise<Record<string, unknown>> => {
    const { status, text, body: created } = await running.call(OPERATOR, operationId, { body, params });
    expect([operationId, status, status >= 300 && text]).toEqual([operationId, 201, false]);
    return created;
  };
  const { id: keyId } = await create("createKey", { name: "new", models: ["*"], account: "default" });
  await create("createAccount", { id: "new", name: "New" });
  await create("grantCredit", { amount: "5", reference: "new", reason: "new" }, { id: "default" });
  await create("createUpstream", { id: "new", dialect: "openai", base_url: "https://example.com/v1", credential: "credential-of-new" });
  await create("createPriceList", { id: "new", name: "New", percent: 80 });
  await create("createModel", {
    id: "new",
    routes: [{ upstream: "new", model: "m" }],
    price: { input_per_million: 7, output_per_million: 9 },
  });
  const { id: personId } = await create("invitePerson", { email: "new@example.com", name: "New", role: "operator" });
  const { id: webhookId } = await create("createWebhook", { name: "new", url: "https://example.com/hook" });
  await signIn(running, String(personId), nowMs);
  await use(running, String(keyId), nowMs);
  const alert = makeAlert("credit.low", {}, nowMs);
  const found = { subject: "account:new", mark: { value: "low", atMs: nowMs }, alert, webhookIds: [String(webhookId)] };
  await running.stores.alerts.raise([found], 1);
}

async function signIn({ stores }: PlatformInProcess, personId: string, nowMs: number): Promise<void> {
  const person = stores.people.find(personId)!;
  const change = ownChange("session.create", { kind: "session", id: "new" }, {}, nowMs);
  await stores.sessions.add(beginSession(person, { address: null, userAgent: null }, nowMs).session, change);
  const wanted = { name: "new", scopes: [], expiresAtMs: nowMs + 1000 };
  await stores.accessTokens.add(issueAccessToken(person, wanted, new Secret("hash"), nowMs).record, change);
  const view = makeSavedView({ personId, name: "new", page: "/", query: "" }, nowMs);
  await stores.savedViews.update(view.id, () => ({ record: view, change }));
  await stores.catalog.recordDiscovered({ upstream: "new", baseUrl: "https://a.example/v1", models: [], foundAtMs: nowMs });
}

async function use({ stores }: PlatformInProcess, keyId: string, nowMs: number): Promise<void> {
  const names = { accountId: "default", keyId, actor: keyId, model: "new", atMs: nowMs };
  const { version } = stores.catalog.snapshot().get("new")!.prices[0]!;
  const usage = { promptTokens: 1, completionTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  await stores.ledger.hold(hold("req_new", 100_000n, { ...names, priceVersion: version }));
  await stores.ledger.settle("req_new", settlement(16_000n, { usage, atMs: nowMs }), answer("new", { atMs: nowMs }));
  stores.lastUsed.noteKey(keyId, nowMs);
  stores.lastUsed.noteModel(keyId, "new", nowMs);
  await stores.hourlySpend.put([[keyId, { hour: 1, nanos: 1n, totalNanos: 1n, days: [] }]]);
}
