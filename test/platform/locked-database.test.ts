import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { Database as SqliteFile } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeAlert } from "../../src/alerts/alert.ts";
import { toApiError } from "../../src/http/error-reply.ts";
import { operations } from "../../src/platform/operations.ts";
import type { Actor } from "../../src/access/access.ts";
import { RequestNotes } from "../../src/requests/request-notes.ts";
import { SampleProcesses } from "../support/gateway/sample-processes.ts";
import { openPlatform, OPERATOR, type CallInput, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";

const PASSWORD = "a long enough password";

/** Operations that write nothing to the database, or that write nothing without a provider, a config file or a receiver. */
const WRITE_NOTHING = new Set([
  "callAsKey",
  "reconcileBill",
  "findImportedKeys",
  "testUpstream",
  "testCredential",
  "examineUpstream",
  "testWebhook",
  "redeliver",
  "showInvitation",
  "reloadConfig",
  // Written to separate files.
  "createExport",
  "cancelExport",
  "removeExport",
  // Rejected here, because no database is shared.
  "writeOffInstance",
]);

/** Operations that revoke access do so at once, even if they cannot record it: a key, an old invitation. */
const TAKE_AWAY = new Set([
  "revokeKey",
  "revokeKeyByPossession",
  "updatePerson",
  "renewInvitation",
  "endSessions",
  "revokeAccessToken",
  "revokeServiceToken",
]);

/**
 * A ledger entry that could not be written waits, and is written as soon as that is possible; its credit cannot be spent before. A commit
 * may be durable although it fails, so it cannot be withdrawn. A retry with the same reference finds it.
 */
const WAITS = "grantCredit";

const processes = new SampleProcesses();

let folder: string;
let open: PlatformInProcess;
let operator: Actor;
let impatient: { mockRestore(): void };
let calls: Record<string, CallInput>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-locked-"));
  // A start waits for a lock; here it is never released.
  // oxlint-disable-next-line typescript/unbound-method -- it is called on the file that it was called on
  const { run } = SqliteFile.prototype;
  impatient = spyOn(SqliteFile.prototype, "run").mockImplementation(function (this: SqliteFile, sql: string, ...rest: never[]) {
    return run.call(this, sql.replace(/busy_timeout = \d+/, "busy_timeout = 0"), ...rest);
  });
  open = await openPlatform(new Map(), { folder, processes });
  calls = await seed();
});

afterAll(async () => {
  await open.stop();
  impatient.mockRestore();
  rmSync(folder, { recursive: true });
});

async function made(operationId: string, input: CallInput, actor: Actor = OPERATOR): Promise<Record<string, string>> {
  const { status, text, body } = await open.call(actor, operationId, input);
  if (status >= 400) throw new Error(`${operationId}: ${text}`);
  return body as Record<string, string>;
}

