import { NOT_COMPARED_REASONS, type Money, type NotCompared } from "../../reconciliation/money.ts";
import { formatPicos } from "../../money/money.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { namesOf, type Infer } from "../../lib/schema/infer.ts";
import { ApiError } from "../../requests/api-error.ts";
import { baseUrlOf, presetAt, presetOf, type PresetId, PRESET_IDS } from "../../models/presets.ts";
import { MODEL_KINDS } from "../../models/catalog.ts";
import type { Price } from "../../money/price.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import type { Platform } from "../platform.ts";
import { refuseField } from "./fields.ts";
import { COUNTS, type Measure } from "../../reconciliation/measures.ts";
import { nameOf } from "../../reconciliation/model-names.ts";
import type { Report } from "../../reconciliation/report.ts";
import { differenceIn, percentIn, type Cell, type Cells, type ReportRow } from "../../reconciliation/report-row.ts";
import { BillError } from "../../reconciliation/bill-error.ts";
import type { Bill } from "../../reconciliation/bill.ts";
import { compare } from "../../reconciliation/compare.ts";
import { ledgerDay, type CostPrices, type LedgerModel } from "../../reconciliation/ledger-side.ts";
import { readBill } from "../../reconciliation/read-bill.ts";
import { dayAfter, daysBetween, ZoneDays } from "../../reconciliation/zone-days.ts";
import { operators } from "../../access/access.ts";
import type { ProviderUse } from "../../stores/ledger/ledger-record-store.ts";
import { CallerGone } from "../../lib/async/caller-gone.ts";
import { plainTextSchema } from "../../lib/schema/plain-text.ts";
import { operation, type Operation } from "../operation.ts";
import { daySchema } from "../../lib/schema/text-schema.ts";

function viewMoney({ billPicos, agreedPicos, differingPicos, notComparedPicos }: Money) {
  return {
    bill: formatPicos(billPicos),
    agreed: formatPicos(agreedPicos),
    differing: formatPicos(differingPicos),
    not_compared: formatPicos(notComparedPicos),
  };
}

function viewNotCompared({ day, model, reason, billPicos, ledgerPicos }: NotCompared) {
  return {
    day,
    model: model ?? null,
    reason,
    bill: billPicos === undefined ? null : formatPicos(billPicos),
    ledger: ledgerPicos === undefined ? null : formatPicos(ledgerPicos),
  };
}

const moneySchema = {
  title: "ReconciledMoney",
  type: "object",
  nullable: true,
  required: ["bill", "agreed", "differing", "not_compared"],
  description: "Sums of the bill's amounts, in dollars; null when it has none. `bill` is exactly the sum of the other three.",
  properties: {
    bill: { type: "string" },
    agreed: { type: "string", description: "Amounts that agree with the ledger, within the threshold." },
    differing: { type: "string", description: "Amounts that differ from the ledger." },
    not_compared: { type: "string", description: "Amounts in `not_compared`." },
  },
} as const satisfies Schema;

const notComparedSchema = {
  title: "NotCompared",
  type: "object",
  required: ["day", "model", "reason", "bill", "ledger"],
  properties: {
    day: { type: "string", description: "The day, such as 2027-01-31." },
    model: {
      type: "string",
      nullable: true,
      description: "The model; null for responses from before the provider's model name was recorded.",
    },
    reason: {
      type: "string",
      enum: NOT_COMPARED_REASONS,
      description:
        "`outside_range`: before `from` or after `to`. `not_in_ledger`, `not_on_bill`: only one side has it. `no_cost_price`: neither a `cost` on its route nor a list price is known. `no_model_name`: the ledger has no model name.",
    },
    bill: { type: "string", nullable: true, description: "The amount on the bill in dollars; null when the bill has no amounts." },
    ledger: {
      type: "string",
      nullable: true,
      description: "The amount in the ledger in dollars; null when it is unknown or outside of the range.",
    },
  },
} as const satisfies Schema;

const percentSchema = {
  type: "number",
  nullable: true,
  description: "The difference in percent of the ledger's value. Null when that is zero, or when there is nothing to compare.",
} as const satisfies Schema;

