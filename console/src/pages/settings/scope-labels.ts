import type { CreateAccessTokenRequest } from "../../../../platform-client/types.ts";

export type Scope = CreateAccessTokenRequest["scopes"][number];

interface ScopeLabel {
  readonly scope: Scope;
  readonly label: string;
  readonly isForOperators?: true;
}

/** The scopes of access tokens, read and write side by side in two columns. */
export const SCOPE_LABELS: readonly ScopeLabel[] = [
  { scope: "keys:read", label: "Read keys" },
  { scope: "keys:write", label: "Write keys" },
  { scope: "accounts:read", label: "Read accounts" },
  { scope: "accounts:write", label: "Write accounts", isForOperators: true },
  { scope: "models:read", label: "Read models" },
  { scope: "models:write", label: "Write models", isForOperators: true },
  { scope: "upstreams:read", label: "Read upstreams", isForOperators: true },
  { scope: "upstreams:write", label: "Write upstreams", isForOperators: true },
  { scope: "people:read", label: "Read people", isForOperators: true },
  { scope: "people:write", label: "Write people", isForOperators: true },
  { scope: "alerts:read", label: "Read webhooks", isForOperators: true },
  { scope: "alerts:write", label: "Write webhooks", isForOperators: true },
  { scope: "instances:read", label: "Read instances", isForOperators: true },
  { scope: "instances:write", label: "Restart instances", isForOperators: true },
  { scope: "usage:read", label: "Read requests and usage" },
  { scope: "bodies:read", label: "Read prompts and responses", isForOperators: true },
  { scope: "audit:read", label: "Read audit log", isForOperators: true },
  { scope: "metrics:read", label: "Read metrics", isForOperators: true },
  { scope: "credits:write", label: "Grant and adjust credit", isForOperators: true },
  { scope: "config:write", label: "Reload config file", isForOperators: true },
];
