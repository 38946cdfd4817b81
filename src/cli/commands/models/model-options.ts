import { CAPABILITIES } from "../../../models/declared-model.ts";
import { clearable, count, duration, json, list, rate, text, yesOrNo } from "../../options.ts";
import type { Fields } from "../../platform-command.ts";
import { PARAMETER, UNKNOWN_PARAMETERS } from "./parameter-option.ts";
import { ROUTE } from "./route-option.ts";

/** What a model is made with and can be changed to. */
export const MODEL_OPTIONS = {
  route: ROUTE,
  "input-price": rate("price.input_per_million", "dollars for a million tokens of input"),
  "output-price": rate("price.output_per_million", "dollars for a million tokens of output"),
  "cached-input-price": rate("price.cached_input_per_million", "for cached input, if it is another"),
  "cache-write-price": rate("price.cache_write_per_million", "for writing to the cache, if it is another than for input"),
  "reasoning-price": rate("price.reasoning_per_million", "for reasoning, if it is another than for output"),
  effective: text("price.effective", "the day from which on this price holds, such as 2027-01-31; always, if not given", "DAY"),
  "price-tiers": json("price.tiers", "other rates above so many input tokens, as docs/configuration.md has them"),
  prices: json("prices", "instead of all of these, several prices with their days, as docs/configuration.md has them"),
  free: yesOrNo("free", "whether it costs nothing"),
  "context-window": clearable(count("context_window", "how many tokens prompt and answer may have together, or none")),
  "max-output-tokens": clearable(count("max_output_tokens", "how many tokens an answer may have, or none")),
  capabilities: list("capabilities", `what it can do, with commas between: ${CAPABILITIES.join(", ")}`),
  "owned-by": text("owned_by", "the owner label in the model list"),
  parameter: PARAMETER,
  "unknown-parameters": clearable(UNKNOWN_PARAMETERS),
  sticky: clearable(yesOrNo("sticky", "whether a conversation stays at one upstream; none for where cached input is cheaper")),
  "cache-ttl": clearable(duration("cache.ttl_seconds", "how long an answer is kept for the same request: 30m, 24h, 7d, or none")),
  "cache-price": count(
    "cache.price_percent",
    "what a kept answer costs, in percent of what its tokens cost by the price in force; nothing, if not given",
  ),
  "connect-ms": clearable(
    count("timeouts.connect_ms", "how long to wait for a connection, in milliseconds; none for as the upstream has it"),
  ),
  "first-byte-ms": clearable(count("timeouts.first_byte_ms", "how long to wait for the first byte of a stream, or none")),
  "between-chunks-ms": clearable(count("timeouts.between_chunks_ms", "how long to wait between two pieces of a stream, or none")),
  "total-ms": clearable(count("timeouts.total_ms", "how long to wait for the whole call, or none")),
};

/** No time to keep answers for is no cache, whatever else was said of it. */
export function withoutEmptyCache(fields: Fields): Fields {
  if (fields["cache.ttl_seconds"] !== null) return fields;
  const { "cache.ttl_seconds": _ttl, "cache.price_percent": _price, ...rest } = fields;
  return { ...rest, cache: null };
}
