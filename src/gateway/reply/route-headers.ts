import type { AdmittedRequest } from "../admitted-request.ts";

/** Sets the headers that name the upstream of the last attempt and the number of attempts. */
export function setRouteHeaders(headers: Record<string, string>, { admission, gateway }: AdmittedRequest): void {
  const { lastUpstream, attempts } = admission;
  if (!gateway.sendsRouteHeaders || lastUpstream === undefined) return;
  headers["x-tollgate-upstream"] = lastUpstream;
  headers["x-tollgate-attempts"] = String(attempts);
}

/** Adds the same headers to an error reply. */
export function setRouteHeadersOnError(request: AdmittedRequest): void {
  const { exchange } = request;
  const before = exchange.describeReply;
  exchange.describeReply = (headers) => {
    before?.(headers);
    setRouteHeaders(headers, request);
  };
}
