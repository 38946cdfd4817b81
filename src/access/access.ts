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
 * Who may call an operation: anyone, any authenticated caller, a person with a browser session, or a role
 * with a scope.
 */
export type Access = "anyone" | "signed-in" | "session" | { readonly role: Role; readonly scope: Scope };

/** An operation for operators only. */
export function operators(scope: Scope): Access {
  return { role: "operator", scope };
}

/** An operation for operators and, within their own account, members. */
export function members(scope: Scope): Access {
  return { role: "member", scope };
}

/** The caller of an operation, and the extent of its access. */
export interface Actor {
  /** The id in the audit log. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** The account of a member. Operators can access all accounts. */
  readonly accountId: string | null;
  /** Null means all scopes. */
  readonly scopes: readonly string[] | null;
  /** The person, if the caller is one. */
  readonly personId: string | null;
  /** The browser session, if the caller has one. */
  readonly sessionId: string | null;
}

/** The account filter of a list: the requested account and a member's own. If they differ, nothing matches. */
export function accountsInReach({ role, accountId }: Actor, asked: string | undefined): string[] {
  return [asked, role === "member" ? accountId! : undefined].filter((id) => id !== undefined);
}

/** No account has this id, so it matches nothing. */
export const NO_ACCOUNT = "";

/** The account that all of these agree on, if any are given; NO_ACCOUNT where they differ. */
export function oneOf(accounts: readonly string[]): string | undefined {
  const [first, ...others] = new Set(accounts);
  return others.length > 0 ? NO_ACCOUNT : first;
}

/** Whether the actor may access this account. All access checks for accounts go through here. */
export function reaches(actor: Actor, accountId: string): boolean {
  return actor.role === "operator" || actor.accountId === accountId;
}
