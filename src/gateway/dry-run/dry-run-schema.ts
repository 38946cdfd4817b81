import { errorBodySchema } from "../../requests/gateway-error.ts";
import type { Schema } from "../../lib/schema/schema.ts";

const text = (description: string): Schema => ({ type: "string", description });
const textOrNull = (description: string): Schema => ({ type: "string", nullable: true, description });
const names: Schema = { type: "array", items: { type: "string" } };

const limitSchema: Schema = {
  title: "RateLimitHeadroom",
  type: "object",
  nullable: true,
  description: "The tighter of the key's and the account's; null where there is none.",
  required: ["limit", "remaining", "reset_ms"],
  properties: {
    limit: { type: "integer" },
    remaining: { type: "integer" },
    reset_ms: { type: "integer", description: "Until nothing counts any more." },
  },
};

const budgetSchema: Schema = {
  title: "BudgetHeadroom",
  type: "object",
  required: ["name", "left", "resets_at"],
  properties: {
    name: text("Such as `the daily budget of this key`."),
    left: text("Dollars, less what is held for requests under way."),
    resets_at: textOrNull("When it begins anew; null for one that does not."),
  },
};

const headroomSchema: Schema = {
  title: "Headroom",
  type: "object",
  required: ["credit", "budgets", "limits"],
  properties: {
    credit: text("What the account has left, in dollars, less what is held for requests under way."),
    budgets: { type: "array", items: budgetSchema },
    limits: {
      title: "RateLimitsHeadroom",
      type: "object",
      required: ["requests", "tokens"],
      properties: { requests: limitSchema, tokens: limitSchema },
    },
  },
};

const routeSchema: Schema = {
  title: "ExplainedRoute",
  type: "object",
  required: ["upstream", "priority", "standing", "order", "why", "dropped", "renamed", "refused"],
  properties: {
    upstream: { type: "string" },
    priority: { type: "number" },
    standing: text(
      "`ready`, `due`, `full`, `cooling` or `out`; or why it cannot serve this: `no_upstream`, `drained`, `too_dear`, `price_unknown`, `cannot_carry`.",
    ),
    order: { type: "integer", nullable: true, description: "When it would be tried, from 1 on; null where it would not be." },
    why: textOrNull("Why it comes there: `only`, `due`, `conversation`, `drawn` or `soonest`."),
    dropped: { ...names, description: "Parameters that would be left out." },
    renamed: { type: "object", additionalProperties: { type: "string" }, description: "Parameters that would go by another name." },
    refused: { ...names, description: "Parameters that it cannot map, where that is why it cannot serve this." },
  },
};

const modelSchema: Schema = {
  title: "ExplainedModel",
  type: "object",
  required: ["id", "allowed", "state", "shutdown_date", "replacement"],
  properties: {
    id: { type: "string" },
    allowed: {
      type: "boolean",
      nullable: true,
      description: "Whether the lists of the key and the account cover it. Null where that was not looked at.",
    },
    state: textOrNull("`available`, `deprecated` or `retired`."),
    shutdown_date: textOrNull("YYYY-MM-DD."),
    replacement: textOrNull("The model to move to."),
  },
};

/** What a request with `x-dry-run: 1` is answered with. Words may be added to its lists of them. */
export const explanationSchema: Schema = {
  title: "Explanation",
  type: "object",
  required: ["object", "status", "error", "key", "account", "model", "hold", "headroom", "dropped"],
  properties: {
    object: { type: "string", enum: ["chat.completion.explanation"] },
    status: { type: "integer", description: "Of the reply, as far as it depends on us: an upstream may still fail." },
    error: {
      ...errorBodySchema.properties!["error"]!,
      title: "ErrorDetailOrNull",
      nullable: true,
      description: "What the reply would say, where it is a refusal.",
    },
    retry_after: { type: "integer", nullable: true, description: "Seconds, as in `Retry-After`." },
    key: text("The id of the key."),
    account: { type: "string" },
    model: modelSchema,
    replayed: textOrNull("The request whose answer would be given again under this Idempotency-Key."),
    cache: textOrNull("Of a model that keeps its answers: `hit` or `miss`."),
    hold: textOrNull("The most that it can cost, in dollars: what would be set aside for it."),
    prompt_derivation: textOrNull(
      "How much of the hold is the prompt: the bytes of its text, a token each, and the tokens of its media. Null where there would be no call.",
    ),
    price_version: textOrNull("The price it would be charged by."),
    max_tokens: { type: "integer", nullable: true, description: "The limit on the answer that the upstream would be told." },
    headroom: headroomSchema,
    dropped: { ...names, description: "Parameters that the upstream which is tried first does not know, and that would be left out." },
    routes: { type: "array", nullable: true, items: routeSchema, description: "In the order of the tries. Operators can turn it off." },
  },
};
