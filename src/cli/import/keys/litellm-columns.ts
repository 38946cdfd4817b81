import type { ImportReport } from "./import-plan.ts";
import { objectIn, type Row } from "./row-values.ts";

/** The kind of resource whose settings a row has. */
type Holder = "keys" | "teams" | "users";

/** Columns that are converted to settings. */
const CONVERTED: Readonly<Record<Holder, readonly string[]>> = {
  keys: ["token", "key_name", "key_alias", "expires", "models", "blocked", "rpm_limit", "tpm_limit", "max_parallel_requests", "created_at"],
  teams: ["team_id", "team_alias", "models", "blocked", "rpm_limit", "tpm_limit", "max_parallel_requests"],
  users: ["user_id", "user_alias", "user_email", "models", "rpm_limit", "tpm_limit", "max_parallel_requests"],
};

/** Columns that other code reads, and reports if they cannot be converted. */
const READ = [
  "metadata",
  "max_budget",
  "spend",
  "budget_duration",
  "budget_reset_at",
  "budget_limits",
  "budget_id",
  "access_group_ids",
  "allowed_routes",
  "key_type",
  "user_id",
  "team_id",
  "project_id",
  "user_role",
];

/** Columns with LiteLLM's notes about a row, or for its dashboard. None of them affects requests. */
const NOTES: Readonly<Record<Holder, readonly string[]>> = {
  keys: [
    "soft_budget_cooldown",
    "total_spend",
    "model_spend",
    "created_by",
    "updated_at",
    "updated_by",
    "settings_updated_at",
    "last_active",
    "rotation_count",
    "last_rotation_at",
  ],
  teams: ["model_spend", "created_at", "updated_at"],
  users: ["model_spend", "created_at", "updated_at", "password", "password_reset_required", "last_breach_check_at", "sso_user_id", "teams"],
};

/** Tollgate's replacement for a column, if there is one. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  admins: "invite people to the account",
  auto_rotate: "rotate keys by keys rotate",
  key_rotation_at: "rotate keys by keys rotate",
  rotation_interval: "rotate keys by keys rotate",
  aliases: "add models of these names",
  budget_fallbacks: "see fallback_models of a model",
  default_team_member_models: "give keys their models",
  members: "invite people to the account",
  members_with_roles: "invite people to the account",
  model_id: "add models of the names that the team's aliases have",
  model_max_budget: "give the models price caps, or keys of their own",
  object_permission_id: "give keys their models",
  organization_id: "an account has no organization above it",
  policies: "see parameters of a model",
  router_settings: "see routes and fallback_models of a model",
  soft_budget: "see the alert cap.near",
  team_member_permissions: "invite people to the account",
  tpd_limit: "see spend caps per day",
};

/** Settings that LiteLLM stores in the metadata of keys, teams and users. */
const UNSUPPORTED_IN_METADATA = [
  "model_rpm_limit",
  "model_tpm_limit",
  "model_itpm_limit",
  "model_otpm_limit",
  "tag_rpm_limit",
  "mcp_rpm_limit",
  "rpm_limit_type",
  "tpm_limit_type",
  "default_estimated_output_tokens",
  "default_estimated_output_tokens_per_model",
  "guardrails",
  "policies",
  "tags",

  "disable_global_guardrails",
  "prompts",
  "logging",
  "secret_manager_settings",
  "allowed_passthrough_routes",
  "denied_passthrough_routes",
  "enforced_params",
  "temp_budget_increase",
  "temp_budget_expiry",
  "throttle_on_budget_exceeded",
  "enable_prompt_caching",
  "end_user_budget_id",
  "team_member_key_duration",
  "team_member_budget_id",
  "model_aliases",
];

/**
 * Reports every column that is not converted and has a value other than its default. This includes columns of versions that are not known
 * here.
 */
export function reportColumns(row: Row, holder: Holder, subject: string, report: ImportReport): void {
  const known = new Set([...CONVERTED[holder], ...READ, ...NOTES[holder]]);
  const whose = holder === "keys" ? "keys" : "teams and users";
  const add = (field: string, name: string): void => {
    const replacement = REPLACEMENTS[name];
    report.add(`not supported: ${field} of ${whose}${replacement === undefined ? "" : `: ${replacement}`}`, subject);
  };
  for (const [column, value] of Object.entries(row)) if (!known.has(column) && isSet(value)) add(column, column);
  const metadata = objectIn(row, "metadata");
  for (const field of UNSUPPORTED_IN_METADATA) if (isSet(metadata[field])) add(`metadata.${field}`, field);
}

/**
 * Whether a column differs from LiteLLM's default. Empty lists, empty objects and false are defaults. Zero is not: a limit of 0 rejects
 * everything.
 */
export function isSet(value: unknown): boolean {
  if (typeof value === "string") return !["", "{}", "[]", "null", "f", "false"].includes(value);
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== null && value !== undefined && value !== false;
}
