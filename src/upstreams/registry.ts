import type { UpstreamSettings } from "../vocabulary/upstream-settings.ts";
import { EchoUpstream } from "./echo/echo-upstream.ts";
import { OpenAIUpstream } from "./openai/openai-upstream.ts";
import type { Upstream } from "./upstream.ts";

/** Makes the upstreams that the settings describe, by id. */
export function createUpstreams(settings: readonly UpstreamSettings[]): ReadonlyMap<string, Upstream> {
  return new Map(settings.map((each) => [each.id, createUpstream(each)]));
}

function createUpstream(settings: UpstreamSettings): Upstream {
  return settings.dialect === "openai" ? new OpenAIUpstream(settings) : new EchoUpstream();
}
