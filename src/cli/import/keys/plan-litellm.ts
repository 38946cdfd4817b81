import type { NamedRates } from "../../../money/limits.ts";
import { CommandFailed } from "../../command.ts";
import { convertStoredModels } from "./convert-stored-models.ts";
import { LiteLLMDecryption } from "./decrypt-litellm.ts";
import { readSpending, readWindowSpend, remainingCredit, withBudget, type WindowSpend } from "./litellm-budgets.ts";
import { isSet, reportColumns } from "./litellm-columns.ts";
import { readModelGroups, readModels, type ModelGroups } from "./litellm-models.ts";
import {
  accountIdOf,
  ImportReport,
  limitOf,
  nameOf,
  nanosOf,
  NO_PLANNED_CAPS,
  NO_PLANNED_LIMITS,
  type ImportPlan,
  type PlannedAccount,
  type PlannedKey,
  type RejectedKey,
} from "./import-plan.ts";
import { isTrueIn, listIn, numberIn, objectIn, textIn, timeIn, type Row } from "./row-values.ts";
import type { SourceTables } from "./source-tables.ts";

/** The team of keys that LiteLLM creates for sessions of its dashboard. */
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

/** Reads LiteLLM's tables. The plan has an account for each team, an account for each user with keys outside a team, and the keys. */
export async function planLiteLLM(tables: SourceTables, nowMs: number, saltKey?: string): Promise<ImportPlan> {
  const report = new ImportReport();
  const budgets = byId(await tables.read("LiteLLM_BudgetTable"), "budget_id");
  const teams = byId(await tables.read("LiteLLM_TeamTable"), "team_id");
  const users = byId(await tables.read("LiteLLM_UserTable"), "user_id");
  const accounts = new Map<string, PlannedAccount>();
  const rejected = await deletedKeys(tables);
  const context = {
    teams,
    users,
    accounts,
    rejected,
    groups: await readModelGroups(tables),
    windows: await readWindowSpend(tables),
    report,
    nowMs,
  };
  const tokens = await tables.read("LiteLLM_VerificationToken");
  checkTables(tables, [...tokens, ...teams.values()], report);
  const rows = tokens.map((row) => withBudget(row, budgets));
  const replaced = replacedSecrets(await tables.read("LiteLLM_DeprecatedVerificationToken"), rows);
  const keys = [...rows, ...replaced].flatMap((row) => planKey(row, context) ?? []);
  await reportOthers(tables, report);
  const config = await planModels(tables, saltKey, context);
  return { from: "litellm", accounts: [...accounts.values()], keys, rejected, report, ...(config && { config }) };
}

interface Context {
  readonly teams: ReadonlyMap<string, Row>;
  readonly users: ReadonlyMap<string, Row>;
  readonly accounts: Map<string, PlannedAccount>;
  readonly rejected: RejectedKey[];
  readonly groups: ModelGroups;
  readonly windows: WindowSpend;
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

/** The old secrets of regenerated keys, which LiteLLM accepts for a while. */
function replacedSecrets(rows: readonly Row[], keys: readonly Row[]): readonly Row[] {
  const current = byId(keys, "token");
  return rows.flatMap((row) => {
    const key = current.get(textIn(row, "active_token_id") ?? "");
    const end = timeIn(row, "revoke_at");
    if (!key || end === null) return [];
    const expires = timeIn(key, "expires");
    const name = nameOf(textIn(key, "key_alias"), textIn(key, "key_name"));
    return [{ ...key, token: row["token"], key_alias: `${name} (old secret)`, expires: expires !== null && expires < end ? expires : end }];
  });
}

function isHashed({ sha256 }: { readonly sha256: string }): boolean {
  return /^[0-9a-f]{64}$/.test(sha256);
}

function planKey(row: Row, context: Context): PlannedKey | undefined {
  const { teams, users, rejected, groups, report, nowMs } = context;
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
  // Without this check, the key would never expire.
  if (expiresAt === null && isSet(row["expires"])) return reject("keys with an expiry that cannot be read");
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs) return reject("keys that have expired");

