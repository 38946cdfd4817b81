import type { Person } from "./person.ts";

/**
 * The person before a change, minus the access that the change removes. Used when a change could not be stored: removed access stays
 * removed, although the caller receives an error, and no access is granted that is not in the audit log.
 */
export function withLossesOf(before: Person, after: Person): Person {
  // An operator has no account, so an operator who becomes a member gets an account. A member who moves to another account loses the old
  // one.
  const isLower = after.role === "member" && (before.role === "operator" || before.accountId !== after.accountId);
  const { role, accountId } = isLower ? after : before;
  return {
    ...before,
    role,
    accountId,
    identity: isSameIdentity(before, after) ? before.identity : null,
    invitation: keepsLink(before, after) ? before.invitation : null,
    sessionGeneration: Math.max(before.sessionGeneration, after.sessionGeneration),
    tokenGeneration: Math.max(before.tokenGeneration, after.tokenGeneration),
    disabledAtMs: before.disabledAtMs ?? after.disabledAtMs,
  };
}

/**
 * A person as read again from the store, minus the access that `inForce` has lost since `written`. If another process has changed the same
 * field meanwhile, its change counts.
 */
export function withLossesKept(read: Person, written: Person, inForce: Person): Person {
  const { role, accountId } = isSameRole(written, read) ? inForce : read;
  return {
    ...read,
    role,
    accountId,
    identity: isSameIdentity(written, read) ? inForce.identity : read.identity,
    invitation: written.invitation?.hash === read.invitation?.hash ? inForce.invitation : read.invitation,
    sessionGeneration: Math.max(read.sessionGeneration, inForce.sessionGeneration),
    tokenGeneration: Math.max(read.tokenGeneration, inForce.tokenGeneration),
    disabledAtMs: written.disabledAtMs === read.disabledAtMs ? inForce.disabledAtMs : read.disabledAtMs,
  };
}

function isSameRole(one: Person, other: Person): boolean {
  return one.role === other.role && one.accountId === other.accountId;
}

function isSameIdentity({ identity: one }: Person, { identity: other }: Person): boolean {
  return one?.issuer === other?.issuer && one?.subject === other?.subject;
}

/**
 * Whether the previous one-time link stays. If the change used it to set a password or an identity, it is restored with the previous
 * password or identity, because it is the person's only way to sign in.
 */
function keepsLink(before: Person, after: Person): boolean {
  const isUsed = after.disabledAtMs === null && (before.passwordHash !== after.passwordHash || !isSameIdentity(before, after));
  return isUsed || before.invitation?.hash === after.invitation?.hash;
}
