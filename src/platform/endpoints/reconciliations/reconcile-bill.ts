import type { Infer } from "../../../lib/schema/infer.ts";
import { BillError } from "../../../reconciliation/bill-error.ts";
import type { Bill } from "../../../reconciliation/bill.ts";
import { compare } from "../../../reconciliation/compare.ts";
import { ledgerDay, type CostPrices, type LedgerModel } from "../../../reconciliation/ledger-side.ts";
import { readBill } from "../../../reconciliation/read-bill.ts";
import { dayAfter, daysBetween, ZoneDays } from "../../../reconciliation/zone-days.ts";
import { operators } from "../../../access/access.ts";
import type { ProviderUse } from "../../../stores/ledger/ledger-record-store.ts";
import { CallerGone } from "../../../lib/async/caller-gone.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { plainTextSchema } from "../../../lib/schema/plain-text.ts";
import { PRESET_IDS, type PresetId } from "../../../models/presets.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { refuseField } from "../fields/refuse-field.ts";
import { billedUpstreams, listAddresses, refuseUnknown } from "./billed-upstreams.ts";
import { reconciliationSchema } from "./reconciliation-schema.ts";
import { viewReconciliation } from "./reconciliation-view.ts";

/** Ten times a month of a large organization by day, model and project. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_DAYS = 366;
const DEFAULT_THRESHOLD_PERCENT = 1;

const daySchema = {
  type: "string",
  pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
  patternInWords: "a day such as 2027-01-31",
} as const satisfies Schema;

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

/**
 * POST /api/reconciliations: compares a provider's bill with the ledger. Nothing is stored. The status is 200 whether or not they agree.
 */
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
      // No idle timeout: nothing is sent until all entries were read.
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

/** List prices are the provider's, whatever the base URL; without a provider, those of the base URLs. */
async function costPrices(
  provider: PresetId | undefined,
  upstreams: readonly string[],
  platform: Platform,
): Promise<Omit<CostPrices, "recorded">> {
  const addresses = listAddresses(provider, upstreams, platform);
  const bounds = new Set([...platform.listPrices.tierBounds(), ...(await platform.ledgerRecords.tierBounds())]);
  return {
    tierBounds: [...bounds].toSorted((one, other) => one - other),
    listed: (model) => addresses.map((address) => platform.listPrices.find(address, model)).find((prices) => prices.length > 0) ?? [],
  };
}

/** The cost prices that were recorded with the requests of a day. */
async function recordedPrices({ rows }: ProviderUse, { ledgerRecords }: Platform): Promise<CostPrices["recorded"]> {
  const versions = [...new Set(rows.flatMap(({ costVersion }) => costVersion ?? []))];
  const prices = await Promise.all(versions.map((version) => ledgerRecords.price(version)));
  const byVersion = new Map(versions.map((version, at) => [version, prices[at]]));
  return (version) => byVersion.get(version);
}
