import type { AccessToken, InvitedPerson, Person } from "../../../platform-client/types.ts";
import { ROLES } from "../../access/person.ts";
import type { Operand } from "../command.ts";
import { formatDetails } from "../format/format-details.ts";
import { formatDay, formatTime } from "../format/format-values.ts";
import { listCommand } from "../list-command.ts";
import { listOptions } from "../list-options.ts";
import { choice, required, text } from "../options.ts";
import { platformCommand } from "../platform-command.ts";

const PERSON: Operand = { name: "ID", meaning: "person ID, as shown by people list" };

function describePerson(person: Person): string {
  return formatDetails([
    ["Person", `${person.id} (${person.name})`],
    ["Email", person.email],
    ["Role", person.account === null ? person.role : `${person.role} of account ${person.account}`],
    ["State", stateOfPerson(person)],
    ["Signs in with", signInMethods(person)],
    ["Created", `${formatTime(person.created_at)} UTC`],
  ]);
}

function stateOfPerson(person: Person): string {
  if (person.archived_at !== null) return "archived";
  if (person.disabled_at !== null) return "disabled";
  return person.has_password || person.has_identity ? "active" : "invited";
}

function signInMethods(person: Person): string {
  const ways = [
    ...(person.has_password ? ["a password"] : []),
    ...(person.has_identity ? ["the OpenID provider"] : []),
    ...(person.invited_until === null ? [] : [`the invitation link, until ${formatTime(person.invited_until)} UTC`]),
  ];
  return ways.join(", or ") || "nothing: create a link with people invitation";
}

function describeInvitation({ name, invitation }: InvitedPerson): string {
  if (invitation === null) return `The invitation link for ${name} has been shown already. Create a new one with people invitation.\n`;
  return `${invitation.url}\n\nSend this invitation link to ${name} to choose a password. It works once, until ${formatTime(invitation.expires_at)} UTC, and is shown only once.\n`;
}

export const invitePerson = platformCommand<InvitedPerson>({
  summary: "Invite a person. The invitation link is shown only once.",
  details:
    "The link lets the person choose a password. Operators can do everything; members manage one account: its keys, usage, receipts and credit.",
  examples: [
    "people invite ada@example.com --name 'Ada Lovelace' --role operator",
    "people invite max@example.com --name Max --role member --account default",
  ],
  operands: [{ name: "EMAIL", field: "email", meaning: "email address to sign in with" }],
  options: {
    name: required(text("name", "full name"), "give a name: --name 'Ada Lovelace'"),
    role: required(choice("role", ROLES, "role"), "give a role: --role operator, or --role member --account ID"),
    account: text("account", "account of a member", "ACCOUNT"),
  },
  call: "POST /api/people",
  print: describeInvitation,
});

export const listPeople = listCommand<Person>({
  summary: "List people, newest first unless --sort is given.",
  examples: ["people list", "people list --role operator", "people list --account default --search max"],
  options: {
    role: choice("role", ROLES, "only people with this role"),
    account: text("account", "only members of this account", "ACCOUNT"),
    search: text("search", "only people whose name or email contains this text"),
    ...listOptions("people", ["created", "name", "email"]),
  },
  call: "GET /api/people",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "STATE", cell: stateOfPerson },
    { heading: "ROLE", cell: ({ role }) => role },
    { heading: "ACCOUNT", cell: ({ account }) => account ?? "", isLong: true },
    { heading: "CREATED", cell: (person) => formatDay(person.created_at) },
    { heading: "EMAIL", cell: ({ email }) => email, isLong: true },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});

export const showPerson = platformCommand<Person>({
  summary: "Show a person: role, account and sign-in methods.",
  examples: ["people show 3fT9kQm2XyZ1"],
  operands: [PERSON],
  call: "GET /api/people/{id}",
  print: describePerson,
});

export const updatePerson = platformCommand<Person>({
  summary: "Update a person. A change of role or account ends their sessions.",
  examples: ["people update 3fT9kQm2XyZ1 --name 'Ada King'", "people update 3fT9kQm2XyZ1 --role member --account default"],
  operands: [PERSON],
  options: {
    name: text("name", "full name"),
    role: choice("role", ROLES, "role"),
    account: text("account", "account of a member", "ACCOUNT"),
  },
  call: "PATCH /api/people/{id}",
  print: describePerson,
});

