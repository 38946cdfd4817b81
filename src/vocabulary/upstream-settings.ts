import type { Secret } from "./secret.ts";

/** The wire formats there is code for. */
export const DIALECTS = ["openai", "echo"] as const;

export type Dialect = (typeof DIALECTS)[number];

/** Where calls go: a dialect, an address, and our secret there. */
export type UpstreamSettings =
  | { readonly id: string; readonly dialect: "echo" }
  | {
      readonly id: string;
      readonly dialect: "openai";
      readonly baseUrl: string;
      /** Whether it may be on this machine or a private network: without it, only on the internet. */
      readonly allowPrivate: boolean;
      readonly credential: Secret | undefined;
      readonly timeouts: Timeouts;
    };

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

/** Whether calls would go to the same place in the same way. */
export function isSameUpstream(one: UpstreamSettings, other: UpstreamSettings): boolean {
  if (one.dialect === "echo" || other.dialect === "echo") return Bun.deepEquals(one, other);
  const { credential, ...rest } = one;
  const { credential: otherCredential, ...otherRest } = other;
  const isSameCredential = credential === undefined ? otherCredential === undefined : credential.equals(otherCredential);
  return isSameCredential && Bun.deepEquals(rest, otherRest);
}
