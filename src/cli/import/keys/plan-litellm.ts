import { CommandFailed } from "../../command.ts";
import { convertStoredModels } from "./convert-stored-models.ts";
import { LiteLLMDecryption } from "./decrypt-litellm.ts";
import {
  accountIdOf,
  dollarsOf,
  ImportReport,
  limitOf,
  modelsOf,
  nameOf,
  nanosOf,
  NO_PLANNED_CAPS,
  NO_PLANNED_LIMITS,
  type ImportPlan,
  type PlannedAccount,
  type PlannedCaps,
  type PlannedKey,
  type PlannedLimits,
  type RejectedKey,
} from "./import-plan.ts";
import { isTrueIn, listIn, numberIn, objectIn, textIn, timeIn } from "./row-values.ts";
import type { Row } from "./row-values.ts";
import type { SourceTables } from "./source-tables.ts";

/** The team of LiteLLM's own keys: sessions of its dashboard. */
const DASHBOARD = "litellm-dashboard";
/** The account of keys that have neither a team nor a user. */
const NOBODY: PlannedAccount = {
  id: "imported-litellm",
  name: "Keys of LiteLLM without a team or a user",
  models: ["*"],
  limits: NO_PLANNED_LIMITS,
  caps: NO_PLANNED_CAPS,
  credit_line: "unlimited",
  creditNanos: undefined,
};

/** Settings of keys that have no counterpart, by column. */
const UNSUPPORTED_OF_KEYS = [
  "aliases",
  "permissions",
  "model_max_budget",
  "allowed_routes",
  "tpd_limit",
  "allowed_cache_controls",
  "config",
];
const UNSUPPORTED_OF_TEAMS = ["model_max_budget", "tpd_limit", "router_settings"];
/** LiteLLM keeps these among the metadata of keys, teams and users. */
const UNSUPPORTED_IN_METADATA = ["model_rpm_limit", "model_tpm_limit", "guardrails", "tags", "enforced_params", "temp_budget_increase"];

/** Reads LiteLLM's tables: an account for each team and each user with keys of its own, and the keys. */
export async function planLiteLLM(tables: SourceTables, nowMs: number, saltKey?: string): Promise<ImportPlan> {
  const report = new ImportReport();
  const budgets = byId(await tables.read("LiteLLM_BudgetTable"), "budget_id");
  const teams = byId(await tables.read("LiteLLM_TeamTable"), "team_id");
  const users = byId(await tables.read("LiteLLM_UserTable"), "user_id");
  const accounts = new Map<string, PlannedAccount>();
  const keys: PlannedKey[] = [];
  const rejected = await deletedKeys(tables);
  for (const row of await tables.read("LiteLLM_VerificationToken")) {
    const key = planKey(withBudget(row, budgets), { teams, users, accounts, rejected, report, nowMs });
    if (key) keys.push(key);
  }
  await reportOthers(tables, report);
  const config = await planModels(tables, saltKey, report);
  return { from: "litellm", accounts: [...accounts.values()], keys, rejected, report, ...(config && { config }) };
}

interface Context {
  readonly teams: ReadonlyMap<string, Row>;
  readonly users: ReadonlyMap<string, Row>;
  readonly accounts: Map<string, PlannedAccount>;
  readonly rejected: RejectedKey[];
  readonly report: ImportReport;
  readonly nowMs: number;
}

/** Newer versions keep the hashes of deleted keys. */
async function deletedKeys(tables: SourceTables): Promise<RejectedKey[]> {
  const rows = await tables.read("LiteLLM_DeletedVerificationToken");
  return rows
    .map((row) => ({ sha256: textIn(row, "token") ?? "", why: "keys that were deleted at the source were paused here" }))
    .filter(isHashed);
}

function isHashed({ sha256 }: { readonly sha256: string }): boolean {
  return /^[0-9a-f]{64}$/.test(sha256);
}

