import { ROLES, type Person } from "../../../access/person.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { timeSchema, viewTime } from "../fields/times.ts";

export const roleSchema = {
  type: "string",
  enum: ROLES,
  description: "`operator`: full access. `member`: access to one account.",
} as const satisfies Schema;

export const personSchema = {
  title: "Person",
  type: "object",
  required: [
    "id",
    "email",
    "name",
    "role",
    "account",
    "has_password",
    "has_identity",
    "invited_until",
    "created_at",
    "disabled_at",
    "archived_at",
  ],
  properties: {
    id: { type: "string" },
    email: { type: "string", description: "The email address in lower case, unique among people." },
    name: { type: "string" },
    role: roleSchema,
    account: { type: "string", nullable: true, description: "The account of a member. Operators have none." },
    has_password: { type: "boolean", description: "Whether the person has set a password." },
    has_identity: { type: "boolean", description: "Whether the person has signed in with the OpenID provider (SSO)." },
    invited_until: {
      ...timeSchema,
      nullable: true,
      description: "The expiry time of the person's invitation link; null when there is none.",
    },
    created_at: timeSchema,
    disabled_at: { ...timeSchema, nullable: true, description: "The time at which the person was disabled; null when they are not." },
    archived_at: { ...timeSchema, nullable: true, description: "Since when the person is archived; null when they are not." },
  },
} as const satisfies Schema;

/** A person as the API returns them and as the audit log records them. It contains no secret. */
export function viewPerson(person: Person) {
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
    archived_at: viewTime(person.archivedAtMs),
  };
}
