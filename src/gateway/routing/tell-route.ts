import type { AdmittedRequest } from "../admitted-request.ts";

const NOTHING: Readonly<Record<string, string>> = {};

/** Where an answer came from, or was last tried, and after how many tries, for the head of a reply. */
export function routeHeaders({ admission, gateway }: AdmittedRequest): Readonly<Record<string, string>> {
  const { lastTriedAt, attempts } = admission;
  if (!gateway.tellsRoutes || lastTriedAt === undefined) return NOTHING;
  return { "x-tollgate-upstream": lastTriedAt, "x-tollgate-attempts": String(attempts) };
}

/** Sees to it that a refusal says it too. */
export function tellRouteOfFailure(request: AdmittedRequest): void {
  const { exchange } = request;
  const before = exchange.describeReply;
  exchange.describeReply = (headers) => {
    before?.(headers);
    Object.assign(headers, routeHeaders(request));
  };
}