const countsSchema = {
  title: "ReconciledCount",
  type: "object",
  description: "`input_tokens` exclude `cached_tokens` and `cache_write_tokens` if the bill lists them.",
  required: ["ledger", "bill", "difference", "percent", "drifts"],
  properties: {
    ledger: { type: "integer", nullable: true },
    bill: { type: "integer", nullable: true, description: "The bill's value; null when the bill does not have it." },
    difference: { type: "integer", nullable: true, description: "The bill's value minus the ledger's." },
    percent: percentSchema,
    drifts: { type: "boolean", description: "Whether the difference is above the threshold. Requests are shown but never drift." },
  },
} as const satisfies Schema;

const costSchema = {
  title: "ReconciledCost",
  type: "object",
  required: ["ledger", "bill", "difference", "percent", "drifts"],
  properties: {
    ledger: { type: "string", nullable: true, description: "Dollars, at the provider's list price. Null when that is unknown." },
    bill: { type: "string", nullable: true, description: "Dollars. Null when the bill does not have it." },
    difference: { type: "string", nullable: true },
    percent: percentSchema,
    drifts: { type: "boolean" },
  },
} as const satisfies Schema;

const cellSchemas = {
  requests: countsSchema,
  input_tokens: countsSchema,
  cached_tokens: countsSchema,
  cache_write_tokens: countsSchema,
  output_tokens: countsSchema,
  cost: costSchema,
} as const satisfies Record<string, Schema>;

const namesSchema = { type: "array", items: { type: "string" } } as const satisfies Schema;

const rowSchema = {
  title: "ReconciledRow",
  type: "object",
  required: [
    "day",
    "model",
    "matched_by",
    "ledger_models",
    "bill_models",
    "drifts",
    ...namesOf(cellSchemas),
    "reasoning_tokens",
    "reasons",
  ],
  properties: {
    day: { type: "string", description: "The day, such as 2027-01-31." },
    model: {
      type: "string",
      nullable: true,
      description: "The model; null for responses from before the provider's model name was recorded.",
    },
    matched_by: {
      type: "string",
      nullable: true,
      enum: ["name", "date"],
      description: "How the model names were matched; null when only one side has the model.",
    },
    ledger_models: { ...namesSchema, description: "The model's names in the ledger." },
    bill_models: { ...namesSchema, description: "The model's names on the bill." },
    drifts: { type: "boolean" },
    ...cellSchemas,
    reasoning_tokens: { type: "integer", description: "The reasoning tokens among the ledger's output tokens." },
    reasons: {
      title: "DriftReasons",
      type: "object",
      description: "Possible reasons for a difference without an error on either side.",
      required: ["unmeasured_requests", "unmeasured_tokens", "unanswered_attempts", "requests_across_midnight", "rounded_by"],
      properties: {
        unmeasured_requests: { type: "integer", description: "Requests whose tokens the upstream has not reported completely." },
        unmeasured_tokens: { type: "integer" },
        unanswered_attempts: { type: "integer", description: "Attempts that were cut off or timed out, and may be billed." },
        requests_across_midnight: { type: "integer", description: "Requests that started on one day and ended on another." },
        rounded_by: { type: "string", description: "The maximum rounding error of the bill's amounts, in dollars." },
      },
    },
  },
} as const satisfies Schema;

