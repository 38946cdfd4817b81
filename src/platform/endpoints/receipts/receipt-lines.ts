import { formatPicos } from "../../../money/money.ts";
import { ratesFor, type Price } from "../../../money/price.ts";
import type { Usage } from "../../../money/usage.ts";
import { perMillion } from "../../../money/view-price.ts";

/** One kind of tokens on a receipt. */
export interface ReceiptLine {
  readonly kind: "input" | "cached_input" | "cache_write" | "output" | "reasoning";
  readonly tokens: number;
  readonly per_million: number;
  /** Exact dollars: only the sum of the lines is rounded, once. */
  readonly cost: string;
}

/** The counted kinds of tokens, each with the rate of the tier that applied. Their sum is the cost of the response. */
export function receiptLines(usage: Usage, price: Price): ReceiptLine[] {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens } = usage;
  const rates = ratesFor(price, promptTokens);
  const kinds: [ReceiptLine["kind"], number, bigint][] = [
    ["input", promptTokens - cachedTokens - cacheWriteTokens, rates.inputPicos],
    ["cached_input", cachedTokens, rates.cachedInputPicos],
    ["cache_write", cacheWriteTokens, rates.cacheWritePicos],
    ["output", completionTokens - reasoningTokens, rates.outputPicos],
    ["reasoning", reasoningTokens, rates.reasoningPicos],
  ];
  return kinds
    .filter(([, tokens]) => tokens > 0)
    .map(([kind, tokens, rate]) => ({ kind, tokens, per_million: perMillion(rate), cost: formatPicos(BigInt(tokens) * rate) }));
}