/** Creates one of everything, and returns a call of each operation that would change it. */
async function seed(): Promise<Record<string, CallInput>> {
  const key = await made("createKey", { body: { name: "k", models: ["*"] } });
  await made("createAccount", { body: { id: "acme", name: "Acme" } });
  const idle = await made("createKey", { body: { name: "idle", models: ["*"] } });
  await made("updateKey", { params: { id: idle["id"]! }, body: { paused: true } });
  await made("createAccount", { body: { id: "gone", name: "Gone" } });
  await made("updateAccount", { params: { id: "gone" }, body: { archived: true } });
  const upstream = { id: "up", dialect: "openai", base_url: "http://127.0.0.1/v1", allow_private: true, credential: "c".repeat(20) };
  await made("createUpstream", { body: upstream });
  await made("createUpstream", { body: { ...upstream, id: "unused" } });
  const model = { id: "m", owned_by: "test", routes: [{ upstream: "up", model: "x" }], free: true };
  // In the order of their IDs, because a start lists models that were created in the same millisecond in this order.
  for (const id of ["m", "mistyped", "other"]) await made("createModel", { body: { ...model, id } });
  for (const id of ["list", "unused-list"]) await made("createPriceList", { body: { id, name: id, percent: 80 } });
  const webhook = await made("createWebhook", { body: { name: "w", url: "https://127.0.0.1/hook", allow_private: true } });
  const alert = makeAlert("credit.low", { account: { id: "acme", name: "Acme" } }, 1);
  await open.platform.alerts.raise([{ subject: "credit acme", mark: { value: "low", atMs: 1 }, alert, webhookIds: [] }], 1);
  const invited = await made("invitePerson", { body: { email: "a@example.com", name: "A", role: "operator" } });
  await made("acceptInvitation", { body: { token: tokenOf(invited), password: PASSWORD } });
  const late = await made("invitePerson", { body: { email: "b@example.com", name: "B", role: "operator" } });
  operator = { ...OPERATOR, personId: invited["id"]!, sessionId: "none" };
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const accessToken = { name: "t", scopes: ["keys:read"], expires_at: tomorrow };
  const token = await made("createAccessToken", { body: accessToken }, operator);
  const serviceToken = { service: "ci", scopes: ["keys:read"], expires_at: tomorrow };
  const ofService = await made("createServiceToken", { body: serviceToken });
  const view = await made("createView", { body: { name: "v", page: "/requests", query: "" } }, operator);
  const credit = { amount: "1", reference: "r", reason: "why" };
  const params = { id: key["id"]! };
  const ofPerson = { id: invited["id"]! };
  return {
    createKey: { body: { name: "k2", models: ["*"] } },
    updateKey: { params, body: { name: "k3" } },
    rotateKey: { params, body: {} },
    importKeys: { body: { from: "litellm", keys: [{ sha256: "0".repeat(64), name: "i", account: "default", models: ["*"] }] } },
    importSpend: {
      body: { accounts: [{ id: "acme", carried_spend: { day: { amount: "1", until: "2099-01-01T00:00:00Z" }, month: null } }] },
    },
    cloneKey: { params, body: {} },
    removeKey: { params: { id: idle["id"]! } },
    removeAccount: { params: { id: "gone" } },
    cloneModel: { params: { id: "m" }, body: { id: "m3" } },
    removeModel: { params: { id: "mistyped" } },
    removePerson: { params: { id: late["id"]! } },
    createAccount: { body: { id: "globex", name: "Globex" } },
    updateAccount: { params: { id: "acme" }, body: { name: "Acme 2" } },
    exportEndUser: { params: { id: "acme" }, body: { user: "ada" } },
    eraseEndUser: { params: { id: "acme" }, body: { user: "ada" } },
    grantCredit: { params: { id: "acme" }, body: credit },
    adjustCredit: { params: { id: "acme" }, body: credit },
    createModel: { body: { ...model, id: "m2", free: false, price: { input_per_million: 1, output_per_million: 2 } } },
    updateModel: { params: { id: "m" }, body: { owned_by: "another" } },
    deprecateModel: { params: { id: "m" }, body: { shutdown_date: tomorrow.slice(0, 10), replacement: "other" } },
    createPriceList: { body: { id: "list2", name: "List 2", percent: 70 } },
    updatePriceList: { params: { id: "list" }, body: { percent: 60 } },
    removePriceList: { params: { id: "unused-list" } },
    updateEndpoint: { params: { id: "messages" }, body: { enabled: true } },
    createUpstream: { body: { ...upstream, id: "up2" } },
    updateUpstream: { params: { id: "up" }, body: { credential: "e".repeat(20) } },
    replaceCredential: { params: { id: "up" }, body: { credential: "d".repeat(20) } },
    addCredential: { params: { id: "up" }, body: { credential: "f".repeat(20) } },
    removeCredential: { params: { id: "up" } },
    removeUpstream: { params: { id: "unused" } },
    acknowledgeAlert: { params: { id: alert.id } },
    createWebhook: { body: { name: "w2", url: "https://127.0.0.1/hook", allow_private: true } },
    updateWebhook: { params: { id: webhook["id"]! }, body: { name: "w3" } },
    rotateWebhookSecret: { params: { id: webhook["id"]! }, body: {} },
    removeWebhook: { params: { id: webhook["id"]! } },
    signIn: { body: { email: "a@example.com", password: PASSWORD } },
    acceptInvitation: { body: { token: tokenOf(late), password: PASSWORD } },
    updateMe: { body: { name: "C" } },
    changePassword: { body: { current: PASSWORD, new: `${PASSWORD} 2` } },
    createAccessToken: { body: accessToken },
    createServiceToken: { body: { ...serviceToken, service: "report" } },
    revokeServiceToken: { params: { id: ofService["id"]! } },
    createView: { body: { name: "v2", page: "/", query: "by=key" } },
    updateView: { params: { id: view["id"]! }, body: { name: "v3" } },
    removeView: { params: { id: view["id"]! } },
    invitePerson: { body: { email: "c@example.com", name: "C", role: "operator" } },
    renewInvitation: { params: { id: late["id"]! } },
    revokeAccessToken: { params: { id: token["id"]! } },
    updatePerson: { params: ofPerson, body: { disabled: true } },
    endSessions: { params: ofPerson },
    revokeKeyByPossession: { body: { key: key["key"]! } },
    restartInstances: {},
    revokeKey: { params },
  };
}

