import type { RequestFilter, StatusRange } from "../../../stores/request-log/request-log-store.ts";
import { accountsInReach, type Actor } from "../../../access/access.ts";
import { GATEWAY_CODES, GatewayError } from "../../../requests/gateway-error.ts";
import { OUTCOMES, type Outcome } from "../../../requests/logged-request.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { readTime } from "../fields/times.ts";

/** Those that a request can end with. */
const CODES = Object.keys(GATEWAY_CODES);

/** What the list and the export of requests are narrowed by. */
export const requestQuery = {
  account: { type: "string", description: "Those of one account." },
  key: { type: "string", description: "Those of one key, by its id." },
  model: { type: "string", description: "Those for one model, as the caller named it." },
  upstream: { type: "string", description: "Those that one upstream answered, or was the last to be tried. For operators." },
  status: {
    type: "string",
    pattern: "^[1-5](\\d\\d|xx)$",
    patternInWords: "a status such as 429, or 4xx",
    description: "Those with this status, such as `429`, or with one of these, such as `5xx`.",
  },
  outcome: {
    type: "string",
    pattern: `^(${OUTCOMES.join("|")})(,(${OUTCOMES.join("|")}))*$`,
    patternInWords: `one or more of ${OUTCOMES.join(", ")}, separated by commas`,
    description: `Those that came out so: ${OUTCOMES.map((outcome) => `\`${outcome}\``).join(", ")}; several separated by commas.`,
  },
  code: { type: "string", enum: CODES, description: "Those refused or failed with this code, such as `rate_limit_exceeded`." },
  from: { type: "string", description: "Those that ended from this moment on." },
  to: { type: "string", description: "Those that ended before this moment." },
} as const satisfies Record<string, Schema>;

export type RequestQuery = { readonly [Name in keyof typeof requestQuery]?: string };

/** What is asked for, or undefined where it is nothing that the actor can see. */
export function readRequestFilter(query: RequestQuery, actor: Actor): RequestFilter | undefined {
  const { key: keyId, model, upstream, status, outcome, code, from, to } = query;
  // What is found by it would tell where a model is served.
  if (upstream !== undefined && actor.role !== "operator") {
    throw new GatewayError("not_permitted", "upstream is for operators.", { param: "upstream" });
  }
  const accounts = new Set(accountsInReach(actor, query.account));
  const [accountId] = accounts;
  if (accounts.size > 1) return undefined;
  return {
    accountId,
    keyId,
    model,
    upstream,
    status: status === undefined ? undefined : readStatuses(status),
    outcome: outcome === undefined ? undefined : (outcome.split(",") as Outcome[]),
    code,
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
  if (isReversed) throw new GatewayError("invalid_value", "from must be before `to`.", { param: "from" });
  return { fromMs, toMs };
}