/** The reply of `POST /api/reconciliations`. */
const reconciliationSchema = {
  title: "Reconciliation",
  type: "object",
  required: [
    "provider",
    "upstreams",
    "zone",
    "from",
    "to",
    "is_over",
    "threshold_percent",
    "drifts",
    "agrees",
    "money",
    "bill",
    "totals",
    "days",
    "models",
    "rows",
    "not_compared",
  ],
  properties: {
    provider: { type: "string", nullable: true },
    upstreams: namesSchema,
    zone: { type: "string" },
    from: { type: "string" },
    to: { type: "string", description: "The last day, inclusive." },
    is_over: { type: "boolean", description: "Whether the last day has ended." },
    threshold_percent: { type: "number" },
    drifts: { type: "boolean", description: "Whether any row drifts." },
    agrees: { type: "boolean", description: "Whether no row drifts, and both sides were compared completely." },
    money: moneySchema,
    bill: {
      title: "ReconciledBill",
      type: "object",
      required: ["format", "lines", "from", "to", "compared", "ignored_columns", "outside_range"],
      properties: {
        format: { type: "string", enum: ["openai_usage", "openai_costs", "anthropic_usage", "anthropic_costs", "plain"] },
        lines: { type: "integer" },
        from: { type: "string", nullable: true, description: "The first day of the bill; null when it has no records." },
        to: { type: "string", nullable: true, description: "The last day of the bill." },
        compared: {
          type: "array",
          items: { type: "string", enum: Object.keys(cellSchemas) },
          description: "The measures that the bill can be compared by.",
        },
        ignored_columns: namesSchema,
        outside_range: { type: "integer", description: "The number of models and days on the bill before `from` or after `to`." },
      },
    },
    totals: {
      title: "ReconciledTotals",
      type: "object",
      required: namesOf(cellSchemas),
      properties: cellSchemas,
      description: "Totals over the rows for which both sides have a value.",
    },
    days: {
      title: "ReconciledDays",
      type: "object",
      required: ["not_on_bill", "not_in_ledger"],
      properties: { not_on_bill: namesSchema, not_in_ledger: namesSchema },
    },
    models: {
      title: "ReconciledModels",
      type: "object",
      required: ["not_on_bill", "not_in_ledger", "without_price"],
      properties: { not_on_bill: namesSchema, not_in_ledger: namesSchema, without_price: namesSchema },
    },
    rows: { type: "array", items: rowSchema, description: "Rows by day and model. Rows that are zero on both sides are omitted." },
    not_compared: {
      type: "array",
      items: notComparedSchema,
      description: "Amounts that could not be compared, by day and model, with the reason.",
    },
  },
} as const satisfies Schema;

/** The upstreams of a bill: the named upstreams, or all upstreams at the provider. */
function billedUpstreams(provider: PresetId | undefined, named: readonly string[] | undefined, platform: Platform): readonly string[] {
  if (named) return [...new Set(named)];
  if (provider === undefined) {
    throw new ApiError("missing_required_parameter", "Choose a provider or an upstream with `provider`, `upstreams`, or both.", {
      param: "provider",
    });
  }
  const ids = remoteUpstreams(platform)
    .filter((upstream) => isAt(upstream, provider))
    .map(({ id }) => id);
  if (ids.length > 0) return ids;
  const message = `provider has no known upstream at ${presetOf(provider).name}: name the billed upstreams in \`upstreams\`.`;
  throw new ApiError("invalid_value", message, { param: "provider" });
}

/** A mistyped ID would be compared with nothing. A removed upstream is recognized by its ledger entries. */
function refuseUnknown(upstreams: readonly string[], used: ReadonlySet<string>, days: readonly string[], { catalog }: Platform): void {
  const unknown = upstreams.find((id) => !used.has(id) && !catalog.upstreams().has(id));
  if (unknown === undefined) return;
  refuseField(
    ["upstreams"],
    `names ${JSON.stringify(unknown)}, which is not an upstream and has no ledger entries from ${days[0]} to ${days.at(-1)}`,
  );
}

/** The base URLs by which list prices are looked up. */
function listAddresses(provider: PresetId | undefined, upstreams: readonly string[], platform: Platform): readonly string[] {
  const published = provider && baseUrlOf(presetOf(provider));
  if (published !== undefined) return [published];
  return remoteUpstreams(platform)
    .filter(({ id }) => upstreams.includes(id))
    .map(({ baseUrl }) => baseUrl);
}

function remoteUpstreams({ catalog }: Platform): RemoteSettings[] {
  return [...catalog.upstreams().values()].filter((upstream) => upstream.dialect !== "echo");
}

function isAt({ preset, baseUrl, dialect }: RemoteSettings, provider: PresetId): boolean {
  return preset === provider || presetAt(baseUrl, dialect) === provider;
}

/** The parameters of a reconciliation and its result. */
interface ReconciliationOptions {
  readonly provider: string | undefined;
  readonly upstreams: readonly string[];
  readonly zone: string;
  readonly percent: number;
  /** Whether the last day has ended. */
  readonly isOver: boolean;
}

const NAMES: Readonly<Record<Measure, string>> = {
  requests: "requests",
  input: "input_tokens",
  cached: "cached_tokens",
  cacheWrite: "cache_write_tokens",
  output: "output_tokens",
  cost: "cost",
};

