import type { Exchange } from "../http/endpoint.ts";
import { Reply } from "../lib/http1/server/reply.ts";
import type { Gateway } from "./gateway.ts";

/** Tells a load balancer whether to send requests here. Draining first: nothing is probed while the ledger closes. */
export function showReadiness({ notes }: Exchange, { isDraining, ledgerFailure }: Gateway): Reply {
  if (isDraining()) return unready({ reason: "draining" });
  const failure = ledgerFailure();
  if (failure === undefined) return Reply.json({ status: "ready" });
  notes.detail = `the ledger cannot be written: ${failure}`;
  return unready({ reason: "ledger_unavailable", detail: failure });
}

function unready(state: { reason: "draining" | "ledger_unavailable"; detail?: string }): Reply {
  return Reply.json({ status: "unready", ...state }, { status: 503, headers: { "cache-control": "no-store" } });
}
