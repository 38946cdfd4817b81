import type { Row } from "../../src/cli/import/keys/row-values.ts";

/** The tables whose columns the import reads completely. */
export const COLUMN_TABLES = {
  keys: "LiteLLM_VerificationToken",
  teams: "LiteLLM_TeamTable",
  users: "LiteLLM_UserTable",
} as const;

/** A value that is not the default, and the other fields that a row needs for the value to matter. */
export interface ColumnSample {
  readonly value: unknown;
  readonly with?: Row;
}

const TEXT = { value: "x" };
const LIST = { value: ["x"] };
const OBJECT = { value: { x: 1 } };
const NUMBER = { value: 3 };
const TRUE = { value: true };
const TIME = { value: "2027-01-31T00:00:00" };

/**
 * The columns of LiteLLM 1.106.2, from its schema.prisma, in the same order. `litellm-schema.full.test.ts` compares them with an installed
 * LiteLLM.
 */
export const COLUMNS: Readonly<Record<keyof typeof COLUMN_TABLES, Readonly<Record<string, ColumnSample>>>> = {
  keys: {
    token: { value: "b".repeat(64) },
    key_name: { value: "sk-...cdef", with: { key_alias: null } },
    key_alias: TEXT,
    soft_budget_cooldown: TRUE,
    spend: NUMBER,
    total_spend: NUMBER,
    expires: TIME,
    models: LIST,
    aliases: OBJECT,
    config: OBJECT,
    router_settings: OBJECT,
    user_id: { value: "u" },
    team_id: { value: "other" },
    agent_id: TEXT,
    project_id: { value: "p" },
    permissions: OBJECT,
    max_parallel_requests: NUMBER,
    metadata: { value: { tags: ["x"] } },
    blocked: TRUE,
    tpm_limit: { value: 0 },
    rpm_limit: { value: 0 },
    tpd_limit: { value: 0 },
    max_budget: NUMBER,
    budget_duration: { value: "30d" },
    budget_reset_at: { ...TIME, with: { budget_duration: "30d" } },
    allowed_cache_controls: LIST,
    allowed_routes: { value: ["management_routes"] },
    key_type: { value: "read_only" },
    policies: LIST,
    access_group_ids: { value: ["g"], with: { models: ["m"] } },
    model_spend: OBJECT,
    model_max_budget: OBJECT,
    budget_fallbacks: OBJECT,
    budget_id: { value: "b" },
    organization_id: TEXT,
    object_permission_id: TEXT,
    created_at: TIME,
    created_by: TEXT,
    updated_at: TIME,
    updated_by: TEXT,
    settings_updated_at: TIME,
    last_active: TIME,
    rotation_count: NUMBER,
    auto_rotate: TRUE,
    rotation_interval: { value: "30d" },
    last_rotation_at: TIME,
    key_rotation_at: TIME,
    budget_limits: { value: [{ budget_duration: "1d", max_budget: 3, reset_at: null }] },
  },
  teams: {
    team_id: { value: "other" },
    team_alias: TEXT,
    organization_id: TEXT,
    object_permission_id: TEXT,
    admins: LIST,
    members: LIST,
    members_with_roles: { value: [{ user_id: "u", role: "admin" }] },
    metadata: { value: { guardrails: ["x"] } },
    max_budget: NUMBER,
    soft_budget: NUMBER,
    spend: NUMBER,
    models: LIST,
    max_parallel_requests: { value: 0 },
    tpm_limit: { value: 0 },
    rpm_limit: { value: 0 },
    tpd_limit: { value: 0 },
    budget_duration: { value: "30d" },
    budget_reset_at: { ...TIME, with: { budget_duration: "30d" } },
    blocked: TRUE,
    created_at: TIME,
    updated_at: TIME,
    model_spend: OBJECT,
    model_max_budget: OBJECT,
    router_settings: OBJECT,
    team_member_permissions: LIST,
    access_group_ids: { value: ["g"], with: { models: ["m"] } },
    policies: LIST,
    default_team_member_models: LIST,
    budget_limits: { value: [{ budget_duration: "1d", max_budget: 3, reset_at: null }] },
    model_id: NUMBER,
    allow_team_guardrail_config: TRUE,
  },
  users: {
    user_id: { value: "other" },
    user_alias: TEXT,
    team_id: TEXT,
    sso_user_id: TEXT,
    organization_id: TEXT,
    object_permission_id: TEXT,
    password: TEXT,
    password_reset_required: TRUE,
    last_breach_check_at: TIME,
    teams: LIST,
    user_role: { value: "proxy_admin" },
    max_budget: NUMBER,
    spend: NUMBER,
    user_email: { value: "ada@example.com", with: { user_alias: null } },
    models: LIST,
    metadata: { value: { scim_active: false } },
    max_parallel_requests: NUMBER,
    tpm_limit: { value: 0 },
    rpm_limit: NUMBER,
    budget_duration: { value: "30d" },
    budget_reset_at: { ...TIME, with: { budget_duration: "30d" } },
    allowed_cache_controls: LIST,
    policies: LIST,
    model_spend: OBJECT,
    model_max_budget: OBJECT,
    created_at: TIME,
    updated_at: TIME,
  },
};

/** Columns that do not affect any of LiteLLM's decisions about a request, with the reason. */
export const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  soft_budget_cooldown: "when LiteLLM last sent an alert",
  total_spend: "a statistic; budgets are about `spend`",
  model_spend: "a statistic",
  "teams.created_at": "when a row was written",
  "users.created_at": "when a row was written",
  created_by: "who wrote a row",
  updated_at: "when a row was written",
  updated_by: "who wrote a row",
  settings_updated_at: "when a row was written",
  last_active: "a statistic",
  rotation_count: "a statistic",
  last_rotation_at: "a statistic",
  password: "for LiteLLM's dashboard",
  password_reset_required: "for LiteLLM's dashboard",
  last_breach_check_at: "for LiteLLM's dashboard",
  sso_user_id: "for LiteLLM's dashboard",
  teams: "the teams that a person sees in LiteLLM's dashboard; keys name their team",
  "users.team_id": "a team that a person sees in LiteLLM's dashboard; keys name their team",
};
