import { ApiError } from "../../../requests/api-error.ts";
import type { Person } from "../../../access/person.ts";
import { hashToken } from "../../../lib/secret/random-token.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { Platform } from "../../platform.ts";

export const linkTokenSchema = {
  type: "string",
  minLength: 1,
  maxLength: 100,
  isSecret: true,
  description: "The part of the link after the #.",
} as const satisfies Schema;

/** The person a link is for. The first operator does not exist yet. */
export function findInvited(token: string, platform: Platform): Person | "first operator" {
  // The setup link was printed to a terminal: once there is a person who can invite others, it must not create operators.
  if (platform.people.count() === 0 && platform.signIn.setupLink.opensWith(token, platform.monotonicMs())) return "first operator";
  return checkInvited(platform.people.findByInvitation(hashToken(token)), token, platform.nowMs());
}

/** The person, if the link is theirs and still valid. */
export function checkInvited(person: Person | undefined, token: string, nowMs: number): Person {
  const isTheirs = person?.invitation?.hash === hashToken(token) && nowMs < person.invitation.expiresAtMs;
  if (isTheirs && person.disabledAtMs === null) return person;
  throw unknownLink();
}

export function unknownLink(): ApiError {
  return new ApiError("unknown_link", "This link is invalid: it was used, replaced, or has expired. Ask for a new one.");
}