export const inviteAgain = platformCommand<InvitedPerson>({
  summary: "Create a new invitation link, for a lost link or a forgotten password.",
  details: "Earlier links stop working. An existing password works until the link is used.",
  examples: ["people invitation 3fT9kQm2XyZ1"],
  operands: [PERSON],
  call: "POST /api/people/{id}/invitation",
  print: describeInvitation,
});

export const endSessions = platformCommand<Person>({
  summary: "End all sessions of a person, who then has to sign in again.",
  details: "Access tokens keep working; people disable ends them as well.",
  examples: ["people end-sessions 3fT9kQm2XyZ1"],
  operands: [PERSON],
  call: "DELETE /api/people/{id}/sessions",
  print: ({ id, name }) => `Ended the sessions of ${id} (${name}).\n`,
});

export const listTokens = listCommand<AccessToken>({
  summary: "List a person's access tokens, newest first.",
  examples: ["people tokens 3fT9kQm2XyZ1"],
  operands: [PERSON],
  call: "GET /api/people/{id}/access-tokens",
  columns: [
    { heading: "ID", cell: ({ id }) => id },
    { heading: "STATE", cell: stateOfToken },
    { heading: "EXPIRES", cell: (token) => formatDay(token.expires_at) },
    { heading: "LAST USED", cell: (token) => (token.last_used_at === null ? "never" : formatDay(token.last_used_at)) },
    { heading: "SCOPES", cell: ({ scopes }) => scopes.join(","), isLong: true },
    { heading: "NAME", cell: ({ name }) => name, isLong: true },
  ],
});

/** A token that was not revoked has expired, or its person was disabled. */
export function stateOfToken(token: Pick<AccessToken, "active" | "revoked_at">): string {
  if (token.active) return "active";
  return token.revoked_at === null ? "ended" : "revoked";
}

export const revokeToken = platformCommand<AccessToken>({
  summary: "Revoke a person's access token permanently, from the next request.",
  details: "Other tokens and sessions keep working; people disable ends them all.",
  examples: ["people revoke-token 3fT9kQm2XyZ1 7gR2bVn5QwE8"],
  operands: [PERSON, { name: "TOKEN", meaning: "token ID, as shown by people tokens" }],
  call: "DELETE /api/people/{id}/access-tokens/{tokenId}",
  print: ({ id, name }) => `Revoked ${id} (${name}).\n`,
});

export const disablePerson = platformCommand<Person>({
  summary: "Disable a person: sessions, access tokens and invitation link end immediately.",
  details: "Keys that the person created keep working: they belong to the account.",
  examples: ["people disable 3fT9kQm2XyZ1"],
  operands: [PERSON],
  sets: { disabled: true },
  call: "PATCH /api/people/{id}",
  print: ({ id, name }) => `Disabled ${id} (${name}).\n`,
});

export const enablePerson = platformCommand<Person>({
  summary: "Enable a disabled person, who then has to sign in again.",
  examples: ["people enable 3fT9kQm2XyZ1"],
  operands: [PERSON],
  sets: { disabled: false },
  call: "PATCH /api/people/{id}",
  print: ({ id, name }) => `Enabled ${id} (${name}).\n`,
});

export const archivePerson = platformCommand<Person>({
  summary: "Archive a person: disable them, and hide them from lists.",
  examples: ["people archive 3fT9kQm2XyZ1"],
  operands: [PERSON],
  sets: { archived: true },
  call: "PATCH /api/people/{id}",
  print: ({ id, name }) => `Archived ${id} (${name}).\n`,
});

export const restorePerson = platformCommand<Person>({
  summary: "Restore an archived person, who stays disabled until you run people enable.",
  examples: ["people restore 3fT9kQm2XyZ1"],
  operands: [PERSON],
  sets: { archived: false },
  call: "PATCH /api/people/{id}",
  print: ({ id, name }) => `Restored ${id} (${name}).\n`,
});

export const removePerson = platformCommand<Person>({
  summary: "Remove a person who has never signed in. The invitation link stops working.",
  examples: ["people remove 3fT9kQm2XyZ1"],
  operands: [PERSON],
  call: "DELETE /api/people/{id}",
  print: ({ id, email }) => `Removed ${id} (${email}).\n`,
});
