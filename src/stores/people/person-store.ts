import type { Change } from "../../access/change.ts";
import type { Identity, Person, Role } from "../../access/person.ts";

/** What to look for among people. */
export interface PersonFilter {
  /** Part of a name or of an email address. */
  readonly search?: string | undefined;
  readonly role?: Role | undefined;
  readonly accountId?: string | undefined;
}

/** The place of a person in the order of pages. */
export type PersonPosition = Pick<Person, "createdAtMs" | "id">;

/** Keeps who may sign in. Nobody is ever removed, so that the past keeps its names. All that finds one person answers from memory. */
export interface PersonStore {
  find(id: string): Person | undefined;
  /** `email` in lower case. */
  findByEmail(email: string): Person | undefined;
  findByIdentity(identity: Identity): Person | undefined;
  /** By the hash of the link they were invited with, out of date or not. */
  findByInvitation(hash: string): Person | undefined;
  /**
   * Adds a person, or changes the one with this id. In force at once, durable when this resolves. It is to be made from what a
   * `find` gives in the same turn, so that nothing that happens meanwhile is undone. Refuses an email that is another's.
   * Where writing it fails, what takes access away stays in force, and the rest is put back.
   */
  put(person: Person, change: Change): Promise<void>;
  /** People that match, newest first, from after a place on. */
  page(filter: PersonFilter, after: PersonPosition | undefined, limit: number): Promise<readonly Person[]>;
  count(): number;
  /** How many operators there are who are not disabled. */
  countOperators(): number;
}
