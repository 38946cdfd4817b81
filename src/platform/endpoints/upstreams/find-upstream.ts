import type { UpstreamSettings } from "../../../models/upstream-settings.ts";
import type { Platform } from "../../platform.ts";
import { refuseForeign } from "../fields/managed-by.ts";
import { unknownId } from "../fields/unknown-id.ts";

export function findUpstream(id: string, { catalog }: Platform): UpstreamSettings {
  const upstream = catalog.upstreams().get(id);
  if (upstream) return upstream;
  throw unknownId("unknown_upstream", "upstream", id);
}

/** An upstream that operators may change through the API. */
export function findOwnUpstream(id: string, platform: Platform): UpstreamSettings {
  const upstream = findUpstream(id, platform);
  refuseForeign("upstream", id, platform.catalog.originOfUpstream(id), platform);
  return upstream;
}
