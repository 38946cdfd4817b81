import { GatewayError } from "../../../vocabulary/gateway-error.ts";
import type { UpstreamSettings } from "../../../vocabulary/upstream-settings.ts";
import type { Platform } from "../../platform.ts";
import { refuseForeign } from "../fields/managed-by.ts";

export function findUpstream(id: string, { catalog }: Platform): UpstreamSettings {
  const upstream = catalog.upstreams().get(id);
  if (upstream) return upstream;
  throw new GatewayError("unknown_upstream", "There is no upstream with this id.");
}

/** An upstream that operators may change here. */
export function findOwnUpstream(id: string, platform: Platform): UpstreamSettings {
  const upstream = findUpstream(id, platform);
  refuseForeign("upstream", id, platform.catalog.originOfUpstream(id), platform);
  return upstream;
}
