import { problemOfBaseUrl } from "./base-url.ts";
import { MODEL_ID } from "./catalog.ts";
import type { Fail, Schema } from "./schema.ts";
import { Secret } from "./secret.ts";
import { DEFAULT_TIMEOUTS, DIALECTS, type Dialect, type Timeouts, type UpstreamSettings } from "./upstream-settings.ts";

const timeout: Schema = { type: "integer", minimum: 1, maximum: 86_400_000 };

export const idSchema: Schema = {
  type: "string",
  maxLength: 200,
  pattern: MODEL_ID,
  patternInWords: "ASCII without spaces and *, and more than dots",
};

export const credentialSchema: Schema = { type: "string", pattern: "^[!-~]+$", patternInWords: "ASCII without spaces", isSecret: true };

/** An upstream as a file or a request has it. */
export const declaredUpstreamSchema: Schema = {
  type: "object",
  additionalProperties: false,
  required: ["id", "dialect"],
  properties: {
    id: idSchema,
    dialect: { type: "string", enum: DIALECTS },
    base_url: { type: "string" },
    allow_private: { type: "boolean" },
    credential: credentialSchema,
    timeouts: {
      type: "object",
      additionalProperties: false,
      properties: { connect_ms: timeout, first_byte_ms: timeout, between_chunks_ms: timeout, total_ms: timeout },
    },
  },
};

export interface DeclaredTimeouts {
  readonly connect_ms?: number;
  readonly first_byte_ms?: number;
  readonly between_chunks_ms?: number;
  readonly total_ms?: number;
}

export interface DeclaredUpstream {
  readonly id: string;
  readonly dialect: Dialect;
  readonly base_url?: string;
  readonly allow_private?: boolean;
  readonly credential?: string;
  readonly timeouts?: DeclaredTimeouts;
}

/** What is declared, ready for use. */
export function toUpstream(declared: DeclaredUpstream, fail: Fail): UpstreamSettings {
  const { id, dialect, credential, allow_private: allowPrivate = false } = declared;
  if (dialect === "echo") return toEcho(declared, fail);
  return {
    id,
    dialect,
    baseUrl: toBaseUrl(declared.base_url, allowPrivate, fail),
    allowPrivate,
    credential: credential === undefined ? undefined : new Secret(credential),
    timeouts: toTimeouts(declared.timeouts),
  };
}

/** The other way round, without the credential: a secret is not part of what is shown or kept in plain text. */
export function fromUpstream(settings: UpstreamSettings): DeclaredUpstream {
  if (settings.dialect === "echo") return { id: settings.id, dialect: "echo" };
  const { id, dialect, baseUrl, allowPrivate, timeouts } = settings;
  return {
    id,
    dialect,
    base_url: baseUrl,
    allow_private: allowPrivate,
    timeouts: {
      connect_ms: timeouts.connectMs,
      first_byte_ms: timeouts.firstByteMs,
      between_chunks_ms: timeouts.betweenChunksMs,
      total_ms: timeouts.totalMs,
    },
  };
}

/** What was decided about an upstream: this is what the audit log compares. */
export function describeUpstream(upstream: UpstreamSettings): Record<string, unknown> {
  const { id, dialect, base_url = null, allow_private = false, timeouts = null } = fromUpstream(upstream);
  const credential = upstream.dialect === "echo" ? undefined : upstream.credential;
  return {
    id,
    dialect,
    base_url,
    allow_private,
    timeouts,
    credential: { set: credential !== undefined, last4: credential?.lastFour() ?? null },
  };
}

/** The same where the credential was given anew, which its last characters alone might not show. */
export function describeWithNewCredential(upstream: UpstreamSettings): Record<string, unknown> {
  const described = describeUpstream(upstream);
  return { ...described, credential: { ...(described["credential"] as object), replaced: true } };
}

/** It is in this process: there is nothing to reach. A credential that nobody uses was meant for something else. */
function toEcho(declared: DeclaredUpstream, fail: Fail): UpstreamSettings {
  const extra = Object.keys(declared).find((field) => field !== "id" && field !== "dialect");
  return extra === undefined ? { id: declared.id, dialect: "echo" } : fail([extra], "does not go with the dialect echo");
}

function toBaseUrl(text: string | undefined, allowPrivate: boolean, fail: Fail): string {
  if (text === undefined) return fail(["base_url"], "is required for this dialect");
  const problem = problemOfBaseUrl(text, allowPrivate);
  return problem === undefined ? text : fail(["base_url"], problem);
}

function toTimeouts(declared: DeclaredTimeouts = {}): Timeouts {
  return {
    connectMs: declared.connect_ms ?? DEFAULT_TIMEOUTS.connectMs,
    firstByteMs: declared.first_byte_ms ?? DEFAULT_TIMEOUTS.firstByteMs,
    betweenChunksMs: declared.between_chunks_ms ?? DEFAULT_TIMEOUTS.betweenChunksMs,
    totalMs: declared.total_ms ?? DEFAULT_TIMEOUTS.totalMs,
  };
}
