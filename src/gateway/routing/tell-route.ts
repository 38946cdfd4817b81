import type { Facts } from "../../http/log.ts";
import { droppedToTell } from "../../vocabulary/parameters.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import { filledInLimit } from "./told-limit.ts";
import type { Tries } from "./tries.ts";

/** Sees to it that the reply, whatever it is, says where the answer came from, after how many tries, and without what. */
export function tellRoute(tries: Tries, { chat, admission, exchange, gateway }: AdmittedRequest): void {
  const before = exchange.describeReply;
  exchange.describeReply = (headers) => {
    before?.(headers);
    const { last, count } = tries;
    if (!last) return;
    const dropped = droppedToTell(last.carriage, chat.body);
    if (dropped.length > 0) headers.set("x-tollgate-dropped", dropped.join(", "));
    const { maxTokens, reckonedTokens } = admission;
    const limit = maxTokens === undefined ? filledInLimit(last.upstream.settings, chat, reckonedTokens) : undefined;
    if (limit !== undefined) headers.set("x-tollgate-max-tokens", String(limit));
    if (!gateway.tellsRoutes) return;
    headers.set("x-tollgate-upstream", last.route.upstream);
    headers.set("x-tollgate-attempts", String(count));
  };
}

/** Puts the same into the log line of a request. */
export function recordTries({ last, failed }: Tries, facts: Facts): void {
  if (last) facts["upstream"] = last.route.upstream;
  if (failed.length > 0) facts["failed_attempts"] = failed.map(({ upstream, fault }) => `${upstream}: ${fault}`).join(", ");
}
