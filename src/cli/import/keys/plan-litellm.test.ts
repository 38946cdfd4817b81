import { describe, expect, test } from "bun:test";
import { COLUMN_TABLES, COLUMNS, WITHOUT_EFFECT } from "../../../../test/import-keys/litellm-columns.ts";
import type { ImportPlan } from "./import-plan.ts";
import { planLiteLLM } from "./plan-litellm.ts";
import type { Row } from "./row-values.ts";

type Tables = Readonly<Record<string, readonly Row[]>>;

const NOW = Date.parse("2027-01-15T12:00:00Z");

function plan(tables: Tables, saltKey?: string): Promise<ImportPlan> {
  return planLiteLLM({ read: async (table: string) => tables[table] ?? [], close: async () => undefined }, NOW, saltKey);
}

/** A key of a team or of a user. */
function key(more: Row): Row {
  return { token: "a".repeat(64), key_alias: "app", team_id: "t", ...more };
}

const reasons = ({ report }: ImportPlan): readonly string[] => report.notes.map(({ why }) => why);

test("a team that has a model and no key has an account", async () => {
  const { accounts, config } = await plan(
    {
      LiteLLM_TeamTable: [{ team_id: "t" }, { team_id: "other" }],
      LiteLLM_ProxyModelTable: [{ model_name: "m", litellm_params: { model: "openai/gpt-4o" }, model_info: { team_id: "t" } }],
    },
    "sk-salt",
  );
  expect(accounts.map(({ id }) => id)).toEqual(["team-t"]);
  expect(config!.yaml).toContain("team-t");
});

test("limits in the metadata, and budgets of members of a team, are not lost silently", async () => {
  const { keys, report } = await plan({
    LiteLLM_VerificationToken: [key({ metadata: { model_rpm_limit: { "gpt-4o": 3 }, tags: [], owner: "ada" } })],
    LiteLLM_TeamTable: [{ team_id: "t", metadata: '{"guardrails": ["pii"]}' }],
    LiteLLM_TeamMembership: [
      { user_id: "ada", team_id: "t", budget_id: "b" },
      { user_id: "bob", team_id: "t", budget_id: null },
    ],
  });
  expect(keys.length).toBe(1);
  expect(report.notes).toEqual([
    { why: "not supported: metadata.model_rpm_limit of keys", count: 1, subjects: ["key app"] },
    { why: "not supported: metadata.guardrails of teams and users", count: 1, subjects: ["team t"] },
    {
      why: "budgets of members of a team were not imported: give their keys spend caps",
      count: 1,
      subjects: ["user ada of team t"],
    },
  ]);
});

/** A key with its team or its user. The row of `holder` has these additional columns. */
function tablesWith(holder: keyof typeof COLUMN_TABLES, columns: Row): Tables {
  const budget = { max_budget: 50, spend: 1 };
  const ofUser = holder === "users";
  const rows = {
    keys: key({ team_id: ofUser ? null : "t", user_id: ofUser ? "u" : null, ...budget }),
    teams: { team_id: "t", ...budget },
    users: { user_id: "u", ...budget },
  };
  return {
    LiteLLM_BudgetTable: [{ budget_id: "b", rpm_limit: 7 }],
    LiteLLM_AccessGroupTable: [{ access_group_id: "g", access_model_names: ["of-group"] }],
    LiteLLM_ProjectTable: [{ project_id: "p", models: ["of-project"] }],
    ...Object.fromEntries(
      Object.entries(COLUMN_TABLES).map(([name, table]) => {
        const row = rows[name as keyof typeof COLUMN_TABLES];
        return [table, [name === holder ? { ...row, ...columns } : row, ...(name === "teams" ? [{ team_id: "other" }] : [])]];
      }),
    ),
  };
}

async function outcomeOf(tables: Tables): Promise<unknown> {
  const { accounts, keys, rejected, report } = await plan(tables);
  return { accounts, keys, rejected, notes: report.notes };
}

