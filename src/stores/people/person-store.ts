import type { Make, Recorded, Update } from "../../access/change.ts";
import type { Identity, Person } from "../../access/person.ts";

/**
 * The people who may sign in. Nobody who has signed in is ever deleted, so that the audit log can always name them. The `find` methods are
 * served from memory.
 */
export interface PersonStore {
  find(id: string): Person | undefined;
  /** `email` in lower case. */
  findByEmail(email: string): Person | undefined;
  /** By the issuer and subject of single sign-on. */
  findByIdentity(identity: Identity): Person | undefined;
  /** By the hash of their invitation link, expired or not. */
  findByInvitation(hash: string): Person | undefined;
  /**
   * Changes a person, or adds the one that `make` returns for an unknown id. In force and durable, with the change in the audit log, when
   * this resolves. `make` may be called more than once, and may ask for `count` and `countOperators`. Throws `already_exists` for the email
   * address of somebody else, and `StorageUnavailable` while the database cannot be written: then access that was removed is removed in this
   * process all the same, and everything else is as before.
   */
  update<Made extends Update<Person> | undefined>(id: string, make: Make<Person, Made>): Promise<Made>;
  /** Deletes a person, where `make` returns the change for the audit log. Where this throws, the person is as before. */
  remove<Made extends Recorded | undefined>(id: string, make: Make<Person, Made>): Promise<Made>;
  /** Everybody, in no order, also people whom other processes have just added. */
  list(): Promise<readonly Person[]>;
  count(): number;
  /** The number of operators who are not disabled. */
  countOperators(): number;
}
