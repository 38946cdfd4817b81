import type { AccessToken, InvitedPerson, Person } from "../../../platform-client/types.ts";
import { ROLES } from "../../access/person.ts";
import type { Operand } from "../command.ts";
import { formatDetails } from "../format-details.ts";
import { formatDay, formatTime } from "../format-values.ts";
import { listCommand } from "../list-command.ts";
import { choice, required, text } from "../options.ts";
import { platformCommand } from "../platform-command.ts";

export const PERSON: Operand = { name: "ID", meaning: "the person's id, as people list shows it" };

export function describePerson(person: Person): string {
  return formatDetails([
    ["Person", `${person.id} (${person.name})`],
    ["Email", person.email],
    ["Role", person.account === null ? person.role : `${person.role} of account ${person.account}`],
    ["State", stateOfPerson(person)],
    ["Signs in with", signInMethods(person)],
    ["Made", `${formatTime(person.created_at)} UTC`],
  ]);
}

export function stateOfPerson(person: Person): string {
  if (person.disabled_at !== null) return "disabled";
  return person.has_password || person.has_identity ? "active" : "invited";
}

function signInMethods(person: Person): string {
  const ways = [
    ...(person.has_password ? ["a password"] : []),
    ...(person.has_identity ? ["the OpenID provider"] : []),
    ...(person.invited_until === null ? [] : [`the link that was made for them, until ${formatTime(person.invited_until)} UTC`]),
  ];
  return ways.join(", or ") || "nothing: make a link with people invitation";
}

/** What there is to do with a link. */
export function describeInvitation({ name, invitation }: InvitedPerson): string {
  if (invitation === null) return `The link for ${name} was shown before. people invitation makes a new one.\n`;
  return `${invitation.url}\n\nSend this to ${name}: it lets them choose a password, once, until ${formatTime(invitation.expires_at)} UTC. It is shown this once.\n`;
}

export interface Invitation {
  readonly url: string;
  readonly expires_at: string;
}

export const invitePerson = platformCommand<InvitedPerson>({
  summary: "Adds a person and shows the link with which they choose a password, this once.",
  details: "Operators may do everything. Members see to one account: its keys, usage, receipts and credit.",
  examples: [
    "people invite ada@example.com --name 'Ada Lovelace' --role operator",
    "people invite max@example.com --name Max --role member --account default",
  ],
  operands: [{ name: "EMAIL", field: "email", meaning: "what they sign in with" }],
  options: {
    name: required(text("name", "what they are called"), "say what they are called: --name 'Ada Lovelace'"),
    role: required(choice("role", ROLES, "what they may do"), "say what they may do: --role operator, or --role member --account ID"),
    account: text("account", "the account of a member", "ACCOUNT"),
  },
  call: "POST /api/people",
  print: describeInvitation,
});

export const listPeople = listCommand<Person>({
  summary: "Lists people, newest first.",
  examples: ["people list", "people list --role operator", "people list --account default --search max"],
  options: {
    role: choice("role", ROLES, "those who have this role"),
    account: text("account", "the members of one account", "ACCOUNT"),
    search: text("search", "those whose name or email has this in it"),
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
  summary: "Shows a person: what they may do, and how they sign in.",
  examples: ["people show 3fT9kQm2XyZ1"],
  operands: [PERSON],
  call: "GET /api/people/{id}",
  print: describePerson,
});

export const updatePerson = platformCommand<Person>({
  summary: "Changes what is given of a person. Another role or account ends their sessions.",
  examples: ["people update 3fT9kQm2XyZ1 --name 'Ada King'", "people update 3fT9kQm2XyZ1 --role member --account default"],
  operands: [PERSON],
  options: {
    name: text("name", "what they are called"),
    role: choice("role", ROLES, "what they may do"),
    account: text("account", "the account of a member", "ACCOUNT"),
  },
  call: "PATCH /api/people/{id}",
  print: describePerson,
});

export const inviteAgain = platformCommand<InvitedPerson>({
  summary: "Makes a new link with which a person chooses a password: for a lost link, or a forgotten password.",
  details: "An earlier link stops working. Their password, if they have one, works until the link is used.",
  examples: ["people invitation 3fT9kQm2XyZ1"],
  operands: [PERSON],
  call: "POST /api/people/{id}/invitation",
  print: describeInvitation,
});

export const endSessions = platformCommand<Person>({
  summary: "Ends every session of a person: whoever is signed in as them has to sign in anew.",
  details: "Their access tokens go on; people disable ends those too.",
  examples: ["people end-sessions 3fT9kQm2XyZ1"],
  operands: [PERSON],
  call: "DELETE /api/people/{id}/sessions",
  print: ({ id, name }) => `Ended the sessions of ${id} (${name}).\n`,
});

export const listTokens = listCommand<AccessToken>({
  summary: "Lists a person's access tokens, newest first.",
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

/** One that was not revoked has ended with its date, or because its person was disabled. */
function stateOfToken(token: AccessToken): string {
  if (token.active) return "active";
  return token.revoked_at === null ? "ended" : "revoked";
}

export const revokeToken = platformCommand<AccessToken>({
  summary: "Revokes a person's access token for good, from the next request on.",
  details: "Their other tokens and their sessions go on; people disable ends them all.",
  examples: ["people revoke-token 3fT9kQm2XyZ1 7gR2bVn5QwE8"],
  operands: [PERSON, { name: "TOKEN", meaning: "the token's id, as people tokens shows it" }],
  call: "DELETE /api/people/{id}/access-tokens/{tokenId}",
  print: ({ id, name }) => `Revoked ${id} (${name}).\n`,
});

export const disablePerson = platformCommand<Person>({
  summary: "Keeps a person out: their sessions, access tokens and link end at once.",
  details: "The keys that they have made go on: they belong to the account.",
  examples: ["people disable 3fT9kQm2XyZ1"],
  operands: [PERSON],
  sets: { disabled: true },
  call: "PATCH /api/people/{id}",
  print: ({ id, name }) => `Disabled ${id} (${name}).\n`,
});

export const enablePerson = platformCommand<Person>({
  summary: "Lets a person in again, who was disabled. They have to sign in anew.",
  examples: ["people enable 3fT9kQm2XyZ1"],
  operands: [PERSON],
  sets: { disabled: false },
  call: "PATCH /api/people/{id}",
  print: ({ id, name }) => `Enabled ${id} (${name}).\n`,
});
