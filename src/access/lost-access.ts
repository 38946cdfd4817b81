import type { Person } from "./person.ts";

/**
 * The person as they were, without the access that a change takes away from them. For a change that could not be kept: whoever
 * is to be shut out stays out, though whoever did it hears of a failure, and nobody gets anything that is not on record.
 */
export function withLossesOf(before: Person, after: Person): Person {
  // An operator has no account, so one who is made a member gets that with it; who moves loses the account they come from.
  const isLower = after.role === "member" && (before.role === "operator" || before.accountId !== after.accountId);
  const { role, accountId } = isLower ? after : before;
  return {
    ...before,
    role,
    accountId,
    identity: isSameIdentity(before, after) ? before.identity : null,
    invitation: keepsLink(before, after) ? before.invitation : null,
    sessionRound: Math.max(before.sessionRound, after.sessionRound),
    tokenRound: Math.max(before.tokenRound, after.tokenRound),
    disabledAtMs: before.disabledAtMs ?? after.disabledAtMs,
  };
}

function isSameIdentity({ identity: one }: Person, { identity: other }: Person): boolean {
  return one?.issuer === other?.issuer && one?.subject === other?.subject;
}

/** A link that was used for a password or an identity is given back with it: it is the only way in that the person has. */
function keepsLink(before: Person, after: Person): boolean {
  const isUsed = after.disabledAtMs === null && (before.passwordHash !== after.passwordHash || !isSameIdentity(before, after));
  return isUsed || before.invitation?.hash === after.invitation?.hash;
}
