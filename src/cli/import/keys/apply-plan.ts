import type { Account, EntryPage, ImportedKeys, Model } from "../../../../platform-client/types.ts";
import { isCovered } from "../../../models/catalog.ts";
import { readRates, viewRates } from "../../../money/limits.ts";
import { formatDollars, parseDollars, type Nanos } from "../../../money/money.ts";
import { callPlatform } from "../../platform-client.ts";
import { hasKeys, listAll } from "./gateway-state.ts";
import { NO_MODEL, type ImportPlan, type PlannedAccount, type SourceKind, type ImportReport } from "./import-plan.ts";
import { tellSourcesApart, type InvalidKey, type SourcePlan } from "./tell-sources-apart.ts";
import { isMap, isScalar, isSeq, parseDocument, type YAMLSeq } from "yaml";

/** The number of keys per call. */
const KEYS_AT_ONCE = 200;

/** The result of an import. */
export interface AppliedImport {
  readonly accounts: Record<"created" | "updated" | "unchanged", number>;
  readonly keys: Record<string, number>;
  /** The credit that was added, minus the credit that was removed. */
  readonly credit: string;
}

/** A plan as it will be applied to the gateway, with the accounts that exist there. */
export interface ComparedPlan extends Pick<ImportPlan, "from" | "accounts" | "keys" | "report" | "config"> {
  readonly known: ReadonlyMap<string, Account>;
  readonly source: string;
  readonly invalid: readonly InvalidKey[];
}

/** Compares a plan with the accounts and keys of the gateway, and reports the differences. Nothing is changed. */
export async function comparePlan(given: ImportPlan): Promise<ComparedPlan> {
  const known = new Map((await listAll<Account>("/api/accounts?archived=false")).map((account) => [account.id, account]));
  const archived = new Set((await listAll<Account>("/api/accounts?archived=true")).map(({ id }) => id));
  const compared = await tellSourcesApart(given, new Set([...known.keys(), ...archived]));
  const { source, invalid, plan } = compared;
  for (const { name, why } of invalid) plan.report.add(why, `key ${name}`);
  await reportUnknownModels(plan);
  return { from: plan.from, report: plan.report, known, source, invalid, ...(await withoutLeft(compared, known, archived)) };
}

/**
 * Reports unknown names in lists of models. Only the gateway knows the models of LiteLLM's config file. A list may also name access groups
 * of that file.
 */
async function reportUnknownModels({ accounts, keys, report }: ImportPlan): Promise<void> {
  const models = (await listAll<Model>("/api/models")).map(({ id }) => id);
  const isKnown = (name: string): boolean => name.endsWith("*") || models.includes(name) || isCovered(models, name);
  const listing = [
    ...accounts.map(({ id, models: list }) => [`account ${id}`, list] as const),
    ...keys.map(({ name, models: list }) => [`key ${name}`, list] as const),
  ];
  for (const [subject, list] of listing) {
    const unknown = list.filter((name) => !isKnown(name) && !NO_MODELS.has(name));
    const why = "lists of models have names of no model here: add the model, or for an access group list its models";
    if (unknown.length > 0) report.add(why, `${unknown.join(", ")} of ${subject}`);
  }
}

/** Names that are in a list to exclude all models. */
const NO_MODELS: ReadonlySet<string> = new Set([NO_MODEL, "no-default-models"]);

/**
 * Creates the accounts, their credit and the keys of a plan. What already exists is unchanged, or gets the state that it has at the other
 * gateway.
 */
export async function applyPlan({ from, accounts, keys, report, known, source, invalid }: ComparedPlan): Promise<AppliedImport> {
  // Pausing comes first: a later failure must not leave these keys active.
  for (const { id } of invalid) await callPlatform({ method: "PATCH", path: `/api/keys/${id}`, body: { paused: true } });
  const done: AppliedImport["accounts"] = { created: 0, updated: 0, unchanged: 0 };
  let creditNanos = 0n;
  for (const planned of accounts) {
    const current = known.get(planned.id);
    if (current?.managed_by === "file") report.add("accounts of the config file were left as they are", `account ${planned.id}`);
    else done[await putAccount(planned, current)]++;
    if (planned.creditNanos !== undefined) creditNanos += await putCredit(planned.id, planned.creditNanos, from, current === undefined);
  }
  const own = accounts.filter(({ id }) => known.get(id)?.managed_by !== "file");
  for (let at = 0; at < own.length; at += KEYS_AT_ONCE) {
    const spends = own.slice(at, at + KEYS_AT_ONCE).map(({ id, carried_spend = null }) => ({ id, carried_spend }));
    await callPlatform({ method: "POST", path: "/api/imports/spend", body: { accounts: spends } });
  }
  const outcomes: Record<string, number> = invalid.length === 0 ? {} : { paused: invalid.length };
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const batch = keys.slice(at, at + KEYS_AT_ONCE);
    const { body } = await callPlatform({ method: "POST", path: "/api/imports/keys", body: { from, source, keys: batch } });
    (body as ImportedKeys).keys.forEach(({ outcome }, index) => {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (outcome === "conflict") report.add("keys that exist in another account were left there", `key ${batch[index]!.name}`);
      if (outcome === "guessable")
        report.add("guessable keys, such as sk-1234, were not imported: their callers need new ones", `key ${batch[index]!.name}`);
      if (outcome === "kept")
        report.add("keys that were revoked, archived, rotated or paused here were left so", `key ${batch[index]!.name}`);
    });
  }
  return { accounts: done, keys: outcomes, credit: formatDollars(creditNanos) };
}

