import type { Account } from "../../../platform-client/types.ts";
import { changeCommand } from "../change-command.ts";
import type { Operand } from "../command.ts";
import { formatDetails } from "../format-details.ts";
import { describeLimits, describeSpending, formatUsd, formatTime, managedBy } from "../format-values.ts";
import { LIMIT_OPTIONS } from "../limit-options.ts";
import { listCommand } from "../list-command.ts";
import { choice, clearable, dollars, list, onOrOff, text } from "../options.ts";
import { platformCommand } from "../platform-command.ts";

export const ACCOUNT: Operand = { name: "ACCOUNT", meaning: "the account's id, as accounts list shows it" };

/** What an account is made with and can be changed to. */
export const ACCOUNT_OPTIONS = {
  name: text("name", "what it is called"),
  models: list(
    "models",
    "the models that its keys may call, as far as each key's own list goes: ids or prefixes such as 'gpt-*'; '*' for all",
  ),
  ...LIMIT_OPTIONS,
  "low-credit": clearable(dollars("low_credit", "raise an alert when its credit falls below this, in dollars; none: when it has no more")),
  "log-bodies": onOrOff("log_bodies", "whether the request log keeps what its callers and the models say"),
};

export const createAccount = platformCommand<Account>({
  summary: "Makes an account, without credit.",
  details: "An account owns credit, and its keys spend it. Nothing that costs is let in before it has some: see credits grant.",
  examples: ["accounts create acme --name 'Acme Inc.'", "accounts create interns --monthly-cap 50 --concurrent 4"],
  operands: [{ name: "ID", field: "id", meaning: "its id for good: up to 63 of a-z, 0-9, dot, dash and underscore" }],
  options: { ...ACCOUNT_OPTIONS, name: { ...ACCOUNT_OPTIONS.name, meaning: "what it is called; its id, if not given" } },
  call: "POST /api/accounts",
  complete: (fields) => ({ name: fields["id"], ...fields }),
  print: ({ id, name }) => `Made the account ${id} (${name}). Give it credit with: npx tollgate credits grant ${id} 10 --reason '…'\n`,
});

export const listAccounts = listCommand<Account>({
  summary: "Lists the accounts and what they have, in dollars.",
  examples: ["accounts list", "accounts list --search acme", "accounts list --order available --limit 10"],
  options: {
    search: text("search", "those whose id or name has this in it"),
    order: choice("order", ["id", "available"], "by id, or those with the least to spend first; id, if not given"),
  },
  call: "GET /api/accounts",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "CREDIT", cell: ({ credit }) => credit, align: "point" },
    { heading: "HELD", cell: ({ held }) => held, align: "point" },
    { heading: "SPENT (MONTH)", cell: ({ spent }) => spent.month, align: "point" },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});

export const showAccount = platformCommand<Account>({
  summary: "Shows an account: its credit, what it has spent, its limits.",
  examples: ["accounts show default"],
  operands: [ACCOUNT],
  call: "GET /api/accounts/{id}",
  print: describeAccount,
});

export function describeAccount(account: Account): string {
  return formatDetails([
    ["Account", `${account.id} (${account.name})`],
    ["Managed by", managedBy(account.managed_by)],
    ["Made", `${formatTime(account.created_at)} UTC`],
    ["Models", account.models.join(", ")],
    ["Credit", formatUsd(account.credit)],
    ["Held", `${formatUsd(account.held)} for requests under way, so ${formatUsd(account.available)} is left`],
    ...describeSpending(account.spent, account.caps),
    ["Limits", describeLimits(account.limits)],
    ["Alert", account.low_credit === null ? "when it has no more credit" : `below ${formatUsd(account.low_credit)} of credit`],
    ...(account.log_bodies ? [["Request log", "keeps what is said"] as const] : []),
  ]);
}

export const updateAccount = changeCommand<Account>({
  summary: "Changes what is given of an account, from the next request on.",
  examples: [
    "accounts update default --monthly-cap 100",
    "accounts update default --monthly-cap none --concurrent 8",
    "accounts update default --daily-cap 10 --preview",
    "accounts update default --low-credit 25",
  ],
  operands: [ACCOUNT],
  options: ACCOUNT_OPTIONS,
  call: "PATCH /api/accounts/{id}",
  print: describeAccount,
});
