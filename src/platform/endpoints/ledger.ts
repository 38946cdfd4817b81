import { type Actor, operators, members } from "../../access/access.ts";
import type { ListedEntry, CreditEntry } from "../../money/ledger-entry.ts";
import { formatDollars, parseDollars } from "../../money/money.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { usageSchema, usageToWire } from "../../money/usage.ts";
import { attributionSchemas, viewAttributionOf, timeSchema, viewTime } from "./fields.ts";
import { ApiError } from "../../requests/api-error.ts";
import { plainTextSchema } from "../../lib/schema/plain-text.ts";
import { operation, type Operation } from "../operation.ts";
import type { Platform } from "../platform.ts";
import { findAccount, refuseArchived } from "./find-resource.ts";
import { dollarsSchema } from "../../money/declared-limits.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../paging.ts";
import { audit } from "../audit/auditor.ts";

const entrySchema = {
  title: "Entry",
  type: "object",
  required: ["kind", "account", "amount", "at", "actor", "reason"],
  properties: {
    number: { type: "integer", minimum: 1, description: "The sequence number within the account, from 1. Shown in lists." },
    id: { type: "integer", description: "The sequence number over all accounts. Shown to operators." },
    kind: { type: "string", enum: ["grant", "adjustment", "settle", "release"] },
    account: { type: "string" },
    amount: { type: "string", description: "The amount in dollars. For a settle it is the charge, without a sign." },
    at: timeSchema,
    actor: {
      type: "string",
      description: "The actor: a person, a token, or the calling key. Members see `operator` instead of a person or token.",
    },
    reason: { type: "string" },
    reference: { type: "string", description: "Your reference for a grant or an adjustment." },
    request_id: { type: "string" },
    key: { type: "string" },
    model: { type: "string" },
    ...attributionSchemas,
    price_version: { type: "string" },
    uncharged: { type: "string", description: "The part of the cost that was not charged, in dollars." },
    usage: usageSchema,
    provenance: { type: "string", enum: ["measured", "partial", "estimated"] },
    upstream: { type: "string", description: "The upstream that served the request. Shown to operators." },
    attempts: { type: "integer" },
  },
} as const satisfies Schema;

/**
 * A ledger entry as the API returns it. Only operators see the upstream, like in the model itself. Members see neither which operator
 * granted credit nor how many entries other accounts have.
 */
export function viewEntry(entry: ListedEntry, { role }: Pick<Actor, "role">) {
  const head = {
    ...(role === "operator" && { id: entry.id }),
    kind: entry.kind,
    account: entry.accountId,
    amount: formatDollars(entry.kind === "release" ? 0n : entry.amountNanos),
    at: viewTime(entry.atMs),
    actor: "reference" in entry && role !== "operator" ? "operator" : entry.actor,
    reason: entry.reason,
  };
  if ("reference" in entry) return { ...head, reference: entry.reference };
  const { requestId: request_id, keyId: key, model, priceVersion: price_version } = entry;
  const request = { ...head, request_id, key, model, ...viewAttributionOf(entry.attribution), price_version };
  if (entry.kind !== "settle") return request;
  const { unchargedNanos, usage, provenance, upstream, attempts } = entry;
  const served = { uncharged: formatDollars(unchargedNanos), usage: usageToWire(usage), provenance, attempts };
  return { ...request, ...served, ...(role === "operator" && { upstream }) };
}

function requestSchema<const Amount extends Schema & { readonly type: "string" }>(title: string, amount: Amount) {
  const text = { ...plainTextSchema, minLength: 1, maxLength: 200 } as const satisfies Schema;
  return {
    title,
    type: "object",
    additionalProperties: false,
    required: ["amount", "reference", "reason"],
    properties: {
      amount,
      reference: { ...text, description: "Your reference, such as an invoice number. Repeating it adds nothing." },
      reason: { ...text, description: "The reason, shown in the ledger entry." },
    },
  } as const satisfies Schema;
}

const signedDollarsSchema = { ...dollarsSchema, pattern: `^-?${dollarsSchema.pattern.slice(1)}` } as const satisfies Schema;

/** POST /api/accounts/:id/grants: grants credit. */
export function grantCredit(platform: Platform): Operation {
  return creditOperation(platform, {
    kind: "grant",
    path: "/api/accounts/:id/grants",
    operationId: "grantCredit",
    summary: "Grant credit to an account",
    body: requestSchema("GrantRequest", dollarsSchema),
  });
}

/** POST /api/accounts/:id/adjustments: corrects credit, up or down. The corrected entries are not changed. */
export function adjustCredit(platform: Platform): Operation {
  return creditOperation(platform, {
    kind: "adjustment",
    path: "/api/accounts/:id/adjustments",
    operationId: "adjustCredit",
    summary: "Adjust an account's credit, up or down",
    body: requestSchema("AdjustmentRequest", signedDollarsSchema),
  });
}

