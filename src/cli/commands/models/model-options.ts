import { CAPABILITIES } from "../../../vocabulary/declared-model.ts";
import { UsageError, type Option, type Reader } from "../../command.ts";
import { clearable, count, json, list, rate, text, yesOrNo } from "../../options.ts";

const readRoute: Reader = (given, name) => {
  const at = given.indexOf("/");
  if (at < 1 || at === given.length - 1) throw new UsageError(`${name} must be an upstream and its model, such as our-openai/gpt-4o-mini`);
  return [{ upstream: given.slice(0, at), model: given.slice(at + 1) }];
};

export const ROUTE: Option = {
  field: "routes",
  value: "UPSTREAM/MODEL",
  meaning: "where it is served: an upstream, and what the model is called there",
  read: readRoute,
};

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
};
