import { GatewayError } from "../../../vocabulary/gateway-error.ts";
import type { Person } from "../../../vocabulary/person.ts";
import type { Platform } from "../../platform.ts";

/** A person, for an operator: members see nobody but themselves. */
export function findPerson(id: string, platform: Platform): Person {
  const person = platform.people.find(id);
  if (person) return person;
  throw new GatewayError("unknown_person", "There is no person with this id.");
}