function viewReconciliation(report: Report, { provider, upstreams, zone, percent, isOver }: ReconciliationOptions) {
  const { bill } = report;
  return {
    provider: provider ?? null,
    upstreams,
    zone,
    from: report.from,
    to: report.to,
    is_over: isOver,
    threshold_percent: percent,
    drifts: report.drifts,
    agrees: report.agrees,
    money: report.money ? viewMoney(report.money) : null,
    bill: {
      format: bill.format,
      lines: bill.lines,
      from: bill.span?.from ?? null,
      to: bill.span?.to ?? null,
      compared: ([...COUNTS, "cost"] as const).filter((measure) => bill.measures.has(measure)).map((measure) => NAMES[measure]),
      ignored_columns: bill.ignoredColumns,
      outside_range: report.outsideSpan,
    },
    totals: viewCells(report.totals),
    days: { not_on_bill: report.daysNotOnBill, not_in_ledger: report.daysNotInLedger },
    models: { not_on_bill: report.modelsNotOnBill, not_in_ledger: report.modelsNotInLedger, without_price: report.modelsWithoutPrice },
    rows: report.rows.map(viewRow),
    not_compared: report.notCompared.map(viewNotCompared),
  };
}

function viewRow({ day, names, cells, reasoningTokens, drifts, reasons }: ReportRow) {
  return {
    day,
    model: names ? nameOf(names) : null,
    matched_by: names?.by ?? null,
    ledger_models: names?.ledger ?? [],
    bill_models: names?.bill ?? [],
    drifts,
    ...viewCells(cells),
    reasoning_tokens: reasoningTokens,
    reasons: {
      unmeasured_requests: reasons.unmeasuredRequests,
      unmeasured_tokens: reasons.unmeasuredTokens,
      unanswered_attempts: reasons.unansweredAttempts,
      requests_across_midnight: reasons.acrossMidnight,
      rounded_by: formatPicos(reasons.roundedByPicos),
    },
  };
}

function viewCells({ requests, input, cached, cacheWrite, output, cost }: Cells) {
  return {
    requests: viewCell(requests, Number),
    input_tokens: viewCell(input, Number),
    cached_tokens: viewCell(cached, Number),
    cache_write_tokens: viewCell(cacheWrite, Number),
    output_tokens: viewCell(output, Number),
    cost: viewCell(cost, formatPicos),
  };
}

function viewCell<Shown>(cell: Cell, view: (amount: bigint) => Shown) {
  const orNull = (amount: bigint | undefined): Shown | null => (amount === undefined ? null : view(amount));
  return {
    ledger: orNull(cell.ledger),
    bill: orNull(cell.bill),
    difference: orNull(differenceIn(cell)),
    percent: percentIn(cell) ?? null,
    drifts: cell.drifts,
  };
}