function planKey(row: Row, { teams, users, accounts, rejected, report, nowMs }: Context): PlannedKey | undefined {
  const sha256 = textIn(row, "token") ?? "";
  const isHash = isHashed({ sha256 });
  const name = nameOf(textIn(row, "key_alias"), textIn(row, "key_name"), isHash ? sha256.slice(0, 8) : null);
  const subject = `key ${name}`;
  if (textIn(row, "team_id") === DASHBOARD) return report.omit("sessions of LiteLLM's dashboard were omitted", subject);
  if (!isHash) return report.omit("keys that LiteLLM has not stored as a SHA-256 were omitted", subject);
  const reject = (which: string): undefined => {
    rejected.push({ sha256, why: `${which} were paused here` });
    return report.omit(`${which} were omitted`, subject);
  };
  const expiresAt = timeIn(row, "expires");
  // Without it, the key would never expire.
  if (expiresAt === null && isSet(row["expires"])) return reject("keys with an expiry that cannot be read");
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs) return reject("keys that have expired");

  const teamId = textIn(row, "team_id");
  const team = teams.get(teamId ?? "");
  // In another account it would have neither the budget nor the models of its team.
  if (teamId !== null && !team) return reject("keys whose team does not exist");
  const user = users.get(textIn(row, "user_id") ?? "");
  const account = accountOf(team, user, accounts, report);
  reportUnsupported(row, UNSUPPORTED_OF_KEYS, "keys", subject, report);
  if (team && isTrueIn(team, "blocked")) report.add("keys of blocked teams were imported as paused", subject);
  const createdAt = timeIn(row, "created_at");
  return {
    sha256,
    name,
    account: account.id,
    models: readModels(row, subject, report),
    limits: readLimits(row),
    caps: readCaps(row, subject, report, true),
    ...(createdAt !== null && { created_at: createdAt }),
    expires_at: expiresAt,
    paused: isTrueIn(row, "blocked") || (team !== undefined && isTrueIn(team, "blocked")),
  };
}

function accountOf(
  team: Row | undefined,
  user: Row | undefined,
  accounts: Map<string, PlannedAccount>,
  report: ImportReport,
): PlannedAccount {
  const [kind, row] = team ? (["team", team] as const) : (["user", user] as const);
  const id = row ? accountIdOf(kind, textIn(row, `${kind}_id`)!) : NOBODY.id;
  let account = accounts.get(id);
  if (!account) accounts.set(id, (account = row ? planAccount(id, kind, row, report) : NOBODY));
  return account;
}

function planAccount(id: string, kind: "team" | "user", row: Row, report: ImportReport): PlannedAccount {
  const name = nameOf(textIn(row, `${kind}_alias`), textIn(row, "user_email"), textIn(row, `${kind}_id`));
  const subject = `${kind} ${name}`;
  reportUnsupported(row, UNSUPPORTED_OF_TEAMS, "teams and users", subject, report);
  const [budget, spend] = [numberIn(row, "max_budget"), numberIn(row, "spend") ?? 0];
  const isPrepaid = budget !== null && textIn(row, "budget_duration") === null;
  return {
    id,
    name,
    models: readModels(row, subject, report),
    limits: readLimits(row),
    caps: readCaps(row, subject, report, false),
    credit_line: isPrepaid ? null : "unlimited",
    creditNanos: isPrepaid ? nanosOf(budget - spend) : undefined,
  };
}

function readModels(row: Row, subject: string, report: ImportReport): readonly string[] {
  const models = listIn(row, "models");
  if (models.includes("no-default-models"))
    report.add("`no-default-models` was imported as an allow-list without any model of yours", subject);
  if (models.some((model) => model === "all-proxy-models" || model === "all-team-models")) return ["*"];
  return modelsOf(models, subject, report);
}

function readLimits(row: Row): PlannedLimits {
  return {
    requests_per_minute: limitOf(numberIn(row, "rpm_limit")),
    tokens_per_minute: limitOf(numberIn(row, "tpm_limit")),
    concurrent_requests: limitOf(numberIn(row, "max_parallel_requests")),
  };
}

