import type { UpstreamSettings } from "../vocabulary/upstream-settings.ts";
import { EchoUpstream } from "./echo/echo-upstream.ts";
import { OpenAIUpstream } from "./openai/openai-upstream.ts";
import type { Upstream } from "./upstream.ts";

/**
 * The upstreams that settings describe. Each is made when it is first called, and lives as long as its settings: changed
 * settings are another object, and a call under way keeps the upstream that it began with.
 */
export class Upstreams {
  readonly #made = new WeakMap<UpstreamSettings, Upstream>();

  /** Finds upstreams by id, among these for as long as it is kept. */
  among(all: ReadonlyMap<string, UpstreamSettings>): (id: string) => Upstream | undefined {
    return (id) => {
      const settings = all.get(id);
      return settings && this.#of(settings);
    };
  }

  #of(settings: UpstreamSettings): Upstream {
    const made = this.#made.get(settings) ?? createUpstream(settings);
    this.#made.set(settings, made);
    return made;
  }
}

function createUpstream(settings: UpstreamSettings): Upstream {
  return settings.dialect === "openai" ? new OpenAIUpstream(settings) : new EchoUpstream();
}
