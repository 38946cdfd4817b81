import {
  accountIdSchema,
  accountSettings,
  changeAccountSettings,
  describeAccount,
  makeAccount,
  type Account,
} from "../../access/account.ts";
import { namesOf, type Infer } from "../../lib/schema/infer.ts";
import { fieldsOf } from "../../lib/schema/settings.ts";
import { formatDollars } from "../../money/money.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import type { Platform } from "../platform.ts";
import { availableCredit, spendable } from "../../money/credit-line.ts";
import { viewDollars } from "../../money/declared-limits.ts";
import {
  managedBySchema,
  spentSchema,
  timeSchema,
  refuseWithoutAttribution,
  refuseKeysWithout,
  nextStateTimestamp,
  refuseManagedElsewhere,
  refuseReferred,
} from "./fields.ts";
import { mayAccess, operators, members } from "../../access/access.ts";
import { ApiError } from "../../requests/api-error.ts";
import { operation, type Operation } from "../operation.ts";
import { nameSchema } from "../../lib/schema/name-schema.ts";
import { unknownModelsIn, unknownModelsSchema, findAccount, existingAccount, refuseDefault } from "./find-resource.ts";
import { isListed, sortedPage, searchFor, sortedListQuery, sortedListSchema, type SortOrders } from "../sorted-list.ts";
import { previewChange } from "../preview/change-preview.ts";
import { effectsOf, type ModelEffect } from "../preview/simulate-price-change.ts";
import { simulateKeyChange } from "../preview/simulate-key-change.ts";
import { restrictedTo } from "../../models/catalog.ts";

const accountProperties = {
  id: { type: "string" },
  name: { type: "string" },
  created_at: timeSchema,
  ...fieldsOf(accountSettings, "view"),
  credit: { type: "string", description: "Grants and adjustments minus charges, in dollars." },
  held: { type: "string", description: "Credit reserved by in-flight requests, in dollars." },
  available: {
    type: "string",
    nullable: true,
    description: "The credit and the credit line minus the reserved amount, in dollars; null if the credit line is unlimited.",
  },
  spent: spentSchema,
  archived_at: { ...timeSchema, nullable: true, description: "Since when it is archived; null when it is not." },
  managed_by: { ...managedBySchema, enum: ["operator", "file"] },
} as const satisfies Record<string, Schema>;

const accountSchema = {
  title: "Account",
  type: "object",
  required: namesOf(accountProperties),
  properties: accountProperties,
} as const satisfies Schema;

/** An account as the API returns it, with its balance and spend. Amounts are dollars, as strings. */
function viewAccount(account: Account, { accounts, ledgerRecords, nowMs }: Platform) {
  const { creditNanos, heldNanos } = ledgerRecords.balanceOf(account.id);
  const { dayNanos, monthNanos, totalNanos } = ledgerRecords.spendingOf("account", account.id, nowMs());
  return {
    ...describeAccount(account),
    managed_by: accounts.originOf(account.id),
    credit: formatDollars(creditNanos),
    held: formatDollars(heldNanos),
    available: viewDollars(availableCredit(creditNanos, heldNanos, account.creditLine)),
    spent: { day: formatDollars(dayNanos), month: formatDollars(monthNanos), total: formatDollars(totalNanos) },
  };
}

/** Rejects a price list that does not exist. */
function requirePriceList(id: string | null | undefined, { catalog }: Platform): void {
  if (id == null || catalog.priceLists().has(id)) return;
  throw new ApiError("invalid_value", `price_list names ${JSON.stringify(id)}, and there is no such price list.`, {
    param: "price_list",
  });
}

const createRequest = {
  title: "CreateAccountRequest",
  type: "object",
  additionalProperties: false,
  required: ["id", "name"],
  properties: { id: accountIdSchema, name: nameSchema, ...fieldsOf(accountSettings, "wire") },
} as const satisfies Schema;

const newAccountSchema = {
  ...accountSchema,
  title: "NewAccount",
  properties: { ...accountSchema.properties, unknown_models: unknownModelsSchema },
} as const satisfies Schema;

