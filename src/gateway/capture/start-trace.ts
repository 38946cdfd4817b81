import type { Exchange } from "../../http/endpoint.ts";
import type { Gateway } from "../gateway.ts";

/** Starts the span of a request, where tracing is on. */
export function startTrace({ request, notes }: Exchange, gateway: Gateway): void {
  if (!gateway.startTrace) return;
  notes.trace = gateway.startTrace(request.headers);
  notes.traceId = notes.trace.traceId;
}