/** A budget without a duration is a cap in total of what remains of it; one with a duration, a calendar cap of the same amount per time. */
function readCaps(row: Row, subject: string, report: ImportReport, hasTotal: boolean): PlannedCaps {
  const budget = numberIn(row, "max_budget");
  if (budget === null) return NO_PLANNED_CAPS;
  const duration = textIn(row, "budget_duration");
  if (duration === null)
    return hasTotal ? { ...NO_PLANNED_CAPS, total: dollarsOf(budget - (numberIn(row, "spend") ?? 0)) } : NO_PLANNED_CAPS;
  const days = daysIn(duration);
  if (days === undefined) {
    report.add(`the budget_duration ${duration} cannot be read: the budget was not imported`, subject);
    return NO_PLANNED_CAPS;
  }
  const period = days <= 1 ? "day" : "month";
  const isSame = days === 1 || days === 30;
  report.add(`a budget per ${duration} became a spend cap per calendar ${period} (UTC)${isSame ? "" : ", of as much per day"}`, subject);
  return days <= 1 ? { ...NO_PLANNED_CAPS, day: dollarsOf(budget / days) } : { ...NO_PLANNED_CAPS, month: dollarsOf((budget * 30) / days) };
}

const DAYS: Readonly<Record<string, number>> = { s: 1 / 86_400, m: 1 / 1440, h: 1 / 24, d: 1, w: 7, mo: 30 };

function daysIn(duration: string): number | undefined {
  const [, count, unit] = /^(\d+)(s|m|h|d|w|mo)$/.exec(duration) ?? [];
  return count === undefined || Number(count) === 0 ? undefined : Number(count) * DAYS[unit!]!;
}

/** The budget and the limits of a key may be in another table. */
function withBudget(row: Row, budgets: ReadonlyMap<string, Row>): Row {
  const budget = budgets.get(textIn(row, "budget_id") ?? "");
  if (!budget) return row;
  const names = ["max_budget", "budget_duration", "rpm_limit", "tpm_limit", "max_parallel_requests"];
  return { ...row, ...Object.fromEntries(names.map((name) => [name, row[name] ?? budget[name]])) };
}

function reportUnsupported(row: Row, columns: readonly string[], whose: string, subject: string, report: ImportReport): void {
  const metadata = objectIn(row, "metadata");
  for (const column of columns) if (isSet(row[column])) report.add(`not supported: ${column} of ${whose}`, subject);
  for (const field of UNSUPPORTED_IN_METADATA)
    if (isSet(metadata[field])) report.add(`not supported: metadata.${field} of ${whose}`, subject);
}

/** The models of its database, whose settings are encrypted with the salt key. */
async function planModels(tables: SourceTables, saltKey: string | undefined, report: ImportReport): Promise<ImportPlan["config"]> {
  if (saltKey !== undefined) return convertStoredModels(tables, new LiteLLMDecryption(saltKey), report);
  for (const row of await tables.read("LiteLLM_ProxyModelTable"))
    report.add(
      "models in LiteLLM's database were not imported: name its salt key by --salt-key-file",
      `model ${textIn(row, "model_name") ?? "?"}`,
    );
  return undefined;
}

/** Tables of which nothing is imported. */
async function reportOthers(tables: SourceTables, report: ImportReport): Promise<void> {
  for (const row of await tables.read("LiteLLM_OrganizationTable"))
    report.add("organizations, and their budgets, have no counterpart", `organization ${textIn(row, "organization_alias") ?? "?"}`);
  for (const row of await tables.read("LiteLLM_TeamMembership")) {
    if (textIn(row, "budget_id") === null) continue;
    const subject = `user ${textIn(row, "user_id") ?? "?"} of team ${textIn(row, "team_id") ?? "?"}`;
    report.add("budgets of members of a team were not imported: give their keys spend caps", subject);
  }
  for (const row of await tables.read("LiteLLM_EndUserTable")) {
    if (textIn(row, "budget_id") === null && !isTrueIn(row, "blocked")) continue;
    report.add(
      "budgets and blocks of end users were not imported: see spend caps per end user",
      `end user ${textIn(row, "user_id") ?? "?"}`,
    );
  }
}

function byId(rows: readonly Row[], column: string): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [textIn(row, column) ?? "", row]));
}

/** Whether a column has more than an empty list or object. */
function isSet(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === "{}" || value === "[]") return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== "object" || Object.keys(objectIn({ value }, "value")).length > 0;
}

/** Throws where the source has no keys of LiteLLM. */
export function refuseEmpty({ keys, rejected, report, config }: ImportPlan): void {
  if (keys.length + rejected.length === 0 && report.notes.length === 0 && !config) throw new CommandFailed("the source has no keys");
}
