import type { Role } from "./person.ts";

/** What an access token can be narrowed to: the parts of the platform, to read or to change. */
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
 * Who may make a call: whoever comes, whoever has a credential of any kind, a person who is signed in with a browser, or a role
 * with a scope.
 */
export type Access = "anyone" | "signed-in" | "session" | { readonly role: Role; readonly scope: Scope };

/** A call that operators may make. */
export function operators(scope: Scope): Access {
  return { role: "operator", scope };
}

/** A call that members may make too, as far as their account goes. */
export function members(scope: Scope): Access {
  return { role: "member", scope };
}

/** Who makes a call, and how far it may reach. */
export interface Actor {
  /** As the audit log has it. */
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** The one account that a member can reach. Operators reach all. */
  readonly accountId: string | null;
  /** Null for every scope. */
  readonly scopes: readonly string[] | null;
  /** The person behind it, if it is one. */
  readonly personId: string | null;
  /** The session that it comes in with, if it is one. */
  readonly sessionId: string | null;
}

/** The accounts that a list is narrowed to: the one that was asked for, and a member's own. Two that differ have nothing in common. */
export function accountsInReach({ role, accountId }: Actor, asked: string | undefined): string[] {
  return [asked, role === "member" ? accountId! : undefined].filter((id) => id !== undefined);
}

/** No account has this id, so there is nothing to see of it. */
export const NO_ACCOUNT = "";

/** The one account that all of these are, if there are any; nobody's where they differ. */
export function oneOf(accounts: readonly string[]): string | undefined {
  const [first, ...others] = new Set(accounts);
  return others.length > 0 ? NO_ACCOUNT : first;
}

/** Whether this account is the actor's to see. The one place that decides it. */
export function reaches(actor: Actor, accountId: string): boolean {
  return actor.role === "operator" || actor.accountId === accountId;
}
