import type { UpstreamSettings } from "../models/upstream-settings.ts";
import { anthropicDialect } from "./anthropic/anthropic-dialect.ts";
import type { Dialects } from "./dialect.ts";
import { EchoUpstream } from "./echo/echo-upstream.ts";
import { geminiDialect } from "./gemini/gemini-dialect.ts";
import { HttpUpstream } from "./http-upstream.ts";
import { openaiDialect } from "./openai/openai-dialect.ts";
import type { Upstream } from "./upstream.ts";

/** The dialects that are spoken over HTTP. */
export const DIALECTS_OVER_HTTP: Dialects = {
  openai: openaiDialect,
  anthropic: anthropicDialect,
  gemini: geminiDialect,
};

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
      return settings && this.of(settings);
    };
  }

  /** The one that these very settings describe. */
  of(settings: UpstreamSettings): Upstream {
    const made = this.#made.get(settings) ?? createUpstream(settings);
    this.#made.set(settings, made);
    return made;
  }
}

export function createUpstream(settings: UpstreamSettings): Upstream {
  return settings.dialect === "echo" ? new EchoUpstream(settings) : new HttpUpstream(settings, DIALECTS_OVER_HTTP[settings.dialect]);
}