/** Ten times the size of a large organization's bill for a month, by day, model and project. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_DAYS = 366;
const DEFAULT_THRESHOLD_PERCENT = 1;

const requestSchema = {
  title: "ReconcileBillRequest",
  type: "object",
  required: ["csv"],
  additionalProperties: false,
  properties: {
    provider: {
      type: "string",
      enum: PRESET_IDS,
      description: "The provider. The bill is compared with its list prices and, without `upstreams`, with the upstreams at this provider.",
    },
    upstreams: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: { ...plainTextSchema, minLength: 1, maxLength: 100 },
      description: "The billed upstreams, including removed ones.",
    },
    csv: { type: "string", description: "The provider's usage or cost export, or a file in the plain format." },
    zone: { type: "string", maxLength: 100, default: "UTC", description: "The time zone of the provider's days." },
    from: { ...daySchema, description: "The first day. Default: the first day of the bill." },
    to: { ...daySchema, description: "The last day. Default: the last day of the bill." },
    threshold_percent: {
      type: "number",
      minimum: 0,
      maximum: 1000,
      default: DEFAULT_THRESHOLD_PERCENT,
      description: "The tolerated difference in percent of the ledger's value.",
    },
  },
} as const satisfies Schema;

type ReconcileRequest = Infer<typeof requestSchema>;

/** POST /api/reconciliations: compares a provider's bill with the ledger. Nothing is stored. The status is 200 even if they differ. */
export function reconcileBill(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/reconciliations",
    access: operators("usage:read"),
    operationId: "reconcileBill",
    summary: "Reconcile a provider's bill with the ledger, by day and model",
    body: requestSchema,
    maxBodyBytes: MAX_BODY_BYTES,
    reply: { status: 200, description: "The comparison.", json: reconciliationSchema },
    async run({ body, exchange }) {
      // No idle timeout: nothing is sent until all entries have been read.
      exchange.setIdleTimeout(0);
      const days = ZoneDays.find(body.zone ?? "UTC") ?? refuseField(["zone"], "must be the name of a time zone, such as Europe/Berlin");
      const upstreams = billedUpstreams(body.provider, body.upstreams, platform);
      const bill = await read(body.csv, days);
      const span = spanOf(bill, body);
      const prices = await costPrices(body.provider, upstreams, platform);
      const ledger: LedgerModel[] = [];
      const used = new Set<string>();
      for (const day of span) {
        if (exchange.request.signal.aborted) throw new CallerGone();
        const [fromMs, toMs] = [days.startOf(day), days.startOf(dayAfter(day))];
        const use = await platform.ledgerRecords.providerUse({ fromMs, toMs, upstreams, tierBounds: prices.tierBounds });
        const recorded = await recordedPrices(use, platform);
        ledger.push(...ledgerDay(day, fromMs, use, { ...prices, recorded }));
        use.upstreams.forEach((id) => used.add(id));
      }
      refuseUnknown(upstreams, used, span, platform);
      const percent = body.threshold_percent ?? DEFAULT_THRESHOLD_PERCENT;
      const report = compare({ bill, ledger, days: span, threshold: Math.round(percent * 10_000) });
      const isOver = days.dayOf(platform.nowMs()) > report.to;
      return viewReconciliation(report, { provider: body.provider, upstreams, zone: days.zone, percent, isOver });
    },
  });
}

async function read(csv: string, days: ZoneDays): Promise<Bill> {
  try {
    return await readBill(csv, days);
  } catch (error) {
    throw error instanceof BillError ? new ApiError("invalid_value", `csv: ${error.message}.`, { param: "csv" }) : error;
  }
}

function spanOf({ span }: Bill, { from = span?.from, to = span?.to }: ReconcileRequest): readonly string[] {
  if (from === undefined || to === undefined) return refuseField(["csv"], "has no records, so specify its days with `from` and `to`");
  for (const [name, day] of Object.entries({ from, to })) {
    if (Number.isNaN(Date.parse(day)) || new Date(day).toISOString().slice(0, 10) !== day)
      refuseField([name], "must be a day such as 2027-01-31");
  }
  if (from > to) refuseField(["from"], "must not be after `to`");
  if ((Date.parse(to) - Date.parse(from)) / 86_400_000 >= MAX_DAYS) {
    refuseField(["from"], `must be at most ${MAX_DAYS} days before \`to\`: the days are ${from} to ${to}`);
  }
  return daysBetween(from, to);
}

/** With a provider, its list prices are used, whatever the base URL; without a provider, the list prices of the base URLs. */
async function costPrices(
  provider: PresetId | undefined,
  upstreams: readonly string[],
  platform: Platform,
): Promise<Omit<CostPrices, "recorded">> {
  const addresses = listAddresses(provider, upstreams, platform);
  const bounds = new Set([...platform.listPrices.tierBounds(), ...(await platform.ledgerRecords.tierBounds())]);
  const listedAt = (address: string, model: string): (readonly Price[])[] =>
    MODEL_KINDS.map((kind) => platform.listPrices.find(address, model, kind));
  return {
    tierBounds: [...bounds].toSorted((one, other) => one - other),
    listed: (model) => addresses.flatMap((address) => listedAt(address, model)).find((prices) => prices.length > 0) ?? [],
  };
}

/** The cost prices that were recorded with the requests of a day. */
async function recordedPrices({ rows }: ProviderUse, { ledgerRecords }: Platform): Promise<CostPrices["recorded"]> {
  const versions = [...new Set(rows.flatMap(({ costVersion }) => costVersion ?? []))];
  const prices = await Promise.all(versions.map((version) => ledgerRecords.price(version)));
  const byVersion = new Map(versions.map((version, at) => [version, prices[at]]));
  return (version) => byVersion.get(version);
}
