import type { CloudVariables } from "../models/identities/cloud-variables.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";
import { anthropicDialect } from "./anthropic/anthropic-dialect.ts";
import { bedrockDialect } from "./bedrock/bedrock-dialect.ts";
import type { Dialects } from "./dialect.ts";
import { EchoUpstream } from "./echo/echo-upstream.ts";
import { geminiDialect } from "./gemini/gemini-dialect.ts";
import { Identities } from "./identities/identities.ts";
import { HttpUpstream } from "./http-upstream.ts";
import { openaiDialect, responsesDialect } from "./openai/openai-dialect.ts";
import type { Upstream } from "./upstream.ts";

/** The dialects used over HTTP. */
export const DIALECTS_OVER_HTTP: Dialects = {
  openai: openaiDialect,
  responses: responsesDialect,
  anthropic: anthropicDialect,
  gemini: geminiDialect,
  bedrock: bedrockDialect,
};

/**
 * Upstreams by their settings. Each upstream is created on its first call, and lives as long as its settings object. Changed settings are a
 * new object, and a call in flight continues with the upstream that it started with.
 */
export class Upstreams {
  readonly identities: Identities;
  readonly #made = new WeakMap<UpstreamSettings, Upstream>();

  constructor(variables: CloudVariables) {
    this.identities = new Identities(variables);
  }

  /** Returns a lookup by ID over a fixed set of upstreams. */
  among(all: ReadonlyMap<string, UpstreamSettings>): (id: string) => Upstream | undefined {
    return (id) => {
      const settings = all.get(id);
      return settings && this.of(settings);
    };
  }

  /** The upstream of this settings object. */
  of(settings: UpstreamSettings): Upstream {
    const made = this.#made.get(settings) ?? createUpstream(settings, this.identities);
    this.#made.set(settings, made);
    return made;
  }
}

export function createUpstream(settings: UpstreamSettings, identities: Identities): Upstream {
  if (settings.dialect === "echo") return new EchoUpstream(settings);
  return new HttpUpstream(settings, DIALECTS_OVER_HTTP[settings.dialect], identities.authorizerOf(settings));
}
