import { operators } from "../../../access/access.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findUpstream } from "./find-upstream.ts";
import { upstreamSchema, viewUpstream } from "./upstream-view.ts";

/** GET /api/upstreams/:id: an upstream, without its credentials. */
export function showUpstream(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/upstreams/:id",
    access: operators("upstreams:read"),
    operationId: "showUpstream",
    summary: "Show an upstream, without its credentials",
    reply: { status: 200, description: "The upstream.", json: upstreamSchema },
    run: ({ param }) => viewUpstream(findUpstream(param("id"), platform), platform),
  });
}
