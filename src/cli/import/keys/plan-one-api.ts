import { sha256Of } from "../../../access/api-key.ts";
import {
  accountIdOf,
  dollarsOf,
  ImportReport,
  modelsOf,
  nameOf,
  nanosOf,
  NO_PLANNED_CAPS,
  NO_PLANNED_LIMITS,
  type ImportPlan,
  type PlannedAccount,
  type PlannedKey,
  type RejectedKey,
} from "./import-plan.ts";
import { convertChannels } from "./convert-channels.ts";
import { isTrueIn, numberIn, secondsIn, textIn, type Row } from "./row-values.ts";
import type { SourceTables } from "./source-tables.ts";

/** The default number of quota units per dollar in one-api and new-api; the options may set another number. */
const UNITS_PER_DOLLAR = 500_000;
const ENABLED = "1";
const EXPIRED = "3";

/** Reads the tables of one-api or new-api: an account for each user with keys, with the remaining quota as its credit, and the keys. */
export async function planOneApi(tables: SourceTables, tokens: readonly Row[], nowMs: number): Promise<ImportPlan> {
  const report = new ImportReport();
  const users = new Map((await tables.read("users")).map((row) => [textIn(row, "id") ?? "", row]));
  const options = new Map((await tables.read("options")).map((row) => [textIn(row, "key") ?? "", textIn(row, "value") ?? ""]));
  const unitsPerDollar = unitsPerDollarIn(options);
  const accounts = new Map<string, PlannedAccount>();
  const keys: PlannedKey[] = [];
  const rejected: RejectedKey[] = [];
  for (const row of tokens) {
    const key = planKey(row, { users, unitsPerDollar, rejected, report, nowMs });
    if (!key) continue;
    const user = users.get(textIn(row, "user_id")!)!;
    if (!accounts.has(key.account)) accounts.set(key.account, planAccount(key.account, user, unitsPerDollar, report));
    keys.push(key);
  }
  const config = convertChannels(await tables.read("channels"), options, unitsPerDollar, report);
  const from = tokens.some((row) => "model_limits_enabled" in row) ? "new-api" : "one-api";
  return { from, accounts: [...accounts.values()], keys, rejected, report, ...(config && { config }) };
}

function unitsPerDollarIn(options: ReadonlyMap<string, string>): number {
  const units = Number(options.get("QuotaPerUnit"));
  return units > 0 ? units : UNITS_PER_DOLLAR;
}

interface Context {
  readonly users: ReadonlyMap<string, Row>;
  readonly unitsPerDollar: number;
  readonly rejected: RejectedKey[];
  readonly report: ImportReport;
  readonly nowMs: number;
}

function planKey(row: Row, { users, unitsPerDollar, rejected, report, nowMs }: Context): PlannedKey | undefined {
  const plaintext = (textIn(row, "key") ?? "").trim();
  const subject = `key ${nameOf(textIn(row, "name"))} (${textIn(row, "id") ?? "?"})`;
  const expiresAt = secondsIn(row, "expired_time");
  const user = users.get(textIn(row, "user_id") ?? "");
  if (plaintext === "") return undefined;
  const sha256 = sha256Of(plaintext.startsWith("sk-") ? plaintext : `sk-${plaintext}`);
  const reject = (which: string): undefined => {
    rejected.push({ sha256, why: `${which} were paused here` });
    return report.omit(`${which} were omitted`, subject);
  };
  if (isDeleted(row)) {
    rejected.push({ sha256, why: "keys that were deleted at the source were paused here" });
    return undefined;
  }
  if (!user || isDeleted(user)) return reject("keys whose user does not exist");
  if (textIn(row, "status") === EXPIRED || (expiresAt !== null && Date.parse(expiresAt) <= nowMs)) return reject("keys that have expired");
  if (textIn(row, "subnet") ?? textIn(row, "allow_ips"))
    report.add("the addresses that keys may be used from have no counterpart", subject);
  if (textIn(row, "group")) report.add("groups of keys have no counterpart: see price lists of accounts", subject);
  if (!isEnabled(user)) report.add("keys of disabled users were imported as paused", subject);
  const createdAt = secondsIn(row, "created_time");
  return {
    sha256,
    name: nameOf(textIn(row, "name"), subject),
    account: accountIdOf("user", textIn(user, "id")!),
    models: modelsOf(allowList(row), subject, report),
    limits: NO_PLANNED_LIMITS,
    caps: isTrueIn(row, "unlimited_quota")
      ? NO_PLANNED_CAPS
      : { ...NO_PLANNED_CAPS, total: dollarsOf((numberIn(row, "remain_quota") ?? 0) / unitsPerDollar) },
    ...(createdAt !== null && { created_at: createdAt }),
    expires_at: expiresAt,
    // An exhausted key is not paused, because it has a spend cap of zero.
    paused: textIn(row, "status") === "2" || !isEnabled(user),
  };
}

/** one-api has a list of models; new-api has a list, and a flag that says whether it applies. */
function allowList(row: Row): readonly string[] {
  const list =
    "model_limits_enabled" in row ? (isTrueIn(row, "model_limits_enabled") ? textIn(row, "model_limits") : null) : textIn(row, "models");
  return (list ?? "")
    .split(",")
    .map((model) => model.trim())
    .filter((model) => model !== "");
}

function planAccount(id: string, user: Row, unitsPerDollar: number, report: ImportReport): PlannedAccount {
  const name = nameOf(textIn(user, "display_name"), textIn(user, "username"), textIn(user, "email"));
  const group = textIn(user, "group");
  if (group !== null && group !== "default")
    report.add(`users of the group ${group} pay the base prices: give them a price list`, `user ${name}`);
  return {
    id,
    name,
    models: ["*"],
    limits: NO_PLANNED_LIMITS,
    caps: NO_PLANNED_CAPS,
    credit_line: null,
    creditNanos: nanosOf((numberIn(user, "quota") ?? 0) / unitsPerDollar),
  };
}

function isEnabled(row: Row): boolean {
  return (textIn(row, "status") ?? ENABLED) === ENABLED;
}

function isDeleted(row: Row): boolean {
  const at = row["deleted_at"];
  return at !== null && at !== undefined && at !== "";
}