describe.each(Object.keys(COLUMN_TABLES) as (keyof typeof COLUMN_TABLES)[])("the columns of %s", (holder) => {
  const columns = Object.entries(COLUMNS[holder]);

  test("are converted or reported where their value is not the default", async () => {
    const lost: string[] = [];
    for (const [name, { value, with: others = {} }] of columns) {
      if (`${holder}.${name}` in WITHOUT_EFFECT || name in WITHOUT_EFFECT) continue;
      const without = await outcomeOf(tablesWith(holder, others));
      if (Bun.deepEquals(without, await outcomeOf(tablesWith(holder, { ...others, [name]: value })))) lost.push(name);
    }
    expect(lost).toEqual([]);
  });

  test("of a version that is not known here are reported", async () => {
    const unknown = reasons(await plan(tablesWith(holder, { of_a_later_version: 0 })));
    expect(unknown).toEqual([expect.stringContaining("not supported: of_a_later_version of")]);
    expect(reasons(await plan(tablesWith(holder, { of_a_later_version: null, another: [], third: {}, fourth: false })))).toEqual([]);
  });
});

test("budgets of several times are spend caps, and a team that has only these is not unlimited", async () => {
  const budget_limits = [
    { budget_duration: "1d", max_budget: 2, reset_at: null },
    { budget_duration: "12h", max_budget: 0.5, reset_at: null },
    { budget_duration: "30d", max_budget: 30, reset_at: null },
  ];
  const { accounts, keys } = await plan({
    LiteLLM_VerificationToken: [key({ budget_limits: JSON.stringify(budget_limits), max_budget: 20, spend: 5, budget_duration: "30d" })],
    LiteLLM_TeamTable: [{ team_id: "t", budget_limits }],
  });
  expect(accounts[0]).toMatchObject({ caps: { day: "1.00", month: "30.00", total: null }, credit_line: "unlimited" });
  expect(keys[0]).toMatchObject({ caps: { day: "1.00", month: "20.00", total: null } });
});

test.each([
  // The spend counts until LiteLLM's budget is reset, or the month ends.
  [
    { max_budget: 60, spend: 59.9, budget_duration: "30d", budget_reset_at: "2027-01-20T00:00:00" },
    { amount: "59.90", until: "2027-01-20" },
  ],
  [
    { max_budget: 60, spend: 59.9, budget_duration: "30d", budget_reset_at: "2027-02-10T00:00:00" },
    { amount: "59.90", until: "2027-02-01" },
  ],
  [
    { max_budget: 60, spend: 59.9, budget_duration: "30d" },
    { amount: "59.90", until: "2027-02-01" },
  ],
  [{ max_budget: 60, spend: 0, budget_duration: "30d" }, null],
  // The budget has been reset since.
  [{ max_budget: 60, spend: 59.9, budget_duration: "30d", budget_reset_at: "2027-01-15T00:00:00" }, null],
  [
    { max_budget: 7, spend: 6, budget_duration: "7d", budget_reset_at: "2027-01-18T00:00:00" },
    { amount: "6.00", until: "2027-01-18" },
  ],
  // $30 per month; of it, at most the remaining amount of the budget for 60 days can be spent.
  [{ max_budget: 60, spend: 20, budget_duration: "60d" }, null],
  [
    { max_budget: 60, spend: 50, budget_duration: "60d" },
    { amount: "20.00", until: "2027-02-01" },
  ],
])("the spend of %j is carried over", async (budget, expected) => {
  const tables = { LiteLLM_VerificationToken: [key(budget)], LiteLLM_TeamTable: [{ team_id: "t", ...budget }] };
  const { accounts, keys } = await plan(tables);
  const carried = expected && { day: null, month: { ...expected, until: `${expected.until}T00:00:00.000Z` } };
  expect([accounts[0]!.carried_spend, keys[0]!.carried_spend]).toEqual([carried, carried]);
});

test("of several budgets for the same time, what remains is the least that remains of one of them", async () => {
  const budget_limits = [
    { budget_duration: "1d", max_budget: 2, reset_at: "2027-01-16T00:00:00" },
    { budget_duration: "12h", max_budget: 0.5, reset_at: "2027-01-15T18:00:00" },
  ];
  const { accounts } = await plan({
    LiteLLM_VerificationToken: [key({})],
    LiteLLM_TeamTable: [{ team_id: "t", budget_limits }],
    LiteLLM_BudgetWindowSpend: [
      { entity_type: "Team", entity_id: "t", window_duration: "1d", window_start: "2027-01-15T00:00:00", spend: 1.9 },
      { entity_type: "Team", entity_id: "t", window_duration: "12h", window_start: "2027-01-14T00:00:00", spend: 0.5 },
    ],
  });
  expect(accounts[0]).toMatchObject({
    caps: { day: "1.00" },
    carried_spend: { day: { amount: "0.90", until: "2027-01-16T00:00:00.000Z" }, month: null },
  });
});

