import type { Person } from "../../../access/person.ts";
import type { Platform } from "../../platform.ts";
import { unknownId } from "../fields/unknown-id.ts";

/** A person, for operators: members see only themselves. */
export function findPerson(id: string, platform: Platform): Person {
  return existingPerson(platform.people.find(id), id);
}

/** The same for the result of a search by id. */
export function existingPerson(person: Person | undefined, id: string): Person {
  if (person) return person;
  throw unknownId("unknown_person", "person", id);
}
