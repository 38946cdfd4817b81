import { ApiError } from "../../../requests/api-error.ts";
import type { Person } from "../../../access/person.ts";
import { hashToken } from "../../../lib/secret/random-token.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import type { Platform } from "../../platform.ts";

export const linkTokenSchema: Schema = {
  type: "string",
  minLength: 1,
  maxLength: 100,
  isSecret: true,
  description: "The part of the link after the #.",
};

/** The person a link is for. The first operator does not exist yet. */
export function findInvited(token: string, platform: Platform): Person | "first operator" {
  const nowMs = platform.nowMs();
  // The setup link was printed to a terminal: once there is a person who can invite others, it must not create operators.
  if (platform.people.count() === 0 && platform.signIn.setupLink.opensWith(token, platform.monotonicMs())) return "first operator";
  const person = platform.people.findByInvitation(hashToken(token));
  if (person?.invitation && nowMs < person.invitation.expiresAtMs && person.disabledAtMs === null) return person;
  throw new ApiError("unknown_link", "This link is invalid: it was used, replaced, or has expired. Ask for a new one.");
}