function tokenOf(invited: Record<string, unknown>): string {
  return new URL((invited["invitation"] as { url: string }).url).hash.replace(/^#(token=)?/, "");
}

describe("while another process has locked the database", () => {
  test("every operation that writes returns 503, and changes nothing", async () => {
    const lock = new SqliteFile(join(folder, "tollgate.db"));
    lock.run("begin immediate");
    try {
      for (const [operationId, input] of Object.entries(calls)) {
        const before = await everything();
        const { status, code, text } = await outcomeOf(operationId, input);
        expect([operationId, status, code]).toEqual([operationId, 503, "overloaded"]);
        expect(text).toMatch(/try again in \d+s/);
        expect(text).not.toMatch(/sql|\.db|\.ts/i);
        if (!TAKE_AWAY.has(operationId) && operationId !== WAITS) expect([operationId, await everything()]).toEqual([operationId, before]);
      }
    } finally {
      lock.close();
    }
    for (const operationId of ["createKey", "grantCredit", "updateModel", ...TAKE_AWAY]) {
      expect([operationId, (await outcomeOf(operationId, calls[operationId]!)).status < 300]).toEqual([operationId, true]);
    }
    // The state in memory must be equal to the state after a restart.
    const after = await everything();
    await open.stop();
    open = await openPlatform(new Map(), { folder, processes });
    expect(await everything()).toEqual(after);
  });

  test("covers every operation", () => {
    const writing = operations(open.platform).filter(({ method }) => method !== "GET");
    const tried = new Set([...Object.keys(calls), ...WRITE_NOTHING]);
    expect(writing.map(({ operationId }) => operationId).filter((each) => !tried.has(each))).toEqual([
      "retireModel",
      "signOut",
      "endSession",
      "revokeTokenOfPerson",
    ]);
  });
});

async function outcomeOf(operationId: string, input: CallInput): Promise<{ status: number; code: unknown; text: string }> {
  try {
    const { status, text, body } = await open.call(operator, operationId, input);
    return { status, text, code: body["code"] };
  } catch (error) {
    const { status, code, message: text } = toApiError(error, new RequestNotes());
    return { status, text, code };
  }
}

/** Everything that can be listed, from the platform's memory and from the database. */
async function everything(): Promise<unknown[]> {
  const lists = [
    "listKeys",
    "listAccounts",
    "listModels",
    "listUpstreams",
    "listWebhooks",
    "listPeople",
    "listAccessTokens",
    "listServiceTokens",
    "listViews",
    "listInstances",
  ];
  return Promise.all(lists.map(async (operationId) => (await open.call(operator, operationId, {})).body));
}