type CreditOperation = Pick<Operation, "path" | "operationId" | "summary"> & {
  readonly kind: CreditEntry["kind"];
  readonly body: ReturnType<typeof requestSchema<typeof dollarsSchema | typeof signedDollarsSchema>>;
};

function creditOperation(platform: Platform, { kind, ...described }: CreditOperation): Operation {
  return operation({
    ...described,
    method: "POST",
    access: operators("credits:write"),
    reply: {
      status: 201,
      description: "The entry.",
      repeated: "The earlier entry, when the reference was used before.",
      json: entrySchema,
    },
    async run({ actor, body: { amount, reference, reason }, param, change }) {
      const accountId = refuseArchived(findAccount(param("id"), actor, platform)).id;
      const amountNanos = parseDollars(amount);
      if (!amountNanos) throw new ApiError("invalid_value", "amount must not be 0.", { param: "amount" });
      const credit = { kind, accountId, amountNanos, atMs: platform.nowMs(), actor: actor.id, reason, reference };
      const { entry, isNew } = await platform.ledgerRecords.addCredit(credit, (added) =>
        change(`credit.${kind}`, { kind: "account", id: accountId }, { before: null, after: viewEntry(added, actor), accountId }),
      );
      if (entry.kind !== kind || entry.amountNanos !== amountNanos) throw alreadyUsed(entry);
      return Reply.json(viewEntry(entry, actor), { status: isNew ? 201 : 200 });
    },
  });
}

function alreadyUsed({ kind, amountNanos, reference }: CreditEntry): ApiError {
  const message = `The reference ${JSON.stringify(reference)} was already used for ${kind === "grant" ? "a grant" : "an adjustment"} of $${formatDollars(amountNanos)}.`;
  return new ApiError("invalid_value", message, { param: "reference" });
}

/** GET /api/accounts/:id/entries: a page of the account's ledger entries, newest first. */
export function listEntries(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/accounts/:id/entries",
    access: members("accounts:read"),
    operationId: "listEntries",
    summary: "List an account's ledger entries, newest first. Holds are not included.",
    query: {
      ...pageQuery,
      reference: { ...plainTextSchema, maxLength: 200, description: "The grant or adjustment with this reference alone." },
    },
    reply: { status: 200, description: "A page of entries.", json: pageSchema("EntryPage", entrySchema) },
    async run({ actor, query, cursors, param }) {
      const { ledgerRecords } = platform;
      const { limit, after } = readPage(query, cursors, ["number", "number"]);
      const account = findAccount(param("id"), actor, platform);
      // With a filter by reference, the page has only the entry with that reference.
      const [beforeId, beforeNumber] = query.reference === undefined && after ? after : [Number.MAX_SAFE_INTEGER, undefined];
      const entries =
        query.reference === undefined
          ? await ledgerRecords.entriesOf(account.id, beforeId, limit + 1)
          : await creditWith(query.reference, account.id, platform);
      const [newest] = entries;
      // The number of entries is counted for the first page; each cursor contains it.
      const first = beforeNumber === undefined ? newest && (await ledgerRecords.numberOf(account.id, newest.id)) : beforeNumber - 1;
      return toPage(
        cursors,
        entries.map((entry, at) => ({ entry, number: first! - at })),
        limit,
        ({ entry, number }) => ({ number, ...viewEntry(entry, actor) }),
        ({ entry, number }) => [entry.id, number],
      );
    },
  });
}

async function creditWith(reference: string, accountId: string, { ledgerRecords }: Platform): Promise<readonly ListedEntry[]> {
  const entry = await ledgerRecords.findCredit(accountId, reference);
  return entry ? [entry] : [];
}

const reportSchema = {
  title: "AuditReport",
  type: "object",
  required: ["checked", "as_of_entry", "discrepancy_count", "discrepancies"],
  properties: {
    checked: {
      title: "AuditedCounts",
      type: "object",
      required: ["entries", "accounts", "requests"],
      properties: { entries: { type: "integer" }, accounts: { type: "integer" }, requests: { type: "integer" } },
    },
    as_of_entry: { type: "integer" },
    discrepancy_count: { type: "integer" },
    discrepancies: { type: "array", items: { type: "object" }, description: "The first 1000 discrepancies." },
  },
} as const satisfies Schema;

/** GET /api/audit: recomputes the ledger from its entries and reports discrepancies. The status is 200 even if there are discrepancies. */
export function runAudit(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/audit",
    access: operators("audit:read"),
    operationId: "runAudit",
    summary: "Verify the ledger: recompute it from its entries and report discrepancies",
    reply: { status: 200, description: "The scope of the audit and the discrepancies.", json: reportSchema },
    async run({ exchange }) {
      // No idle timeout: nothing is sent until the whole ledger has been read.
      exchange.setIdleTimeout(0);
      const { signal } = exchange.request;
      const { ledgerRecords: ledger, auditLog, keys, nowMs } = platform;
      return await audit({ ledger, auditLog, keyIds: keys.ids(), nowMs: nowMs(), signal });
    },
  });
}
