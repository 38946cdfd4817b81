import type { Exchange } from "../../http/endpoint.ts";
import type { Gateway } from "../gateway.ts";

/** Starts the span of a request, where tracing is on. */
export function startTrace({ request, notes }: Exchange, { beginTrace }: Gateway): void {
  if (!beginTrace) return;
  notes.trace = beginTrace(request.headers);
  notes.traceId = notes.trace.traceId;
}
