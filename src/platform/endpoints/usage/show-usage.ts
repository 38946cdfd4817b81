import type { UsageFilter, UsageGroup, UsageRow } from "../../../stores/ledger/ledger-store.ts";
import { accountsInReach, members, type Actor } from "../../../vocabulary/access.ts";
import { GatewayError } from "../../../vocabulary/gateway-error.ts";
import { formatDollars } from "../../../vocabulary/money.ts";
import type { Schema } from "../../../vocabulary/schema.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage, type PageQuery } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { readTime } from "../fields/times.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_SPAN_MS = 30 * DAY_MS;
const MAX_SPAN_DAYS = 366;

const GROUPS = ["day", "model", "key", "account"] as const satisfies readonly UsageGroup[];

const usageRowSchema: Schema = {
  title: "UsageRow",
  type: "object",
  required: ["requests", "prompt_tokens", "cached_tokens", "completion_tokens", "cost"],
  properties: {
    day: { type: "string", description: "By day: such as 2027-01-31, in UTC." },
    model: { type: "string", description: "By model." },
    key: { type: "string", description: "By key: its id." },
    account: { type: "string", description: "By account: its id." },
    requests: { type: "integer", description: "Those that were charged, if only with nothing." },
    prompt_tokens: { type: "integer" },
    cached_tokens: { type: "integer", description: "Those of the prompt that the upstream had cached." },
    completion_tokens: { type: "integer" },
    cost: { type: "string", description: "What was charged, in dollars." },
  },
};

interface UsageQuery extends PageQuery {
  readonly by?: UsageGroup;
  readonly account?: string;
  readonly key?: string;
  readonly model?: string;
  readonly from?: string;
  readonly to?: string;
}

/** GET /api/usage: what was used, added up from the ledger. A member sees that of the own account. */
export function showUsage(platform: Platform): Operation {
  return operation<undefined, UsageQuery>({
    method: "GET",
    path: "/api/usage",
    access: members("usage:read"),
    operationId: "showUsage",
    summary: "Adds up what was used, by day, model, key or account.",
    query: {
      by: { type: "string", enum: GROUPS, description: "What each row is about: `model`, if it is left out." },
      account: { type: "string", description: "That of one account." },
      key: { type: "string", description: "That of one key, by its id." },
      model: { type: "string", description: "That of one model." },
      from: { type: "string", description: "From this moment on: 30 days before `to`, if it is left out." },
      to: { type: "string", description: `Before this moment: now, if it is left out. ${MAX_SPAN_DAYS} days after \`from\` at most.` },
      ...pageQuery,
    },
    reply: { status: 200, description: "A page of rows, in the order of their names.", json: pageSchema("UsagePage", usageRowSchema) },
    async run({ actor, query }) {
      const { limit, after } = readPage(query, ["string"]);
      const by = query.by ?? "model";
      const filter = readFilter(query, actor, platform);
      const rows = filter ? await platform.ledger.usage(filter, by) : [];
      return toPage(
        rows.filter(({ name }) => after === undefined || name > after[0]),
        limit,
        (row) => viewRow(row, by),
        ({ name }) => [name],
      );
    },
  });
}

/** What is asked for, or undefined where it is nothing that the actor can see. */
function readFilter(query: UsageQuery, actor: Actor, platform: Platform): UsageFilter | undefined {
  const span = readSpan(query, platform.nowMs());
  const { key: keyId, model } = query;
  // A key's account goes without saying, and makes it quick.
  const ofKey = keyId === undefined ? [] : [accountOf(keyId, platform)];
  const accounts = new Set([...accountsInReach(actor, query.account), ...ofKey]);
  const [accountId] = accounts;
  return accounts.size > 1 ? undefined : { ...span, accountId, keyId, model };
}

/** An id that is no key's is taken for an account's that nobody has: it finds nothing. */
function accountOf(keyId: string, { keys }: Platform): string {
  return keys.find(keyId)?.accountId ?? "";
}

function readSpan({ from, to }: UsageQuery, nowMs: number): { fromMs: number; toMs: number } {
  const toMs = to === undefined ? nowMs : readTime(to, "to");
  const fromMs = from === undefined ? toMs - DEFAULT_SPAN_MS : readTime(from, "from");
  if (fromMs >= toMs) throw new GatewayError("invalid_value", "from must be before to.", { param: "from" });
  if (toMs - fromMs > MAX_SPAN_DAYS * DAY_MS) {
    throw new GatewayError("invalid_value", `from must be at most ${MAX_SPAN_DAYS} days before to.`, { param: "from" });
  }
  return { fromMs, toMs };
}

function viewRow({ name, requests, promptTokens, cachedTokens, completionTokens, costNanos }: UsageRow, by: UsageGroup): object {
  return {
    [by]: name,
    requests,
    prompt_tokens: promptTokens,
    cached_tokens: cachedTokens,
    completion_tokens: completionTokens,
    cost: formatDollars(costNanos),
  };
}