  const teamId = textIn(row, "team_id");
  const team = teams.get(teamId ?? "");
  // Another account would have neither the budget nor the models of the team.
  if (teamId !== null && !team) return reject("keys whose team does not exist");
  const user = users.get(textIn(row, "user_id") ?? "");
  reportColumns(row, "keys", subject, report);
  reportUser(row, team, user, subject, report);
  const account = accountOf(team, user, context);
  const createdAt = timeIn(row, "created_at");
  return {
    sha256,
    name,
    account: account.id,
    models: readModels(row, groups, subject, report),
    limits: readLimits(row),
    ...readSpending(row, context, subject, report),
    ...(createdAt !== null && { created_at: createdAt }),
    expires_at: expiresAt,
    paused: isPaused(row, team, user, context, subject),
  };
}

/**
 * Reports a key's user that has no effect. A key with a team belongs to the team's account. A key of a user who does not exist belongs to
 * no user.
 */
function reportUser(row: Row, team: Row | undefined, user: Row | undefined, subject: string, report: ImportReport): void {
  if (textIn(row, "user_id") === null) return;
  if (team)
    report.add(
      "keys of a team belong to its account: the user who owns the key at the source, with the user's own limits, was not imported",
      subject,
    );
  else if (!user) report.add("keys of users who are not at the source are in the account imported-litellm", subject);
}

/**
 * The tables that columns of keys and teams refer to. If such a table were missing, a key would look as if its team or its row of budgets had been
 * deleted.
 */
const REFERENCES: Readonly<Record<string, string>> = {
  team_id: "LiteLLM_TeamTable",
  user_id: "LiteLLM_UserTable",
  budget_id: "LiteLLM_BudgetTable",
  project_id: "LiteLLM_ProjectTable",
  access_group_ids: "LiteLLM_AccessGroupTable",
};

/** Tables that an import reads if they have rows. */
const OTHERS = [
  "LiteLLM_DeletedVerificationToken",
  "LiteLLM_DeprecatedVerificationToken",
  "LiteLLM_BudgetWindowSpend",
  "LiteLLM_ProxyModelTable",
  "LiteLLM_OrganizationTable",
  "LiteLLM_TeamMembership",
  "LiteLLM_EndUserTable",
];

/** Names all files that a folder of CSV files lacks: required files in an error, others in the report. */
function checkTables(tables: SourceTables, rows: readonly Row[], report: ImportReport): void {
  if (!tables.missing) return;
  if (tables.missing(["LiteLLM_VerificationToken"]).length > 0)
    throw new CommandFailed("the folder has neither LiteLLM_VerificationToken.csv nor tokens.csv, which have the keys");
  const needed = Object.entries(REFERENCES).flatMap(([column, table]) => (rows.some((row) => isSet(row[column])) ? [table] : []));
  const missing = tables.missing(needed);
  if (missing.length > 0)
    throw new CommandFailed(`the folder lacks ${missing.join(", ")}, which its keys and teams refer to: export these tables, too`);
  for (const name of tables.missing(OTHERS)) report.add("files that are not in the folder were read as empty tables", name);
}

/** Whether LiteLLM rejects every chat completion with the key, for a reason other than expiry and budgets. */
function isPaused(row: Row, team: Row | undefined, user: Row | undefined, { groups, report }: Context, subject: string): boolean {
  const project = groups.projects.get(textIn(row, "project_id") ?? "");
  const reasons = {
    "keys of blocked teams were imported as paused": team !== undefined && isTrueIn(team, "blocked"),
    "keys of blocked projects were imported as paused": project !== undefined && isTrueIn(project, "blocked"),
    "keys of users who are deactivated by SCIM were imported as paused":
      user !== undefined && objectIn(user, "metadata")["scim_active"] === false,
    "keys whose allowed_routes exclude chat completions were imported as paused": !allowsChat(row),
    "keys with a limit of 0, including a limit of their team or user, were imported as paused": [row, team, user].some(hasZeroLimit),
  };
  const applying = Object.entries(reasons).filter(([, applies]) => applies);
  for (const [why] of applying) report.add(why, subject);
  return applying.length > 0 || isTrueIn(row, "blocked");
}

