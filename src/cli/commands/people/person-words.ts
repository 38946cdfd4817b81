import { formatFacts } from "../../facts.ts";
import type { PersonView } from "../../views.ts";
import { inTime } from "../../words.ts";

export function describePerson(person: PersonView): string {
  return formatFacts([
    ["Person", `${person.id} (${person.name})`],
    ["Email", person.email],
    ["Role", person.account === null ? person.role : `${person.role} of account ${person.account}`],
    ["State", stateOfPerson(person)],
    ["Signs in with", waysIn(person)],
    ["Made", `${inTime(person.created_at)} UTC`],
  ]);
}

export function stateOfPerson(person: PersonView): string {
  if (person.disabled_at !== null) return "disabled";
  return person.has_password || person.has_identity ? "active" : "invited";
}

function waysIn(person: PersonView): string {
  const ways = [
    ...(person.has_password ? ["a password"] : []),
    ...(person.has_identity ? ["the OpenID provider"] : []),
    ...(person.invited_until === null ? [] : [`the link that was made for them, until ${inTime(person.invited_until)} UTC`]),
  ];
  return ways.join(", or ") || "nothing: make a link with people invitation";
}
