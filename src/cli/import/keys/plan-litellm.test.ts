import { expect, test } from "bun:test";
import { planLiteLLM } from "./plan-litellm.ts";
import type { Row } from "./row-values.ts";

test("limits in the metadata, and budgets of members of a team, are not lost silently", async () => {
  const tables: Readonly<Record<string, readonly Row[]>> = {
    LiteLLM_VerificationToken: [
      { token: "a".repeat(64), key_alias: "app", team_id: "t", metadata: { model_rpm_limit: { "gpt-4o": 3 }, tags: [], owner: "ada" } },
    ],
    LiteLLM_TeamTable: [{ team_id: "t", metadata: '{"guardrails": ["pii"]}' }],
    LiteLLM_TeamMembership: [
      { user_id: "ada", team_id: "t", budget_id: "b" },
      { user_id: "bob", team_id: "t", budget_id: null },
    ],
  };
  const source = { read: async (table: string) => tables[table] ?? [], close: async () => undefined };
  const { keys, report } = await planLiteLLM(source, 0);
  expect(keys.length).toBe(1);
  expect(report.notes).toEqual([
    { why: "not supported: metadata.guardrails of teams and users", count: 1, subjects: ["team t"] },
    { why: "not supported: metadata.model_rpm_limit of keys", count: 1, subjects: ["key app"] },
    {
      why: "budgets of members of a team were not imported: give their keys spend caps",
      count: 1,
      subjects: ["user ada of team t"],
    },
  ]);
});
