import type { RequestFilter, StatusRange } from "../../../stores/request-log/request-log-store.ts";
import { accountFilter, NO_ACCOUNT, type Actor } from "../../../access/access.ts";
import { GATEWAY_CODES, ApiError } from "../../../requests/api-error.ts";
import { OUTCOMES, type Outcome } from "../../../requests/logged-request.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { Platform } from "../../platform.ts";
import { attributedQuery, readAttributedFilters } from "../usage/attributed-filter.ts";
import { readTime } from "../fields/times.ts";

/** The error codes that a request can end with. */
const CODES = Object.keys(GATEWAY_CODES);

/** The filters of the list and the export of requests. */
export const requestQuery = {
  account: { type: "string", description: "Requests of one account." },
  key: { type: "string", description: "Requests of one key, by its id." },
  model: { type: "string", description: "Requests for one model, as named in the request." },
  ...attributedQuery,
  upstream: { type: "string", description: "Requests that one upstream answered, or that it was the last attempt for. For operators." },
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
  from: { type: "string", description: "Requests that ended at or after this time." },
  to: { type: "string", description: "Requests that ended before this time." },
} as const satisfies Record<string, Schema>;

export type RequestQuery = { readonly [Name in keyof typeof requestQuery]?: string };

/** The filter of a query, or undefined when it matches nothing that the actor may see. */
export function readRequestFilter(
  query: RequestQuery,
  actor: Actor,
  { hashSecret, keys }: Pick<Platform, "hashSecret" | "keys">,
): RequestFilter | undefined {
  const { key: keyId, model, upstream, status, outcome, code, from, to } = query;
  // The result would reveal which upstream serves a model.
  if (upstream !== undefined && actor.role !== "operator") {
    throw new ApiError("not_permitted", "upstream is for operators.", { param: "upstream" });
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
    ...readSpan(from, to),
  };
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