/** LiteLLM's groups of routes that have chat completions. */
const CHAT_GROUPS = new Set(["openai_routes", "llm_api_routes"]);
const CHAT_ROUTES = ["/chat/completions", "/v1/chat/completions"];

function allowsChat(row: Row): boolean {
  const routes = listIn(row, "allowed_routes");
  if (routes.length === 0) return !["management", "read_only"].includes(textIn(row, "key_type") ?? "");
  return routes.some((route) => CHAT_GROUPS.has(route) || CHAT_ROUTES.some((chat) => covers(route, chat)));
}

function covers(route: string, chat: string): boolean {
  return chat === route || chat.startsWith(`${route}/`) || (route.endsWith("*") && chat.startsWith(route.slice(0, -1)));
}

function hasZeroLimit(row: Row | undefined): boolean {
  return row !== undefined && ["rpm_limit", "tpm_limit", "max_parallel_requests"].some((name) => numberIn(row, name) === 0);
}

function accountOf(team: Row | undefined, user: Row | undefined, context: Context): PlannedAccount {
  const { accounts } = context;
  const [kind, row] = team ? (["team", team] as const) : (["user", user] as const);
  const id = row ? accountIdOf(kind, textIn(row, `${kind}_id`)!) : NOBODY.id;
  return accounts.getOrInsertComputed(id, () => (row ? planAccount(id, kind, row, context) : NOBODY));
}

function planAccount(id: string, kind: "team" | "user", row: Row, context: Context): PlannedAccount {
  const { groups, report } = context;
  const name = nameOf(textIn(row, `${kind}_alias`), textIn(row, "user_email"), textIn(row, `${kind}_id`));
  const subject = `${kind} ${name}`;
  reportColumns(row, `${kind}s`, subject, report);
  if (textIn(row, "user_role") === "proxy_admin") report.add("keys of proxy admins are ordinary keys here: operators have tokens", subject);
  const remaining = remainingCredit(row);
  return {
    id,
    name,
    models: readModels(row, groups, subject, report),
    limits: readLimits(row),
    ...readSpending(row, context, subject, report, true),
    credit_line: remaining === undefined ? "unlimited" : null,
    creditNanos: remaining === undefined ? undefined : nanosOf(remaining),
  };
}

function readLimits(row: Row): NamedRates {
  return {
    ...NO_PLANNED_LIMITS,
    requests_per_minute: limitOf(numberIn(row, "rpm_limit")),
    tokens_per_minute: limitOf(numberIn(row, "tpm_limit")),
    concurrent_requests: limitOf(numberIn(row, "max_parallel_requests")),
  };
}

/** The models of LiteLLM's database, whose settings are encrypted with the salt key. */
async function planModels(tables: SourceTables, saltKey: string | undefined, context: Context): Promise<ImportPlan["config"]> {
  const { teams, report } = context;
  const accountOfTeam = (id: string): string | undefined => teams.get(id) && accountOf(teams.get(id), undefined, context).id;
  if (saltKey !== undefined) return convertStoredModels(tables, new LiteLLMDecryption(saltKey), accountOfTeam, report);
  for (const row of await tables.read("LiteLLM_ProxyModelTable"))
    report.add(
      "models in LiteLLM's database were not imported: name its salt key by --salt-key-file",
      `model ${textIn(row, "model_name") ?? "?"}`,
    );
  return undefined;
}

/** Reports tables that are not imported. */
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

/** Throws if the source has no LiteLLM keys. */
export function refuseEmpty({ keys, rejected, report, config }: ImportPlan): void {
  if (keys.length + rejected.length === 0 && report.notes.length === 0 && !config) throw new CommandFailed("the source has no keys");
}
