import type { QueryOf } from "../operation.ts";
import type { AmountRange, RequestFilter, StatusRange } from "../../stores/request-log/request-log-store.ts";
import { accountFilter, NO_ACCOUNT, type Actor } from "../../access/access.ts";
import { GATEWAY_CODES, ApiError } from "../../requests/api-error.ts";
import { parseDollars } from "../../money/money.ts";
import { OUTCOMES, type Outcome } from "../../requests/logged-request.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import type { Platform } from "../platform.ts";
import { attributedQuery, readAttributedFilters } from "./usage.ts";
import { readTime } from "./fields.ts";

/** The error codes that a request can end with. */
const CODES = Object.keys(GATEWAY_CODES);

const dollars = { type: "string", maxLength: 30 } as const;
const number = { type: "integer", minimum: 0 } as const;

/** The filters by amounts. Each has a lower and an upper bound. */
const amountQuery = {
  min_cost: { ...dollars, description: "Minimum cost in dollars, such as `0.01`." },
  max_cost: { ...dollars, description: "Maximum cost in dollars. Requests without a cost are not included." },
  min_duration_ms: { ...number, description: "Minimum duration in milliseconds." },
  max_duration_ms: { ...number, description: "Maximum duration in milliseconds." },
  min_tokens: { ...number, description: "Minimum number of input and output tokens together." },
  max_tokens: {
    ...number,
    description: "Maximum number of input and output tokens together. Requests without token counts are not included.",
  },
  min_attempts: { ...number, description: "Minimum number of attempts at upstreams." },
  max_attempts: { ...number, description: "Maximum number of attempts at upstreams." },
} as const satisfies Record<string, Schema>;

type AmountQuery = QueryOf<typeof amountQuery>;

/** The filters of the list, the count and the export of requests. */
export const requestQuery = {
  account: { type: "string", description: "Requests of one account." },
  key: { type: "string", description: "Requests of one key, by its id." },
  model: { type: "string", description: "Requests for one model, as named in the request." },
  ...attributedQuery,
  upstream: { type: "string", description: "Requests that this upstream answered or was the last to be tried for. For operators." },
  status: {
    type: "string",
    pattern: "^[1-5](\\d\\d|xx)$",
    patternInWords: "a status such as 429, or 4xx",
    description: "Requests with this status, such as `429`, or status class, such as `5xx`.",
  },
  outcome: {
    type: "string",
    pattern: `^(${OUTCOMES.join("|")})(,(${OUTCOMES.join("|")}))*$`,
    patternInWords: `one or more of ${OUTCOMES.join(", ")}, separated by commas`,
    description: `Requests with one of these outcomes, separated by commas: ${OUTCOMES.map((outcome) => `\`${outcome}\``).join(", ")}.`,
  },
  code: {
    type: "string",
    enum: CODES,
    description: "Requests that were rejected or failed with this error code, such as `rate_limit_exceeded`.",
  },
  ...amountQuery,
  error: {
    type: "string",
    minLength: 1,
    maxLength: 200,
    description: "Requests with this text in their `detail`, or in the `detail` of an attempt, in upper or lower case. For operators.",
  },
  mirror: {
    type: "string",
    enum: ["any", "different"],
    description:
      "`any`: requests whose mirror has ended. `different`: requests whose mirror returned another status or finish reason. For operators.",
  },
  from: { type: "string", description: "Requests that ended at or after this time." },
  to: { type: "string", description: "Requests that ended before this time." },
} as const satisfies Record<string, Schema>;

type RequestQuery = QueryOf<typeof requestQuery>;

/** The filter of a query, or undefined if it matches nothing that the actor may see. */
export function readRequestFilter(
  query: RequestQuery,
  actor: Actor,
  { hashSecret, keys }: Pick<Platform, "hashSecret" | "keys">,
): RequestFilter | undefined {
  const { key: keyId, model, upstream, status, outcome, code, error, mirror, from, to } = query;
  // The result of these filters would reveal which upstream serves a model, or the content of errors and mirror responses.
  for (const param of ["upstream", "error", "mirror"] as const) {
    if (query[param] === undefined || actor.role === "operator") continue;
    throw new ApiError("not_permitted", `${param} is for operators.`, { param });
  }
  const accounts = new Set(accountFilter(actor, query.account));
  const [accountId] = accounts;
  if (accounts.size > 1) return undefined;
  const ofKey = keyId === undefined ? undefined : (keys.find(keyId)?.accountId ?? NO_ACCOUNT);
  return {
    accountId,
    keyId,
    model,
    upstream,
    status: status === undefined ? undefined : readStatuses(status),
    outcome: outcome === undefined ? undefined : (outcome.split(",") as Outcome[]),
    code,
    attributed: readAttributedFilters(query, accountId ?? ofKey, hashSecret),
    amounts: readAmounts(query),
    errorText: error,
    mirror,
    ...readSpan(from, to),
  };
}

function readAmounts(query: AmountQuery): RequestFilter["amounts"] {
  const ranges = {
    cost: rangeOf("cost", readCost(query, "min_cost"), readCost(query, "max_cost")),
    duration: rangeOf("duration_ms", query.min_duration_ms, query.max_duration_ms),
    tokens: rangeOf("tokens", query.min_tokens, query.max_tokens),
    attempts: rangeOf("attempts", query.min_attempts, query.max_attempts),
  };
  const given = Object.entries(ranges).filter(([, range]) => range !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function readCost(query: AmountQuery, param: "min_cost" | "max_cost"): bigint | undefined {
  const text = query[param];
  const nanos = text === undefined ? undefined : parseDollars(text);
  if (text === undefined || (nanos !== undefined && nanos >= 0n)) return nanos;
  throw new ApiError("invalid_value", `${param} must be a number of dollars, such as 0.01.`, { param });
}

function rangeOf<T extends number | bigint>(name: string, least: T | undefined, most: T | undefined): AmountRange | undefined {
  if (least === undefined && most === undefined) return undefined;
  if (least === undefined || most === undefined || least <= most) return { least, most };
  const param = `min_${name}`;
  throw new ApiError("invalid_value", `${param} must not be more than \`max_${name}\`.`, { param });
}

function readStatuses(text: string): StatusRange {
  const [least, most] = ["0", "9"].map((digit) => Number(text.replaceAll("x", digit))) as [number, number];
  return { least, most };
}

function readSpan(from: string | undefined, to: string | undefined): Pick<RequestFilter, "fromMs" | "toMs"> {
  const fromMs = from === undefined ? undefined : readTime(from, "from");
  const toMs = to === undefined ? undefined : readTime(to, "to");
  const isReversed = fromMs !== undefined && toMs !== undefined && fromMs >= toMs;
  if (isReversed) throw new ApiError("invalid_value", "from must be before `to`.", { param: "from" });
  return { fromMs, toMs };
}