/** POST /api/accounts: creates an account without credit. */
export function createAccount(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/accounts",
    access: operators("accounts:write"),
    operationId: "createAccount",
    summary: "Create an account. It has no credit yet.",
    body: createRequest,
    reply: { status: 201, description: "The account.", json: newAccountSchema },
    async run({ actor, body, change }) {
      const { id, name, ...settings } = body;
      const { record } = await platform.accounts.update(id, (current) => {
        if (current) throw new ApiError("already_exists", `The account ${id} already exists.`, { param: "id" });
        const account = changeAccountSettings(makeAccount(id, name, platform.nowMs()), settings);
        requirePriceList(settings.price_list, platform);
        refuseWithoutAttribution(account, account.attribution);
        const what = { before: null, after: describeAccount(account), accountId: id };
        return { record: account, change: change("account.create", { kind: "account", id }, what) };
      });
      const unknown = unknownModelsIn(record.models, actor, platform);
      return { ...viewAccount(record, platform), unknown_models: unknown };
    },
    showCreated(id, { actor }) {
      const account = findAccount(id, actor, platform);
      return { ...viewAccount(account, platform), unknown_models: unknownModelsIn(account.models, actor, platform) };
    },
  });
}

const SORTS = ["id", "name", "created", "available", "spent"];

/** GET /api/accounts: a page of accounts by ID. Members see only their own account. */
export function listAccounts(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/accounts",
    access: members("accounts:read"),
    operationId: "listAccounts",
    summary: "List accounts, by id by default",
    query: {
      search: { type: "string", minLength: 1, maxLength: 100, description: "Accounts whose id or name contains this text." },
      ...sortedListQuery("accounts", SORTS, "`available` has the lowest balance first; `spent` compares the spend of this month."),
    },
    reply: { status: 200, description: "A page of accounts.", json: sortedListSchema("AccountPage", accountSchema) },
    async run({ actor, query, cursors }) {
      const hasText = searchFor(query.search);
      return sortedPage(query, cursors, {
        items: await platform.accounts.list(),
        isMatch: ({ id, name, archivedAtMs }) => mayAccess(actor, id) && isListed(query, archivedAtMs) && hasText(id, name),
        sorts: sortsOf(platform),
        viewer: () => (account) => viewAccount(account, platform),
      });
    },
  });
}

function sortsOf({ ledgerRecords, nowMs }: Platform): SortOrders<Account> {
  const now = nowMs();
  const availableOf = ({ id, creditLine }: Account): bigint => {
    const { creditNanos, heldNanos } = ledgerRecords.balanceOf(id);
    return spendable(creditNanos, creditLine) - heldNanos;
  };
  return {
    id: { valueOf: ({ id }) => id, direction: "asc" },
    name: { valueOf: ({ name }) => name.toLowerCase(), direction: "asc" },
    created: { valueOf: ({ createdAtMs }) => createdAtMs, direction: "desc" },
    available: { valueOf: (account) => Number(availableOf(account)), direction: "asc" },
    spent: { valueOf: ({ id }) => Number(ledgerRecords.spendingOf("account", id, now).monthNanos), direction: "desc" },
  };
}

/** GET /api/accounts/:id: an account and its balance. */
export function showAccount(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/accounts/:id",
    access: members("accounts:read"),
    operationId: "showAccount",
    summary: "Show an account and its balance",
    reply: { status: 200, description: "The account.", json: accountSchema },
    run: ({ actor, param }) => viewAccount(findAccount(param("id"), actor, platform), platform),
  });
}

const updateRequest = {
  title: "UpdateAccountRequest",
  type: "object",
  additionalProperties: false,
  properties: {
    name: nameSchema,
    ...fieldsOf(accountSettings, "wire"),
    archived: { type: "boolean", description: "Whether it is archived: hidden from lists, and its keys are rejected." },
  },
} as const satisfies Schema;

type AccountChanges = Infer<typeof updateRequest>;

