import { GatewayError } from "../../../requests/gateway-error.ts";
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

/** Whom a link is for. The first operator does not exist yet. */
export function findInvited(token: string, platform: Platform): Person | "first operator" {
  const nowMs = platform.nowMs();
  // It is on a terminal somewhere: once anybody is there, who can invite the others, it must not make operators any more.
  if (platform.people.count() === 0 && platform.signIn.firstLink.opensWith(token, platform.monotonicMs())) return "first operator";
  const person = platform.people.findByInvitation(hashToken(token));
  if (person?.invitation && nowMs < person.invitation.expiresAtMs && person.disabledAtMs === null) return person;
  throw new GatewayError("unknown_link", "This link does not work: it was used, replaced, or is too old. Ask for a new one.");
}
