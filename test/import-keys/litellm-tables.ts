import type { SQL } from "bun";

/** The columns that an import reads, with LiteLLM's names and types. */
const TABLES = [
  `create table "LiteLLM_BudgetTable" (budget_id text primary key, max_budget float8, budget_duration text, tpm_limit bigint, rpm_limit bigint,
    max_parallel_requests int)`,
  `create table "LiteLLM_OrganizationTable" (organization_id text primary key, organization_alias text not null, budget_id text)`,
  `create table "LiteLLM_TeamTable" (team_id text primary key, team_alias text, max_budget float8, spend float8 not null default 0, models text[],
    max_parallel_requests int, tpm_limit bigint, rpm_limit bigint, budget_duration text, blocked boolean not null default false,
    model_max_budget jsonb not null default '{}')`,
  `create table "LiteLLM_UserTable" (user_id text primary key, user_alias text, user_email text, max_budget float8, spend float8 not null default 0,
    models text[], tpm_limit bigint, rpm_limit bigint, budget_duration text)`,
  `create table "LiteLLM_VerificationToken" (token text primary key, key_name text, key_alias text, spend float8 not null default 0,
    expires timestamp(3), models text[], aliases jsonb not null default '{}', user_id text, team_id text, max_parallel_requests int, blocked boolean,
    tpm_limit bigint, rpm_limit bigint, max_budget float8, budget_duration text, budget_id text, created_at timestamp(3) default now())`,
  `create table "LiteLLM_ProxyModelTable" (model_id text primary key, model_name text not null, litellm_params jsonb not null, model_info jsonb,
    blocked boolean not null default false)`,
  `create table "LiteLLM_CredentialsTable" (credential_id text primary key, credential_name text not null unique, credential_values jsonb not null)`,
  `create table "LiteLLM_Config" (param_name text primary key, param_value jsonb)`,
  `create table "LiteLLM_EndUserTable" (user_id text primary key, budget_id text, blocked boolean not null default false)`,
];

export async function createLiteLLMTables(sql: SQL): Promise<void> {
  for (const table of TABLES) await sql.unsafe(table);
}
