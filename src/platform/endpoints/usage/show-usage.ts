import type { UsagePlace, UsageQuestion, UsageRow } from "../../../stores/ledger/ledger-store.ts";
import { accountsInReach, members, NO_ACCOUNT, oneOf, type Actor } from "../../../access/access.ts";
import type { Bucket } from "../../../lib/time/calendar.ts";
import { GatewayError } from "../../../requests/gateway-error.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, readPage, toPage, type PageQuery } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { viewTime } from "../fields/times.ts";
import { readGroups, type UsageGroups } from "./usage-groups.ts";
import { boundsOf, DEFAULT_SPAN_DAYS, DEFAULT_SPAN_HOURS, MAX_SPAN_DAYS, readSpan, type UsageSpan } from "./usage-span.ts";
import { usagePageSchema, viewMeasures } from "./usage-view.ts";

interface UsageQuery extends PageQuery {
  readonly by?: string;
  readonly order?: "name" | "cost";
  readonly account?: string;
  readonly key?: string;
  readonly model?: string;
  readonly zone?: string;
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
    summary: "Adds up what was used, by hour, day, model, key, account or upstream.",
    query: {
      by: {
        type: "string",
        description:
          "What each row is about: `hour` or `day`, `model`, `key`, `account`, or, for operators, `upstream`; or two of them, with a comma between. `model`, if it is left out.",
      },
      order: {
        type: "string",
        enum: ["name", "cost"],
        description:
          "Which rows come first: `name`, if it is left out, or those that `cost` most, which are not of hours or days and have one page.",
      },
      account: { type: "string", description: "That of one account." },
      key: { type: "string", description: "That of one key, by its id." },
      model: { type: "string", description: "That of one model." },
      zone: { type: "string", maxLength: 100, description: "Whose days and hours: such as Europe/Berlin. `UTC`, if it is left out." },
      from: {
        type: "string",
        description: `From this moment, or this day of the zone, on: ${DEFAULT_SPAN_DAYS} days before \`to\`, by hour ${DEFAULT_SPAN_HOURS} hours, if it is left out.`,
      },
      to: {
        type: "string",
        description: `Before this moment, or this day of the zone: now, if it is left out. ${MAX_SPAN_DAYS} days after \`from\` at most.`,
      },
      ...pageQuery,
    },
    isThrottled: true,
    reply: {
      status: 200,
      description: "A page of rows, in the order of time, then of their names or cost. Hours and days without use have none.",
      json: usagePageSchema,
    },
    async run({ actor, query, cursors, exchange }) {
      const groups = readGroups(query.by ?? "model", actor);
      const isCostliestFirst = query.order === "cost";
      if (isCostliestFirst) refuseOrder(groups, query);
      const span = readSpan(query, groups.unit, platform.nowMs());
      const { limit, after } = readPage(query, cursors, ["number", ...groups.dimensions.map(() => "string" as const)]);
      const [beganMs, ...names] = (after ?? [0]) as [number, ...string[]];
      // It may wait for another report.
      exchange.setIdleTimeout(0);
      const question: UsageQuestion = {
        bounds: boundsOf(span),
        by: groups.dimensions,
        ...readFilter(query, actor, platform),
        after: after && { fromMs: clip(beganMs, span), names },
        limit: isCostliestFirst ? limit : limit + 1,
        isCostliestFirst,
      };
      const { signal } = exchange.request;
      const report = await platform.fewAtATime.run(actor, "usage report", () => platform.ledger.usage(question, signal));
      return toPage(
        cursors,
        report.rows,
        limit,
        (row) => viewRow(row, groups, span, platform),
        (row) => [bucketOf(row, span)?.fromMs ?? 0, ...row.names],
        { zone: span.zone.name, from: viewTime(span.fromMs), to: viewTime(span.toMs), total: viewMeasures(report.total) },
      );
    },
  });
}

/** What costs most changes while one reads on: a second page would repeat rows of the first, or miss some. */
function refuseOrder({ unit }: UsageGroups, { cursor }: UsageQuery): void {
  if (unit) throw new GatewayError("invalid_value", `order cannot be cost by ${unit}.`, { param: "order" });
  if (cursor !== undefined) throw new GatewayError("invalid_value", "order cannot be cost on a second page.", { param: "cursor" });
}

/** Whose use it is that is asked for, as far as the actor can see it. */
function readFilter(
  { account, key: keyId, model }: UsageQuery,
  actor: Actor,
  { keys }: Platform,
): Pick<UsageQuestion, "accountId" | "keyId" | "model"> {
  // A key's account goes without saying, and makes it quick.
  const ofKey = keyId === undefined ? [] : [keys.find(keyId)?.accountId ?? NO_ACCOUNT];
  return { accountId: oneOf([...accountsInReach(actor, account), ...ofKey]), keyId, model };
}

/** When the part of a bucket begins that is within the span. */
function clip(beganMs: number, { fromMs, buckets }: UsageSpan): number {
  const [first] = buckets;
  return first && beganMs < first.fromMs ? beganMs : Math.max(beganMs, fromMs);
}

function bucketOf({ fromMs }: UsagePlace, { buckets }: UsageSpan): Bucket | undefined {
  // They are many, and in order.
  let [low, high] = [0, buckets.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (buckets[middle]!.toMs > fromMs) high = middle;
    else low = middle + 1;
  }
  return buckets[low];
}

function viewRow(row: UsageRow, { dimensions }: UsageGroups, span: UsageSpan, { keys, nowMs }: Platform): object {
  const bucket = bucketOf(row, span);
  const isPartial = bucket && (bucket.fromMs < span.fromMs || bucket.toMs > Math.min(span.toMs, nowMs()));
  const keyAt = dimensions.indexOf("key");
  return {
    ...(bucket && { [bucket.unit]: bucket.name, is_partial: isPartial }),
    // An upstream without a name is none.
    ...Object.fromEntries(dimensions.map((dimension, at) => [dimension, row.names[at] || null])),
    ...(keyAt >= 0 && { key_name: keys.find(row.names[keyAt]!)?.name ?? null }),
    ...viewMeasures(row),
  };
}
