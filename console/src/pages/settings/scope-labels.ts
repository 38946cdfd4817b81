import type { CreateAccessTokenRequest } from "../../platform/interface.ts";

export type Scope = CreateAccessTokenRequest["scopes"][number];

interface ScopeLabel {
  readonly scope: Scope;
  readonly label: string;
  readonly isForOperators?: true;
}

/** What a token can be narrowed to. What reads a thing and what changes it stand side by side, in two columns. */
export const SCOPE_LABELS: readonly ScopeLabel[] = [
  { scope: "keys:read", label: "Read keys" },
  { scope: "keys:write", label: "Change keys" },
  { scope: "accounts:read", label: "Read accounts" },
  { scope: "accounts:write", label: "Change accounts", isForOperators: true },
  { scope: "models:read", label: "Read models" },
  { scope: "models:write", label: "Change models", isForOperators: true },
  { scope: "upstreams:read", label: "Read upstreams", isForOperators: true },
  { scope: "upstreams:write", label: "Change upstreams", isForOperators: true },
  { scope: "people:read", label: "Read people", isForOperators: true },
  { scope: "people:write", label: "Change people", isForOperators: true },
  { scope: "alerts:read", label: "Read webhooks", isForOperators: true },
  { scope: "alerts:write", label: "Change webhooks", isForOperators: true },
  { scope: "usage:read", label: "Read requests and usage" },
  { scope: "bodies:read", label: "Read what was said", isForOperators: true },
  { scope: "audit:read", label: "Read the audit log", isForOperators: true },
  { scope: "metrics:read", label: "Read metrics", isForOperators: true },
  { scope: "credits:write", label: "Grant and adjust credit", isForOperators: true },
  { scope: "config:write", label: "Reload the config file", isForOperators: true },
];