/** The plan without accounts that must not be touched, and without their keys and models. */
async function withoutLeft(
  { plan: { accounts, keys, report, config }, ending, sourceAccounts }: SourcePlan,
  known: ReadonlyMap<string, Account>,
  archived: ReadonlySet<string>,
): Promise<Pick<ImportPlan, "accounts" | "keys" | "config">> {
  const left = new Set<string>();
  for (const { id } of accounts) {
    const isForeign = known.has(id) && !sourceAccounts.has(id) && (await hasOnlyUnimportedKeys(id));
    if (!archived.has(id) && !isForeign) continue;
    left.add(id);
    const why = isForeign ? "accounts that were here before, with keys of their own," : "accounts that were archived here";
    report.add(`${why} were left so, without the keys at the source`, `account ${id}`);
  }
  return {
    accounts: accounts.filter(({ id }) => !left.has(id)),
    keys: keys.filter(({ account }) => !left.has(account)),
    config: config && { ...config, yaml: withAccounts(config.yaml, ending, left, report) },
  };
}

/**
 * Whether an account has keys but no imported keys. It then belongs to somebody else and has the same ID by chance: its caps must not be
 * replaced, and its credit must not be spent by other keys.
 */
async function hasOnlyUnimportedKeys(account: string): Promise<boolean> {
  return !(await hasKeys(account, "&imported=true")) && (await hasKeys(account));
}

async function putAccount(planned: PlannedAccount, current: Account | undefined): Promise<keyof AppliedImport["accounts"]> {
  const { id } = planned;
  const fields = {
    name: planned.name,
    models: planned.models,
    limits: planned.limits,
    caps: planned.caps,
    credit_line: planned.credit_line,
  };
  if (!current) {
    await callPlatform({ method: "POST", path: "/api/accounts", body: { id, ...fields } });
    return "created";
  }
  const { name, models, limits, caps, credit_line } = current;
  const same: typeof fields = {
    name,
    models,
    limits: viewRates(readRates(limits)),
    caps: { day: caps.day ?? null, month: caps.month ?? null, total: caps.total ?? null },
    credit_line: credit_line as "unlimited" | null,
  };
  if (Bun.deepEquals(same, fields)) return "unchanged";
  await callPlatform({ method: "PATCH", path: `/api/accounts/${id}`, body: fields });
  return "updated";
}

/**
 * Grants the remaining credit of the other gateway. If an earlier import granted another amount, it adjusts by the difference. The number
 * of earlier entries is in the reference, so that two simultaneous imports add one entry.
 */
async function putCredit(account: string, nanos: Nanos, from: SourceKind, isNew: boolean): Promise<Nanos> {
  const earlier = isNew ? [] : await earlierAmounts(account, from);
  const difference = earlier.reduce((left, amount) => left - amount, nanos);
  if (difference === 0n) return 0n;
  const kind = earlier.length === 0 ? "grants" : "adjustments";
  const body = {
    amount: formatDollars(difference),
    reference: referenceOf(from, earlier.length + 1),
    reason: `remaining credit at ${from}`,
  };
  await callPlatform({ method: "POST", path: `/api/accounts/${account}/${kind}`, body });
  return difference;
}

function referenceOf(from: SourceKind, number: number): string {
  return `import:${from}:${number}`;
}

/** The entries are looked up one by one, by their references: an account may have millions of other entries. */
async function earlierAmounts(account: string, from: SourceKind): Promise<readonly Nanos[]> {
  const amounts: Nanos[] = [];
  for (;;) {
    const query = `reference=${encodeURIComponent(referenceOf(from, amounts.length + 1))}`;
    const { body } = await callPlatform({ method: "GET", path: `/api/accounts/${account}/entries?${query}` });
    const [entry] = (body as EntryPage).data;
    if (!entry) return amounts;
    amounts.push(parseDollars(entry.amount)!);
  }
}

/**
 * The text of a config file with the account IDs of this gateway. Models of omitted accounts are removed: otherwise an existing
 * account could call the model of a team that has the same ID by chance.
 */
export function withAccounts(yaml: string, ending: string, left: ReadonlySet<string>, report: ImportReport): string {
  const document = parseDocument(yaml);
  const models = document.get("models");
  if (!isSeq(models)) return yaml;
  const omitted = new Set<unknown>();
  for (const model of models.items) {
    const accounts: unknown = isMap(model) ? model.get("accounts") : undefined;
    if (!isMap(model) || !isSeq(accounts)) continue;
    for (const account of accounts.items) if (isScalar(account)) account.value = `${String(account.value)}${ending}`;
    if (accounts.items.some((account) => isScalar(account) && left.has(String(account.value)))) omitted.add(model.get("id"));
  }
  for (const id of omitted) report.add("models of accounts that were left so were omitted from the config file", `model ${String(id)}`);
  removeModels(models, omitted);
  return document.toString({ lineWidth: 0 });
}

/** Removes models, and the fallbacks to them. */
function removeModels(models: YAMLSeq, omitted: ReadonlySet<unknown>): void {
  models.items = models.items.filter((model) => !isMap(model) || !omitted.has(model.get("id")));
  for (const model of models.items) {
    const fallbacks: unknown = isMap(model) ? model.get("fallback_models") : undefined;
    if (!isMap(model) || !isSeq(fallbacks)) continue;
    fallbacks.items = fallbacks.items.filter((fallback) => !isMap(fallback) || !omitted.has(fallback.get("model")));
    if (fallbacks.items.length === 0) model.delete("fallback_models");
  }
}
