import { asUnsupported, type Unsupported } from "./unsupported.ts";
import type { Fields } from "./yaml/fields.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";

export type Selection = "exact" | "least_busy" | "lowest_latency" | "lowest_cost";

/** How LiteLLM selects a deployment of a name. */
export interface Choice {
  /** Whether the strategy is simple-shuffle, the default. No other strategy uses weights. */
  readonly isByWeight: boolean;
  /** The selection for models with several routes. Undefined for Tollgate's default. */
  readonly selection: Selection | undefined;
  /** Whether LiteLLM enforces `rpm` and `tpm`. If not, they are weights or have no effect. */
  readonly isLimited: boolean;
}

/** LiteLLM applies weights exactly, whatever the load is. */
const SELECTIONS: Readonly<Record<string, Selection>> = {
  "simple-shuffle": "exact",
  "least-busy": "least_busy",
  "latency-based-routing": "lowest_latency",
  "cost-based-routing": "lowest_cost",
};

export function readChoice(router: Fields): Choice {
  const node = router.peek("routing_strategy");
  const strategy = node?.text ?? "simple-shuffle";
  const selection = Object.hasOwn(SELECTIONS, strategy) ? SELECTIONS[strategy] : undefined;
  if (selection) router.take("routing_strategy");
  const checks = (router.peek("optional_pre_call_checks")?.items ?? []).map(({ text }) => text);
  const isLimited = strategy.startsWith("usage-based-routing") || checks.includes("enforce_model_rate_limits");
  return { isByWeight: strategy === "simple-shuffle", selection, isLimited };
}

export interface RouteLimits {
  readonly requests_per_minute?: number;
  readonly tokens_per_minute?: number;
}

const NOT_ENFORCED =
  "LiteLLM does not enforce it with this routing strategy, and uses it as a weight at most. To enforce it, add it to the limits of the route";

/** `rpm` and `tpm` of a deployment. */
export function convertLimits(params: Fields, { isLimited }: Choice, unsupported: Unsupported[]): RouteLimits {
  const [requests, tokens] = ["rpm", "tpm"].map((name) => {
    const node = params.take(name);
    if (!node) return undefined;
    if (isCount(node)) return isLimited ? node.number : void unsupported.push(asUnsupported(node, NOT_ENFORCED));
    unsupported.push(asUnsupported(node, "it must be a whole number"));
    return undefined;
  });
  return { ...(requests !== undefined && { requests_per_minute: requests }), ...(tokens !== undefined && { tokens_per_minute: tokens }) };
}

function isCount({ number }: YamlNode): boolean {
  return Number.isSafeInteger(number) && number! >= 1 && number! <= MAX_PER_MINUTE;
}

const MAX_PER_MINUTE = 1_000_000_000;
