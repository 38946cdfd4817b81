import type { Role } from "./person.ts";

/** The scopes of an access token: read or write access to each area of the platform. */
export const SCOPES = [
  "accounts:read",
  "accounts:write",
  "alerts:read",
  "alerts:write",
  "audit:read",
  "bodies:read",
  "config:write",
  "credits:write",
  "instances:read",
  "instances:write",
  "keys:read",
  "keys:write",
  "metrics:read",
  "models:read",
  "models:write",
  "people:read",
  "people:write",
  "upstreams:read",
  "upstreams:write",
  "usage:read",
] as const;

export type Scope = (typeof SCOPES)[number];

/**
 * Who may call an operation of the platform:
 * - `anyone`: no credential is needed;
 * - `signed-in`: every authenticated caller, with any role and any scope;
 * - `operator-token`: the operator token alone, which no access token can replace;
 * - `session`: a person who is signed in with a browser; an access token is rejected;
 * - a role and a scope: callers with at least this role, whose access token, if they use one, has the scope.
 */
export type Access = "anyone" | "signed-in" | "operator-token" | "session" | { readonly role: Role; readonly scope: Scope };

/** An operation for operators only. */
export function operators(scope: Scope): Access {
  return { role: "operator", scope };
}

/** An operation for operators, and for members within their own account. The operation has to check the account with `mayAccess`. */
export function members(scope: Scope): Access {
  return { role: "member", scope };
}

/** The authenticated caller of an operation: a person, an access token of a person or a service, or the operator token. */
export interface Actor {
  /** The id in the audit log. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** The account of a member. Operators can access all accounts. */
  readonly accountId: string | null;
  /** The scopes of an access token. Null for a session and the operator token, which have all scopes. */
  readonly scopes: readonly Scope[] | null;
  /** The person, if the caller is one. */
  readonly personId: string | null;
  /** The browser session, if the caller has one. */
  readonly sessionId: string | null;
}

/**
 * The accounts that a list must match, all of them: the requested account and, for a member, the member's account. If they differ, nothing
 * matches.
 */
export function accountFilter({ role, accountId }: Actor, requested: string | undefined): string[] {
  return [requested, role === "member" ? accountId! : undefined].filter((id) => id !== undefined);
}

/** An ID that no account has: a filter by it matches nothing. */
export const NO_ACCOUNT = "";

/** The filter as one account: undefined for all accounts, `NO_ACCOUNT` if the filter has two different accounts. */
export function singleAccount(accounts: readonly string[]): string | undefined {
  const [first, ...others] = new Set(accounts);
  return others.length > 0 ? NO_ACCOUNT : first;
}

/** Whether the actor may access this account. Every check of an account uses this function. */
export function mayAccess(actor: Actor, accountId: string): boolean {
  return actor.role === "operator" || actor.accountId === accountId;
}
