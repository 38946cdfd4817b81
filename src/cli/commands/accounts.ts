import type { Account, NewAccount } from "../../../platform-client/types.ts";
import { changeCommand } from "../change-command.ts";
import type { Operand } from "../command.ts";
import { formatDetails, warnOfModels } from "../format/format-details.ts";
import { describeRestrictions, describeSpending, formatUsd, formatTime, managedBy } from "../format/format-values.ts";
import { LIMIT_OPTIONS } from "../limit-options.ts";
import { listCommand } from "../list-command.ts";
import { listOptions } from "../list-options.ts";
import { choice, clearable, dollars, list, onOrOff, text } from "../options.ts";
import { platformCommand } from "../platform-command.ts";
import { TOLLGATE } from "../../lib/this-program.ts";

export const ACCOUNT: Operand = { name: "ACCOUNT", meaning: "account ID, as shown by accounts list" };

/** The fields of an account that can be set and updated. */
const ACCOUNT_OPTIONS = {
  name: text("name", "display name"),
  models: list(
    "models",
    "models that its keys may call, within each key's own list: IDs or prefixes such as 'gpt-*', separated by commas; '*' for all",
  ),
  ...LIMIT_OPTIONS,
  "credit-line": clearable(
    text(
      "credit_line",
      "how far below zero its credit may go, in dollars, for an account that is billed afterwards; unlimited for no limit, none for none",
      "USD|unlimited",
    ),
  ),
  "low-credit": clearable(
    dollars("low_credit", "alert threshold: credit in dollars below which an alert is raised; none for an alert at zero"),
  ),
  "log-bodies": onOrOff("log_bodies", "prompt and response logging"),
  attribution: choice(
    "attribution",
    ["plain", "hashed", "off"],
    "how end users and conversations are stored: as clients name them, as a keyed hash, or, with the tags, not at all",
  ),
  "metadata-tags": list("metadata_tags", "fields of metadata in requests that are tags, separated by commas"),
  "conversation-key": clearable(text("conversation_key", "field of metadata in requests that names the conversation; none for no field")),
  "show-credit": onOrOff("show_credit", "remaining credit and spend caps for the holders of its keys"),
  "price-list": clearable(text("price_list", "price list ID; none for the base prices", "PRICE_LIST")),
};

export const createAccount = platformCommand<NewAccount>({
  summary: "Create an account.",
  details:
    "An account owns credit, and its keys spend it. A new account has no credit, and its requests are rejected until it has some: see credits grant.",
  examples: ["accounts create acme --name 'Acme Inc.'", "accounts create interns --monthly-cap 50 --concurrent 4"],
  operands: [{ name: "ID", field: "id", meaning: "permanent account ID: up to 63 characters of a-z, 0-9, dot, dash and underscore" }],
  options: { ...ACCOUNT_OPTIONS, name: { ...ACCOUNT_OPTIONS.name, meaning: "display name (default: the ID)" } },
  call: "POST /api/accounts",
  complete: (fields) => ({ name: fields["id"], ...fields }),
  print: ({ id, name, unknown_models: unknown }) =>
    `Created account ${id} (${name}). Grant it credit: ${TOLLGATE} credits grant ${id} 10 --reason '…'\n${warnOfModels(unknown)}`,
});

export const listAccounts = listCommand<Account>({
  summary: "List accounts with their credit and spending, in dollars.",
  examples: ["accounts list", "accounts list --search acme", "accounts list --sort available --limit 10"],
  options: {
    search: text("search", "only accounts whose ID or name contains this text"),
    ...listOptions("accounts", ["id", "name", "created", "available", "spent"]),
  },
  call: "GET /api/accounts",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "CREDIT", cell: ({ credit }) => credit, align: "point" },
    { heading: "RESERVED", cell: ({ held }) => held, align: "point" },
    { heading: "SPENT (MONTH)", cell: ({ spent }) => spent.month, align: "point" },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});

export const showAccount = platformCommand<Account>({
  summary: "Show an account: credit, spending, spend caps and limits.",
  examples: ["accounts show default"],
  operands: [ACCOUNT],
  call: "GET /api/accounts/{id}",
  print: describeAccount,
});

function describeAccount(account: Account): string {
  return formatDetails([
    ["Account", `${account.id} (${account.name})`],
    ["Managed by", managedBy(account.managed_by)],
    ...(account.archived_at === null ? [] : [["State", `archived at ${formatTime(account.archived_at)} UTC`] as const]),
    ["Created", `${formatTime(account.created_at)} UTC`],
    ["Models", account.models.join(", ")],
    ["Credit", formatUsd(account.credit)],
    ["Reserved", `${formatUsd(account.held)} by in-flight requests`],
    ["Credit line", describeCreditLine(account.credit_line)],
    ["Available", account.available === null ? "unlimited" : formatUsd(account.available)],
    ...describeSpending(account.spent, account.caps),
    ...describeRestrictions(account),
    ["Low-credit alert", account.low_credit === null ? "at zero" : `below ${formatUsd(account.low_credit)}`],
    ...(account.log_bodies ? [["Logging", "prompts and responses"] as const] : []),
    ["Attribution", describeAttribution(account)],
    ...(account.show_credit ? [] : [["Key holders", "do not see its credit"] as const]),
    ["Price list", account.price_list ?? "none: base prices"],
  ]);
}

function describeCreditLine(line: string | null): string {
  if (line === null) return "none";
  return line === "unlimited" ? line : formatUsd(line);
}

function describeAttribution({ attribution, metadata_tags: tags, conversation_key: conversation }: Account): string {
  if (attribution === "off") return "off";
  return [
    attribution,
    ...(tags.length > 0 ? [`tags from metadata: ${tags.join(", ")}`] : []),
    ...(conversation === null ? [] : [`conversation from metadata: ${conversation}`]),
  ].join("; ");
}

export const updateAccount = changeCommand<Account>({
  summary: "Update an account.",
  examples: [
    "accounts update default --monthly-cap 100",
    "accounts update default --monthly-cap none --concurrent 8",
    "accounts update default --daily-cap 10 --preview",
    "accounts update default --low-credit 25",
    "accounts update acme --credit-line 500",
    "accounts update acme --price-list partners --preview",
  ],
  details: "The change applies from the next request. Fields that are not given stay unchanged.",
  operands: [ACCOUNT],
  options: ACCOUNT_OPTIONS,
  call: "PATCH /api/accounts/{id}",
  print: describeAccount,
});

export const archiveAccount = changeCommand<Account>({
  summary: "Archive an account: reject its keys, and hide it from lists.",
  details: "In-flight requests are finished. Entries, usage and receipts stay, and so do its keys and members.",
  examples: ["accounts archive acme --preview", "accounts archive acme"],
  operands: [ACCOUNT],
  sets: { archived: true },
  call: "PATCH /api/accounts/{id}",
  print: ({ id, name }) => `Archived account ${id} (${name}).\n`,
});

export const restoreAccount = platformCommand<Account>({
  summary: "Restore an archived account. Its keys work again.",
  examples: ["accounts restore acme"],
  operands: [ACCOUNT],
  sets: { archived: false },
  call: "PATCH /api/accounts/{id}",
  print: ({ id, name }) => `Restored account ${id} (${name}).\n`,
});

export const removeAccount = platformCommand<Account>({
  summary: "Remove an archived account that has no ledger entries, keys and members, and that no model names.",
  examples: ["accounts remove acme"],
  operands: [ACCOUNT],
  call: "DELETE /api/accounts/{id}",
  print: ({ id, name }) => `Removed account ${id} (${name}).\n`,
});
