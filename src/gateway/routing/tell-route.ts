import type { Facts } from "../../http/log.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import type { Tries } from "./tries.ts";

/** Sees to it that the reply, whatever it is, says where the answer came from, and after how many tries. */
export function tellRoute(tries: Tries, { exchange, gateway }: AdmittedRequest): void {
  if (!gateway.tellsRoutes) return;
  const before = exchange.describeReply;
  exchange.describeReply = (headers) => {
    before?.(headers);
    const { last, count } = tries;
    if (!last) return;
    headers.set("x-tollgate-upstream", last.route.upstream);
    headers.set("x-tollgate-attempts", String(count));
  };
}

/** Puts the same into the log line of a request. */
export function recordTries({ last, failed }: Tries, facts: Facts): void {
  if (last) facts["upstream"] = last.route.upstream;
  if (failed.length > 0) facts["failed_attempts"] = failed.map(({ upstream, fault }) => `${upstream}: ${fault}`).join(", ");
}
