import type { UnknownHandling } from "./parameters/parameter-policy.ts";
import type { PresetId } from "./presets.ts";
import type { Secret } from "../lib/secret/secret.ts";

/** The wire formats there is code for. */
export const DIALECTS = ["openai", "anthropic", "gemini", "echo"] as const;

export type Dialect = (typeof DIALECTS)[number];

/** Where calls go: a dialect, an address, and our secrets there. */
export type UpstreamSettings = { readonly id: string; readonly dialect: "echo"; readonly unknownParameters?: undefined } | RemoteSettings;

/** An upstream that is reached over HTTP. */
export interface RemoteSettings {
  readonly id: string;
  readonly dialect: Exclude<Dialect, "echo">;
  /** The server it is known to be, whose ways are in `presets.ts`. Undefined for one that keeps to the format. */
  readonly preset: PresetId | undefined;
  readonly baseUrl: string;
  /** Whether it may be on this machine or a private network: without it, only on the internet. */
  readonly allowPrivate: boolean;
  /** Any of them will do. Each has limits of its own there, so that several carry more than one. */
  readonly credentials: readonly Secret[];
  readonly timeouts: Timeouts;
  readonly concurrency: Concurrency;
  /** What becomes of parameters that nobody knows, where the model does not say. Undefined for as the dialect does it. */
  readonly unknownParameters: UnknownHandling | undefined;
}

/** How long to wait, at each stage of a call. */
export interface Timeouts {
  /** For the connection to be made. */
  readonly connectMs: number;
  /** From sending a request for a stream until its first byte. A JSON answer has only `totalMs`: its first byte is its last. */
  readonly firstByteMs: number;
  /** Between two reads of a stream. */
  readonly betweenChunksMs: number;
  /** For the whole call. */
  readonly totalMs: number;
}

/** Generous where models think before they speak, strict where nothing but a dead machine takes long. */
export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 3_000, firstByteMs: 120_000, betweenChunksMs: 60_000, totalMs: 900_000 };

/** None that differ. */
export const NO_TIMEOUTS: Partial<Timeouts> = {};

/** How much an upstream is asked at once. What is above is refused while refusing is still quick. */
export interface Concurrency {
  readonly maxCalls: number;
  /** Calls that wait for one of those to end. */
  readonly maxQueued: number;
  /** For how long each of them waits at most. */
  readonly maxWaitMs: number;
}

/** Far above what a machine of ours carries, and still an end. */
export const DEFAULT_CONCURRENCY: Concurrency = { maxCalls: 10_000, maxQueued: 1_000, maxWaitMs: 5_000 };

/** Whether calls would go to the same place in the same way. */
export function isSameUpstream(one: UpstreamSettings, other: UpstreamSettings): boolean {
  if (one.dialect === "echo" || other.dialect === "echo") return Bun.deepEquals(one, other);
  const { credentials, ...rest } = one;
  const { credentials: otherCredentials, ...otherRest } = other;
  return hasSameSecrets(credentials, otherCredentials) && Bun.deepEquals(rest, otherRest);
}

export function hasSameSecrets(some: readonly Secret[], others: readonly Secret[]): boolean {
  return some.length === others.length && some.every((secret, at) => secret.equals(others[at]));
}

/** Our secrets at an upstream. The one in this process needs none. */
export function credentialsOf(upstream: UpstreamSettings): readonly Secret[] {
  return upstream.dialect === "echo" ? [] : upstream.credentials;
}