/** PATCH /api/accounts/:id: updates the given fields. Takes effect with the next request. */
export function updateAccount(platform: Platform): Operation {
  return operation({
    method: "PATCH",
    path: "/api/accounts/:id",
    access: operators("accounts:write"),
    operationId: "updateAccount",
    summary: "Update an account. Only the given fields change, from the next request on.",
    body: updateRequest,
    reply: { status: 200, description: "The updated account.", json: accountSchema },
    async run({ actor, body, param, change }) {
      const id = param("id");
      const { record } = await platform.accounts.update(id, (current) => {
        refuseManagedElsewhere("account", id, platform.accounts.originOf(id), platform);
        const account = existingAccount(current, id, actor);
        const changed = changeAccount(account, body, platform);
        const what = { before: describeAccount(account), after: describeAccount(changed), accountId: id };
        return { record: changed, change: change("account.update", { kind: "account", id }, what) };
      });
      return viewAccount(record, platform);
    },
    preview(call) {
      const account = findAccount(call.param("id"), call.actor, platform);
      const changed = changeAccount(account, call.body, platform);
      const { id } = account;
      const who = { scope: "account", id, accountId: id } as const;
      return previewChange(simulateKeyChange(who, account, changed, platform, effectsOfList(account, changed, platform)), call, platform);
    },
  });
}

/** The effect of another price list on each model. */
function effectsOfList(before: Account, after: Account, { catalog, nowMs }: Platform): ReadonlyMap<string, ModelEffect> {
  if (before.priceList === after.priceList) return new Map();
  return effectsOf(catalog.snapshot(before.priceList), catalog.snapshot(after.priceList), nowMs());
}

/** The account with the changes. Throws a 400 if the changes conflict with the account or its keys, even in a preview. */
function changeAccount(account: Account, changes: AccountChanges, platform: Platform): Account {
  const { name = account.name, archived, ...settings } = changes;
  const archivedAtMs = nextStateTimestamp(archived, account.archivedAtMs, platform.nowMs());
  const changed = { ...changeAccountSettings(account, settings), name, archivedAtMs };
  requirePriceList(settings.price_list, platform);
  refuseDefault(changed);
  refuseWithoutAttribution(changed, changed.attribution);
  refuseKeysWithout(changed, platform);
  return changed;
}

/**
 * DELETE /api/accounts/:id: removes an account without ledger entries, keys and members. It must be archived: an archived account cannot
 * get any of these, so that nothing is added between the check and the removal.
 */
export function removeAccount(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/accounts/:id",
    access: operators("accounts:write"),
    operationId: "removeAccount",
    summary: "Remove an archived account that has no ledger entries, keys and members, and that no model names",
    reply: { status: 200, description: "The removed account.", json: accountSchema },
    async run({ actor, param, change }) {
      const id = param("id");
      const removed = viewAccount(findAccount(id, actor, platform), platform);
      refuseManagedElsewhere("account", id, platform.accounts.originOf(id), platform);
      await refuseEntries(id, platform);
      const keys = (await platform.keys.list()).filter(({ accountId }) => accountId === id).map((key) => key.id);
      const people = (await platform.people.list()).filter(({ accountId }) => accountId === id).map(({ email }) => email);
      refuseReferred(`The account ${id}`, { "the keys": keys, "the members": people }, "Remove them first, or leave it archived.");
      await platform.accounts.remove(id, (current) => {
        refuseManagedElsewhere("account", id, platform.accounts.originOf(id), platform);
        const account = refuseUnarchived(existingAccount(current, id, actor));
        const models = restrictedTo(id, platform.catalog.snapshot());
        refuseReferred(`The account ${id}`, { "the models": models }, "Change their accounts first, or leave it archived.");
        return {
          change: change("account.remove", { kind: "account", id }, { before: describeAccount(account), after: null, accountId: id }),
        };
      });
      return removed;
    },
  });
}

/** Ledger entries are kept permanently, so an account with entries is too. */
async function refuseEntries(id: string, { ledgerRecords, nowMs }: Platform): Promise<void> {
  const [last] = await ledgerRecords.entriesOf(id, Number.MAX_SAFE_INTEGER, 1);
  const { creditNanos, heldNanos } = ledgerRecords.balanceOf(id);
  const { totalNanos } = ledgerRecords.spendingOf("account", id, nowMs());
  if (!last && creditNanos === 0n && heldNanos === 0n && totalNanos === 0n) return;
  const which = last ? `the last is entry ${await ledgerRecords.numberOf(id, last.id)}` : "of requests in flight";
  throw new ApiError("still_in_use", `The account ${id} cannot be removed: it has ledger entries, ${which}. Leave it archived.`);
}

function refuseUnarchived(account: Account): Account {
  if (account.archivedAtMs !== null) return account;
  throw new ApiError("state_conflict", `The account ${account.id} is in use. Archive it first.`);
}
