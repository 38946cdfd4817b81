import { ROLES, type Person } from "../../../access/person.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { timeSchema, viewTime } from "../fields/times.ts";

export const roleSchema: Schema = {
  type: "string",
  enum: ROLES,
  description: "`operator`: may do everything. `member`: sees to one account.",
};

export const personSchema: Schema = {
  title: "Person",
  type: "object",
  required: ["id", "email", "name", "role", "account", "has_password", "has_identity", "invited_until", "created_at", "disabled_at"],
  properties: {
    id: { type: "string" },
    email: { type: "string", description: "In lower case. No two people share one." },
    name: { type: "string" },
    role: roleSchema,
    account: { type: "string", nullable: true, description: "The account that a member belongs to. Operators belong to none." },
    has_password: { type: "boolean", description: "Whether they have chosen a password." },
    has_identity: { type: "boolean", description: "Whether they have signed in with the OpenID provider." },
    invited_until: { ...timeSchema, nullable: true, description: "Until when their link can be used, if there is one." },
    created_at: timeSchema,
    disabled_at: { ...timeSchema, nullable: true, description: "Since when they may not come in." },
  },
};

/** A person as the platform shows them, and as the audit log compares them: nothing of it is secret. */
export function viewPerson(person: Person): Record<string, unknown> {
  return {
    id: person.id,
    email: person.email,
    name: person.name,
    role: person.role,
    account: person.accountId,
    has_password: person.passwordHash !== null,
    has_identity: person.identity !== null,
    invited_until: viewTime(person.invitation?.expiresAtMs ?? null),
    created_at: viewTime(person.createdAtMs),
    disabled_at: viewTime(person.disabledAtMs),
  };
}
