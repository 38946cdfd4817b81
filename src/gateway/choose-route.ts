import type { Exchange } from "../http/endpoint.ts";
import type { Upstream } from "../upstreams/upstream.ts";
import { GatewayError } from "../vocabulary/gateway-error.ts";
import type { Admission } from "./admission.ts";

/** Where a call goes. */
export interface ChosenRoute {
  readonly upstream: Upstream;
  readonly upstreamId: string;
  readonly upstreamModel: string;
}

/** The model's route whose upstream is there. */
export function chooseRoute({ model, findUpstream }: Admission, { facts }: Exchange): ChosenRoute {
  for (const route of model.routes) {
    const upstream = findUpstream(route.upstream);
    if (!upstream) continue;
    facts["upstream"] = route.upstream;
    return { upstream, upstreamId: route.upstream, upstreamModel: route.upstreamModel };
  }
  throw new GatewayError("no_upstream_available", "Nothing serves this model at the moment.", { retryAfterSeconds: 5 });
}
