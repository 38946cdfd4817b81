import {
  MAX_SORTED,
  type AmountOrder,
  type LogPosition,
  type PositionedRequest,
  type SortedRequest,
} from "../../../stores/request-log/request-log-store.ts";
import { members, type Actor } from "../../../access/access.ts";
import { ApiError } from "../../../requests/api-error.ts";
import { operation, type Operation, type QueryOf, type QuerySchemas } from "../../operation.ts";
import type { Cursors } from "../../cursors.ts";
import { pageQuery, pageSchema, readPage, toPage, type Position } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { mirrorsFor } from "./mirror-view.ts";
import type { LoggedRequest } from "../../../requests/logged-request.ts";
import { canSee } from "./find-request.ts";
import { readRequestFilter, requestQuery } from "./request-filter.ts";
import { requestSchema, viewRequest } from "./request-view.ts";

const requestPage = pageSchema("RequestPage", requestSchema);

const followedPage = {
  ...requestPage,
  required: [...requestPage.required, "newer"],
  properties: {
    ...requestPage.properties,
    newer: {
      type: "string",
      nullable: true,
      description:
        "The `cursor` for later requests, with `order=oldest`; null when one request was requested by id, or with a `sort` by something else than time.",
    },
  },
} as const;

/** The position before all requests. */
const START: LogPosition = { day: "", row: 0 };

const NONE = { data: [], next: null, newer: null };

const listQuery = {
  ...requestQuery,
  request_id: { type: "string", description: "The request with this id. Other filters are ignored." },
  sort: {
    type: "string",
    enum: ["time", "cost", "duration", "tokens"],
    description: `What to sort by: \`time\` (default), or an amount, where at most about ${MAX_SORTED.toLocaleString("en")} requests have to be read. Requests without the amount come last.`,
  },
  order: {
    type: "string",
    enum: ["newest", "oldest", "highest", "lowest"],
    description: "By time `newest` (default) or `oldest` first; by an amount `highest` (default) or `lowest`.",
  },
  ...pageQuery,
} as const satisfies QuerySchemas;

type ListQuery = QueryOf<typeof listQuery>;

/** GET /api/requests: a page of the request log. Members see the requests of their own account. */
export function listRequests(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/requests",
    access: members("usage:read"),
    operationId: "listRequests",
    summary: "List requests by the time they ended, newest first, or by cost, duration or tokens",
    query: listQuery,
    isThrottled: true,
    reply: { status: 200, description: "A page of requests.", json: followedPage },
    async run({ actor, query, cursors }) {
      if (query.request_id !== undefined) return listOne(query.request_id, actor, platform);
      const order = readAmountOrder(query);
      if (order) return listSorted(order, query, actor, cursors, platform);
      const { limit, after } = readPage(query, cursors, ["string", "number"]);
      const filter = readRequestFilter(query, actor, platform);
      if (!filter) return NONE;
      const from = after && toPlace(after);
      const isForward = query.order === "oldest";
      // Looked up first: requests that end between the two reads come after this position, and are not skipped.
      const end = from && !isForward ? undefined : await endOf(platform);
      const found = await platform.requestLog.list(filter, from, isForward ? "newer" : "older", limit + 1);
      const shown = found.slice(0, limit);
      const next = found.length > limit ? shown.at(-1)!.position : undefined;
      const newer = isForward ? (next ?? later(shown.at(-1)?.position ?? from, end)) : later(shown[0]?.position ?? from, end);
      const mirrors = await mirrorsFor(actor, requestsIn(shown), platform);
      const seal = ({ day, row }: LogPosition): string => cursors.seal([day, row]);
      return {
        data: shown.map(({ request }) => viewRequest(request, actor, platform, mirrors)),
        next: next ? seal(next) : null,
        // Also for an empty log: members must not learn whether other accounts have made requests.
        newer: seal(newer ?? START),
      };
    },
  });
}

/** The order by an amount. Undefined for an order by time. */
function readAmountOrder({ sort = "time", order }: ListQuery): AmountOrder | undefined {
  const allowed = sort === "time" ? ["newest", "oldest"] : ["highest", "lowest"];
  if (order !== undefined && !allowed.includes(order)) {
    throw new ApiError("invalid_value", `order must be ${allowed.join(" or ")} when requests are sorted by ${sort}.`, { param: "order" });
  }
  return sort === "time" ? undefined : { by: sort, direction: order === "lowest" ? "lowest" : "highest" };
}

async function listSorted(order: AmountOrder, query: ListQuery, actor: Actor, cursors: Cursors, platform: Platform) {
  const { limit, after } = readPage(query, cursors, ["string", "number", "number"]);
  const filter = readRequestFilter(query, actor, platform);
  if (!filter) return NONE;
  const from = after && { position: toPlace([after[0], after[1]]), amount: after[2] };
  const found = await platform.reportLimit.run(actor, "request scan", () => platform.requestLog.listSorted(filter, order, from, limit + 1));
  if (!found) {
    const message = `sort by ${order.by} can read about ${MAX_SORTED.toLocaleString("en")} requests, and these are more. Choose a shorter time with \`from\` and \`to\`, or more filters.`;
    throw new ApiError("invalid_value", message, { param: "sort" });
  }
  const mirrors = await mirrorsFor(actor, requestsIn(found), platform);
  const page = toPage(cursors, found, limit, ({ request }) => viewRequest(request, actor, platform, mirrors), sortedPosition);
  return { ...page, newer: null };
}

function sortedPosition({ position: { day, row }, amount }: SortedRequest): Position {
  return [day, row, amount];
}

async function listOne(requestId: string, actor: Actor, platform: Platform) {
  const request = await platform.requestLog.find(requestId);
  if (!request || !canSee(request, actor)) return NONE;
  const mirrors = await mirrorsFor(actor, [request], platform);
  return { ...NONE, data: [viewRequest(request, actor, platform, mirrors)] };
}

function requestsIn(found: readonly PositionedRequest[]): LoggedRequest[] {
  return found.map(({ request }) => request);
}

/** The current end of the log, regardless of the filter. A client that follows the log need not scan skipped requests again. */
async function endOf({ requestLog }: Platform): Promise<LogPosition | undefined> {
  const [newest]: readonly PositionedRequest[] = await requestLog.list({}, undefined, "older", 1);
  return newest?.position;
}

function later(one: LogPosition | undefined, other: LogPosition | undefined): LogPosition | undefined {
  if (!one || !other) return one ?? other;
  const isLater = one.day === other.day ? one.row > other.row : one.day > other.day;
  return isLater ? one : other;
}

function toPlace([day, row]: readonly [string, number]): LogPosition {
  if (Number.isSafeInteger(row)) return { day, row };
  throw new ApiError("invalid_value", "cursor must be the next of an earlier page.", { param: "cursor" });
}
