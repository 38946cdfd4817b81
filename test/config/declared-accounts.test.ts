import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { reloadWith, replace, type ReloadReply } from "../support/gateway/reload-gateway.ts";
import { runTollgate } from "../support/gateway/run-tollgate.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { ask } from "../streams/ask.ts";

const config = (accounts: string): string => `upstreams:
  - { id: echo, dialect: echo }
models:
  - { id: cheap, routes: [{ upstream: echo, model: echo }], price: { input_per_million: 1, output_per_million: 1 } }
  - { id: dear, routes: [{ upstream: echo, model: echo }], price: { input_per_million: 9, output_per_million: 9 } }
accounts:
${accounts}
`;

const ACME = `  - id: acme
    name: Acme Inc.
    models: [cheap]
    limits: { requests_per_minute: 100 }
    caps: { day: 12.50, month: "250", total: null }`;

let gateway: RunningGateway;
beforeAll(async () => void (gateway = await startGateway({ yaml: config(ACME) })));
afterAll(() => gateway.stop());

const show = (id: string): Promise<object> => gateway.platform("GET", `/api/accounts/${id}`);

/** The audit log of an account, newest first, without changes of its credit. */
async function changesOf(id: string): Promise<object[]> {
  const { data } = await gateway.platform<{ data: { action: string }[] }>("GET", `/api/audit-log?kind=account&id=${id}`);
  return data.filter(({ action }) => action.startsWith("account."));
}

async function problemOf(work: Promise<unknown>): Promise<object> {
  const message = await work.then(
    () => "{}",
    (error: Error) => error.message,
  );
  return JSON.parse(message) as object;
}

const reload = (accounts: string): Promise<ReloadReply> => reloadWith(gateway, config(accounts));

describe("an account in the file", () => {
  test("exists after the start, as declared, and the audit log names its origin", async () => {
    expect(await show("acme")).toMatchObject({
      name: "Acme Inc.",
      models: ["cheap"],
      limits: { requests_per_minute: 100, tokens_per_minute: null },
      caps: { day: "12.50", month: "250.00", total: null },
      managed_by: "file",
      credit: "0.00",
    });
    expect(await show("default")).toMatchObject({ managed_by: "operator" });
    expect(await changesOf("acme")).toMatchObject([{ action: "account.create", actor: "config-file", account: "acme", before: null }]);
    const shown = await runTollgate(gateway, ["accounts", "show", "acme"]);
    expect(shown.stdout).toContain("Managed by");
  });

  test("has keys and credit like any other, and its keys call the models that the file allows", async () => {
    await gateway.platform("POST", "/api/accounts/acme/grants", { amount: "5", reference: "g", reason: "g" });
    const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "k", models: ["*"], account: "acme" });
    expect((await ask(gateway, key, "cheap", false)).status).toBe(200);
    expect((await ask(gateway, key, "dear", false)).status).toBe(403);
    const report = await reload(ACME.replace("[cheap]", '["*"]').replace("12.50", "0"));
    expect(report).toMatchObject({ accounts: 1, changed: { changed: [{ kind: "account", id: "acme" }] } });
    expect((await ask(gateway, key, "dear", false)).errorCode).toBe("budget_exceeded");
    await reload(ACME);
    expect(await changesOf("acme")).toHaveLength(3);
  });

  test("cannot be changed by the platform API; the error names the file", async () => {
    const problem = await problemOf(gateway.platform("PATCH", "/api/accounts/acme", { caps: { day: null } }));
    expect(problem).toMatchObject({ status: 409, code: "managed_elsewhere" });
    expect((problem as { detail: string }).detail).toContain(join(gateway.folder, "tollgate.yaml"));
    expect(await show("acme")).toMatchObject({ caps: { day: "12.50" } });
  });

  test("takes over an account that operators created, with its credit", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "beta", name: "B", caps: { total: "1" } });
    await gateway.platform("POST", "/api/accounts/beta/grants", { amount: "7", reference: "g", reason: "g" });
    const report = await reload(`${ACME}\n  - { id: beta, name: Beta }`);
    expect(report).toMatchObject({ changed: { added: [{ kind: "account", id: "beta" }] } });
    expect(await show("beta")).toMatchObject({ name: "Beta", caps: { total: null }, credit: "7.00", managed_by: "file" });
    expect(await changesOf("beta")).toMatchObject([
      { action: "account.update", actor: "config-file", before: { name: "B" }, after: { name: "Beta" } },
      { action: "account.create", actor: "operator-token" },
    ]);
  });

  test("that is removed from the file keeps its last state and credit, and can be edited by operators, even after a restart", async () => {
    expect(await reload("  []")).toMatchObject({
      accounts: 0,
      changed: {
        removed: [
          { kind: "account", id: "acme" },
          { kind: "account", id: "beta" },
        ],
      },
    });
    expect(await show("acme")).toMatchObject({ name: "Acme Inc.", models: ["cheap"], caps: { day: "12.50" }, managed_by: "operator" });
    expect(await show("beta")).toMatchObject({ name: "Beta", credit: "7.00", managed_by: "operator" });
    expect(await gateway.platform<object>("PATCH", "/api/accounts/acme", { name: "Renamed" })).toMatchObject({ name: "Renamed" });
    await gateway.end();
    gateway = await startGateway({ folder: gateway.folder, yaml: config("  - { id: beta, name: Beta }") });
    expect(await show("acme")).toMatchObject({ name: "Renamed", managed_by: "operator" });
    expect(await show("beta")).toMatchObject({ name: "Beta", managed_by: "file", credit: "7.00" });
    expect(await changesOf("beta")).toHaveLength(2);
  });

  test("that is removed from the file is not logged as deleted", async () => {
    replace(gateway, config("  []"));
    await waitFor(() => gateway.output().includes("was reloaded: no longer in the file: account beta, which keeps its settings"));
  });

  test("that is invalid is rejected with its line, and no part of the file is applied", async () => {
    const cases = [
      ["  - { id: Acme, name: A }", "7:7: accounts[0].id must be 1 to 63"],
      ["  - { id: acme }", "7:5: accounts[0].name is required"],
      ["  - { id: acme, name: A, credit: 5 }", "7:26: accounts[0].credit is not a known field"],
      ["  - { id: acme, name: A, models: [] }", "7:26: accounts[0].models must have at least 1 item"],
      ["  - { id: acme, name: A, models: ['a*b'] }", "7:35: accounts[0].models[0] must be a model id"],
      ["  - { id: acme, name: A, caps: { day: -1 } }", "7:34: accounts[0].caps.day must be at least 0"],
      ["  - { id: acme, name: A, caps: { day: 0.0000000001 } }", "7:34: accounts[0].caps.day must be a dollar amount"],
      [
        "  - { id: acme, name: A, caps: { week: 1 } }",
        "7:34: accounts[0].caps.week is not a known field: there are day, month, total, per_user, per_tag",
      ],
      ["  - { id: acme, name: A, limits: { concurrent_requests: 0 } }", "7:36: accounts[0].limits.concurrent_requests must be between 1"],
      ["  - { id: new, name: A }\n  - { id: new, name: B }", '8:7: accounts[1].id repeats "new"'],
    ];
    for (const [accounts, problem] of cases) {
      expect(await problemOf(reload(accounts!))).toMatchObject({
        code: "invalid_config",
        detail: expect.stringContaining(`tollgate.yaml:${problem}`) as string,
      });
    }
    expect(await problemOf(show("new"))).toMatchObject({ code: "unknown_account" });
  });
});
