import { errorBodySchema } from "../../requests/api-error.ts";
import { limitsSchema, keyUsageSchema } from "../key-view/key-view.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { textOrNullSchema, textSchema } from "../../lib/schema/text-schema.ts";

const names = { type: "array", items: { type: "string" } } as const satisfies Schema;

const budgetSchema = {
  title: "BudgetHeadroom",
  type: "object",
  required: ["name", "left", "resets_at"],
  properties: {
    name: textSchema("The name of the spend cap."),
    left: textSchema("The remaining amount in dollars, less holds of requests in flight."),
    resets_at: textOrNullSchema("When it resets; null for a cap that does not."),
  },
} as const satisfies Schema;

const headroomSchema = {
  title: "Headroom",
  type: "object",
  required: ["credit", "budgets", "limits"],
  properties: {
    credit: textOrNullSchema(
      "The account's remaining credit in dollars, with its credit line and less holds of requests in flight; null if the account does not show it, or if its credit line is unlimited.",
    ),
    budgets: { type: "array", items: budgetSchema },
    limits: limitsSchema,
  },
} as const satisfies Schema;

const routeSchema = {
  title: "ExplainedRoute",
  type: "object",
  required: ["upstream", "priority", "standing", "order", "why", "dropped", "renamed", "refused"],
  properties: {
    upstream: { type: "string" },
    priority: { type: "number" },
    standing: textSchema(
      "The status: `ready`, `probing` (half-open), `full`, `rate_limited` (its own rate limit), `cooling` (cooldown) or `ejected` (ejected); or why it is excluded: `no_upstream`, `drained`, `over_price_cap` (over its price cap), `price_unknown`, `unsupported_parameters` (unsupported parameters).",
    ),
    order: { type: "integer", nullable: true, description: "Its position in the order of attempts, from 1; null for an excluded route." },
    why: textOrNullSchema(
      "Why it has this position: `only`, `probing` (probe), `session_affinity` (session affinity), `load_balanced` (by weight and load), `exact`, `least_busy`, `lowest_latency` or `lowest_cost` (the selection of the model) or `soonest` (available first).",
    ),
    dropped: { ...names, description: "Parameters that would be dropped." },
    renamed: { type: "object", additionalProperties: { type: "string" }, description: "Parameters that would be renamed." },
    refused: { ...names, description: "Unsupported parameters that exclude the route." },
  },
} as const satisfies Schema;

const modelSchema = {
  title: "ExplainedModel",
  type: "object",
  required: ["id", "allowed", "state", "shutdown_date", "replacement"],
  properties: {
    id: { type: "string" },
    allowed: {
      type: "boolean",
      nullable: true,
      description: "Whether the allow lists of the key and the account include it. Null if that was not checked.",
    },
    state: textOrNullSchema("`available`, `deprecated` or `retired`."),
    shutdown_date: textOrNullSchema("YYYY-MM-DD."),
    replacement: textOrNullSchema("The model to move to."),
  },
} as const satisfies Schema;

const fallbackSchema = {
  title: "ExplainedFallback",
  type: "object",
  required: ["model", "on", "hold", "price_version", "max_output_tokens", "excluded"],
  properties: {
    model: { type: "string" },
    on: { ...names, description: "When it serves the request: `error`, `context_length`, `content_filter`." },
    hold: textOrNullSchema("The most that the request can cost there, in dollars."),
    price_version: textOrNullSchema("The price version that it would be charged by there."),
    max_output_tokens: { type: "integer", nullable: true, description: "The output of each choice that this pays for." },
    excluded: textOrNullSchema(
      "Why it cannot serve the request: `no_model`, `retired`, `no_price` or `not_affordable` (more than the credit, a spend cap or `x-max-cost`).",
    ),
  },
} as const satisfies Schema;

/** The response to a request with `x-dry-run: 1`. Values may be added to its enumerations. */
export const dryRunSchema = {
  title: "Explanation",
  type: "object",
  required: ["object", "status", "error", "key", "account", "model", "hold", "headroom", "dropped"],
  properties: {
    object: { type: "string", enum: ["chat.completion.explanation"] },
    status: { type: "integer", description: "The HTTP status of the reply, unless an upstream fails." },
    error: {
      ...errorBodySchema.properties.error,
      title: "ErrorDetailOrNull",
      nullable: true,
      description: "The error of the reply; null if it would succeed.",
    },
    retry_after: { type: "integer", nullable: true, description: "Seconds, as in `Retry-After`." },
    key: textSchema("The id of the key."),
    account: { type: "string" },
    model: modelSchema,
    replayed: textOrNullSchema("The request whose stored reply would be replayed under this Idempotency-Key."),
    cache: textOrNullSchema("For a model with a response cache: `hit` or `miss`."),
    hold: textOrNullSchema("The hold: the most that it can cost, in dollars, with the most expensive of the model and its fallbacks."),
    prompt_derivation: textOrNullSchema(
      "How the prompt counts in the hold: the bytes of its text, a token each, and the tokens of its media. Null if there would be no call.",
    ),
    price_version: textOrNullSchema("The price version that it would be charged by."),
    max_tokens: { type: "integer", nullable: true, description: "The output limit that would be sent to the upstream." },
    headroom: headroomSchema,
    usage: {
      ...keyUsageSchema,
      title: "KeyUsageOrNull",
      nullable: true,
      description: "The usage of the key. Null if it was requested too often, or cannot be read at the moment.",
    },
    dropped: {
      ...names,
      description: "Parameters that would be dropped, because the upstream of the first attempt does not support them.",
    },
    fallbacks: { type: "array", items: fallbackSchema, description: "The models that may serve the request instead, in order." },
    mirror: {
      title: "ExplainedMirrorOrNull",
      type: "object",
      nullable: true,
      required: ["upstream", "percent"],
      properties: { upstream: { type: "string" }, percent: { type: "number" } },
      description:
        "The upstream that receives a copy of this percentage of such requests; null if none is sent. Operators can turn it off.",
    },
    routes: { type: "array", nullable: true, items: routeSchema, description: "In the order of attempts. Operators can turn it off." },
  },
} as const satisfies Schema;
