import type { Timeouts } from "./timeouts.ts";
import type { UnknownHandling } from "./parameters/parameter-policy.ts";
import type { PresetId } from "./presets.ts";
import type { Secret } from "../lib/secret/secret.ts";
import { hasSameHeaders, type SecretHeaders } from "./headers/secret-headers.ts";
import { isSameIdentity, type Identity } from "./identities/identity.ts";

/** The supported API formats. */
export const DIALECTS = ["openai", "responses", "anthropic", "gemini", "bedrock", "echo"] as const;

export type Dialect = (typeof DIALECTS)[number];

/** An upstream: an API format, a URL and credentials. */
export type UpstreamSettings =
  | { readonly id: string; readonly dialect: "echo"; readonly unknownParameters?: undefined; readonly headers?: undefined }
  | RemoteSettings;

/** An upstream over HTTP. */
export interface RemoteSettings {
  readonly id: string;
  readonly dialect: Exclude<Dialect, "echo">;
  /** The known server, whose quirks are in `presets.ts`. Undefined for a server without quirks. */
  readonly preset: PresetId | undefined;
  readonly baseUrl: string;
  /** The version of the API, if its preset has several. Undefined means the preset's default. */
  readonly apiVersion?: string | undefined;
  /** Whether it may have a loopback or private address. Otherwise only public addresses are allowed. */
  readonly allowPrivate: boolean;
  /** Interchangeable credentials. Each has its own rate limits, so several allow more traffic. */
  readonly credentials: readonly Secret[];
  /** The gateway's identity at a cloud, instead of credentials. */
  readonly identity?: Identity | undefined;
  readonly timeouts: Timeouts;
  readonly concurrency: Concurrency;
  /** The handling of unknown parameters, if the model has no setting. Undefined means the dialect's default. */
  readonly unknownParameters: UnknownHandling | undefined;
  /** Headers that are added to every request. */
  readonly headers?: SecretHeaders | undefined;
  /** The values of OpenAI's headers that name the organization and the project of the credential to use and bill. */
  readonly organization?: string | undefined;
  readonly project?: string | undefined;
}

/** The concurrency limit of an upstream. Excess calls are rejected immediately. */
export interface Concurrency {
  readonly maxCalls: number;
  /** The number of calls that wait for a call in flight to end. */
  readonly maxQueued: number;
  /** The maximum time that a call is queued. */
  readonly maxWaitMs: number;
}

/** Far above what one gateway process handles, but finite. */
export const DEFAULT_CONCURRENCY: Concurrency = { maxCalls: 10_000, maxQueued: 1_000, maxWaitMs: 5_000 };

/** Whether calls are sent in the same way with both settings. */
function isSameUpstream(one: UpstreamSettings, other: UpstreamSettings): boolean {
  if (one.dialect === "echo" || other.dialect === "echo") return Bun.deepEquals(one, other);
  const { credentials, identity, ...rest } = one;
  const { credentials: otherCredentials, identity: otherIdentity, ...otherRest } = other;
  const areSameSecrets =
    hasSameSecrets(credentials, otherCredentials) && isSameIdentity(identity, otherIdentity) && hasSameHeaders(one.headers, other.headers);
  return areSameSecrets && Bun.deepEquals(rest, otherRest);
}

/**
 * `after`, or `before` if nothing has changed. An unchanged identity stays the same object, because its credentials belong to that object.
 */
export function reuseUpstreamIfEqual(before: UpstreamSettings | undefined, after: UpstreamSettings): UpstreamSettings {
  if (before && isSameUpstream(before, after)) return before;
  const identity = before && identityOf(before);
  return identity && after.dialect !== "echo" && isSameIdentity(identity, after.identity) ? { ...after, identity } : after;
}

export function hasSameSecrets(some: readonly Secret[], others: readonly Secret[]): boolean {
  return some.length === others.length && some.every((secret, at) => secret.equals(others[at]));
}

/** The identity of an upstream at a cloud, if it has one. */
export function identityOf(upstream: UpstreamSettings): Identity | undefined {
  return upstream.dialect === "echo" ? undefined : upstream.identity;
}

/** The credentials of an upstream. The built-in echo needs none. */
export function credentialsOf(upstream: UpstreamSettings): readonly Secret[] {
  return upstream.dialect === "echo" ? [] : upstream.credentials;
}
