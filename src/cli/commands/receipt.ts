import type { FailedAttempt, Price, Receipt } from "../../../platform-client/types.ts";
import { formatDetails } from "../format/format-details.ts";
import { formatCount, formatNumber, formatUsd, formatRate, formatTime } from "../format/format-values.ts";
import { describeAttribution } from "../format/format-attribution.ts";
import { platformCommand } from "../platform-command.ts";
import { alignPoints, formatColumns } from "../format/table.ts";
import { FAULTS } from "./logs/draw-attempts.ts";

export const showReceipt = platformCommand<Receipt>({
  summary: "Show the receipt of a request: its cost, itemized by token kind.",
  examples: ["receipt req_8VhK2mQx5nTz7LpWb3Yc"],
  operands: [{ name: "REQUEST_ID", meaning: "request ID: the x-request-id header of the response, also shown by credits list and logs" }],
  call: "GET /api/receipts/{requestId}",
  print: describe,
});

const COUNTED = {
  measured: "counted by the upstream",
  partial: "counted by the upstream until the response was interrupted",
  estimated: "estimated: the upstream's counts were missing, implausible or not awaited",
} as const;

/** A cache hit has the token counts of the response that was cached. */
const COUNTED_BEFORE = "from the response cache, as counted for the original response";

/** The reason for the hold of an ordinary request, which has no media and sets no max_tokens. It is not shown. */
const PLAIN_HOLD = "a request";

const KINDS: Readonly<Record<string, string>> = { cached_input: "cached input", cache_write: "cache write" };

function describe(receipt: Receipt): string {
  const { provenance } = receipt;
  const rows = [
    ["Request", receipt.request_id],
    ["Account", `${receipt.account}, key ${receipt.key}`],
    ["Model", describeServing(receipt)],
    ...describeAttribution(receipt),
    ...(receipt.failed_attempts ?? []).map((attempt) => ["Failed attempt", describeFailed(attempt)]),
    ["Started", `${formatTime(receipt.started_at)} UTC`],
    ["Ended", receipt.ended_at === null ? "in flight" : `${formatTime(receipt.ended_at)} UTC: ${receipt.reason}`],
    ...(receipt.hold_reason === PLAIN_HOLD ? [] : [["Hold", `for ${receipt.hold_reason}`]]),
    ...(provenance === null ? [] : [["Tokens", receipt.attempts === 0 ? COUNTED_BEFORE : COUNTED[provenance]]]),
    ...(receipt.price === null ? [] : [["Price", describePrice(receipt.price, receipt.derived_from)]]),
    ...(receipt.multipliers.length === 0 ? [] : [["Options", `${receipt.multipliers.join(", ")}: included in the rates`]]),
    ...(receipt.upstream_cost == null ? [] : [["Upstream cost", formatUsd(receipt.upstream_cost)]]),
  ];
  return `${formatDetails(rows)}\n${describeMoney(receipt)}`;
}

function describePrice({ version, price_list: list }: Price, derived: Receipt["derived_from"]): string {
  return [...(list === null ? [] : [`price list ${list}`]), ...(derived ? [describePercent(derived)] : []), `version ${version}`].join(
    ", ",
  );
}

function describePercent({ percent, price }: NonNullable<Receipt["derived_from"]>): string {
  const whole = price && ` of ${formatRate(price.input_per_million)} input and ${formatRate(price.output_per_million)} output`;
  return `${percent} %${whole ?? ""}`;
}

/** A cached response needs no attempt. */
function describeServing({ model, upstream, upstream_model: upstreamModel, attempts }: Receipt): string {
  if (attempts === 0) return `${model}, served from the response cache`;
  if (attempts === null) return model;
  const by = typeof upstream === "string" ? ` by ${upstream}` : "";
  const as = typeof upstreamModel === "string" ? ` as ${upstreamModel}` : "";
  return `${model}, served${by}${as} in ${formatCount(attempts, "attempt")}`;
}

function describeFailed({ upstream, model, fault, duration_ms: ms, detail }: FailedAttempt): string {
  return `${upstream} as ${model}: ${FAULTS[fault]} after ${formatNumber(ms)} ms (${detail})`;
}

/** The lines and their sum, aligned by the decimal point. */
function describeMoney({ lines, tools, held, charged, uncharged }: Receipt): string {
  const sums = [
    ...(charged === null ? [] : [["Charged", charged]]),
    ...(uncharged === null || !/[1-9]/.test(uncharged) ? [] : [["Not charged", uncharged]]),
    ["Reserved", held],
  ] as [string, string][];
  const tokens = lines.map((line) => formatNumber(line.tokens));
  const width = Math.max(0, ...tokens.map((text) => text.length));
  const rates = alignPoints(lines.map((line) => formatRate(line.per_million)));
  const amounts = alignPoints([...[...lines, ...tools].map(({ cost }) => cost), ...sums.map(([, amount]) => amount)].map(formatUsd));
  const priced = lines.map((line, at) => [KINDS[line.kind] ?? line.kind, `${tokens[at]!.padStart(width)} × ${rates[at]} per million`]);
  const fees = tools.map(({ tool, calls, fee }) => [tool, `${formatNumber(calls).padStart(width)} × ${formatUsd(fee)}`]);
  const names = sums.map(([name]) => (lines.length === 0 ? [name] : [name, ""]));
  const rows = [...priced, ...fees, ...names].map((row, at) => [...row, amounts[at]!]);
  return formatColumns(rows, "  ");
}
