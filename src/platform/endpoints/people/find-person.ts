import type { Person } from "../../../access/person.ts";
import type { Platform } from "../../platform.ts";
import { unknownId } from "../fields/unknown-id.ts";

/** A person, for operators: members see only themselves. */
export function findPerson(id: string, platform: Platform): Person {
  const person = platform.people.find(id);
  if (person) return person;
  throw unknownId("unknown_person", "person", id);
}