test("a budget for a time that cannot be read is not dropped", async () => {
  const { keys, report } = await plan({
    LiteLLM_VerificationToken: [key({ max_budget: 20, spend: 5, budget_duration: "a while" })],
    LiteLLM_TeamTable: [{ team_id: "t" }],
  });
  expect(keys[0]!.caps).toMatchObject({ day: null, month: null, total: "15.00" });
  expect(report.notes[0]!.why).toContain("a while cannot be read");
});

test("access groups become their models", async () => {
  const { accounts, keys } = await plan({
    LiteLLM_VerificationToken: [key({ models: ["beta", "gpt-4o"], access_group_ids: ["g"] })],
    LiteLLM_TeamTable: [{ team_id: "t", models: "{beta,other}" }],
    LiteLLM_ProxyModelTable: [
      { model_name: "new-1", model_info: { access_groups: ["beta"] } },
      { model_name: "new-2", model_info: '{"access_groups": ["beta", "gamma"]}' },
    ],
    LiteLLM_AccessGroupTable: [{ access_group_id: "g", access_model_names: ["claude"] }],
  });
  expect(keys[0]!.models).toEqual(["new-1", "new-2", "gpt-4o", "claude"]);
  expect(accounts[0]!.models).toEqual(["new-1", "new-2", "other"]);
});

async function keyOfProject(models: readonly string[], project: Row): Promise<unknown> {
  const { keys } = await plan({
    LiteLLM_VerificationToken: [key({ models, project_id: "p" })],
    LiteLLM_TeamTable: [{ team_id: "t" }],
    LiteLLM_ProjectTable: [{ project_id: "p", ...project }],
  });
  return [keys[0]!.models, keys[0]!.paused];
}

test("a key of a project has at most the models of the project, and is paused with it", async () => {
  expect(await keyOfProject([], { models: ["a", "b-*"] })).toEqual([["a", "b-*"], false]);
  expect(await keyOfProject(["b-1", "c"], { models: ["a", "b-*"] })).toEqual([["b-1"], false]);
  expect(await keyOfProject(["c"], { models: ["a"] })).toEqual([["no-default-models"], false]);
  expect(await keyOfProject(["c"], { models: [], blocked: true })).toEqual([["c"], true]);
});

test.each([
  [{ rpm_limit: 0 }, {}, true],
  [{ tpm_limit: 0 }, {}, true],
  [{ max_parallel_requests: 0 }, {}, true],
  [{ budget_id: "zero" }, {}, true],
  [{}, { rpm_limit: 0 }, true],
  [{ rpm_limit: 1 }, { rpm_limit: 1 }, false],
  [{ allowed_routes: ["management_routes"] }, {}, true],
  [{ allowed_routes: ["/v1/embeddings", "info_routes"] }, {}, true],
  [{ key_type: "management" }, {}, true],
  [{ allowed_routes: ["info_routes", "llm_api_routes"] }, {}, false],
  [{ allowed_routes: ["/v1/chat/completions"] }, {}, false],
  [{ allowed_routes: "{/chat}" }, {}, false],
  [{ allowed_routes: ["/v1/*"] }, {}, false],
])("a key with %j of a team with %j is paused: %p", async (ofKey, ofTeam, isPaused) => {
  const { keys } = await plan({
    LiteLLM_VerificationToken: [key(ofKey)],
    LiteLLM_TeamTable: [{ team_id: "t", ...ofTeam }],
    LiteLLM_BudgetTable: [{ budget_id: "zero", rpm_limit: 0 }],
  });
  expect(keys[0]!.paused).toBe(isPaused);
});

test("the old secret of a regenerated key is imported with the end of its grace period", async () => {
  const { keys } = await plan({
    LiteLLM_VerificationToken: [key({ models: ["m"] })],
    LiteLLM_TeamTable: [{ team_id: "t" }],
    LiteLLM_DeprecatedVerificationToken: [
      { token: "c".repeat(64), active_token_id: "a".repeat(64), revoke_at: "2027-01-16T00:00:00" },
      { token: "d".repeat(64), active_token_id: "a".repeat(64), revoke_at: "2027-01-14T00:00:00" },
    ],
  });
  expect(keys).toMatchObject([
    { name: "app", models: ["m"], expires_at: null },
    { name: "app (old secret)", models: ["m"], expires_at: "2027-01-16T00:00:00.000Z" },
  ]);
});
