import type { AdmittedRequest } from "../admitted-request.ts";

/** Adds to the head of a reply where it came from, or was last tried, and after how many tries. */
export function setRouteHeaders(headers: Record<string, string>, { admission, gateway }: AdmittedRequest): void {
  const { lastTriedAt, attempts } = admission;
  if (!gateway.tellsRoutes || lastTriedAt === undefined) return;
  headers["x-tollgate-upstream"] = lastTriedAt;
  headers["x-tollgate-attempts"] = String(attempts);
}

/** Sees to it that a refusal says it too. */
export function setRouteHeadersOfFailure(request: AdmittedRequest): void {
  const { exchange } = request;
  const before = exchange.describeReply;
  exchange.describeReply = (headers) => {
    before?.(headers);
    setRouteHeaders(headers, request);
  };
}
