import type { Exchange } from "../http/endpoint.ts";
import { Reply } from "../lib/http1/server/reply.ts";
import type { Gateway } from "./gateway.ts";

/** Readiness probe for load balancers. Draining is checked first: the ledger is not probed while it closes. */
export function showReadiness({ notes }: Exchange, { isDraining, isStarting, ledgerFailure }: Gateway): Reply {
  if (isDraining()) return unready({ reason: "draining" });
  if (isStarting?.()) return unready({ reason: "starting" });
  const trouble = ledgerFailure();
  if (trouble === undefined) return Reply.json({ status: "ready" });
  notes.detail = `the ledger cannot be written: ${trouble}`;
  return unready({ reason: "ledger_unavailable", detail: trouble });
}

function unready(state: { reason: "draining" | "starting" | "ledger_unavailable"; detail?: string }): Reply {
  return Reply.json({ status: "unready", ...state }, { status: 503, headers: { "cache-control": "no-store" } });
}
