import type { MakeChange, AuditedChange, Update } from "../../access/change.ts";
import type { Identity, Person } from "../../access/person.ts";

/**
 * The people who may sign in. A person who has signed in is never deleted, so that the audit log can always name them. The `find` methods
 * are served from memory.
 */
export interface PersonStore {
  find(id: string): Person | undefined;
  /** `email` must be in lower case. */
  findByEmail(email: string): Person | undefined;
  /** Finds a person by the issuer and subject of single sign-on. */
  findByIdentity(identity: Identity): Person | undefined;
  /** Finds a person by the hash of their invitation link, expired or not. */
  findByInvitation(hash: string): Person | undefined;
  /**
   * Changes a person, or adds the person that `make` returns for an unknown id. When this resolves, the change is in force and durable,
   * with its entry in the audit log. `make` may be called more than once, and may ask for `count` and `countOperators`. Throws
   * `already_exists` for the email address of another person. Throws `StorageUnavailable` while the database cannot be written: then access
   * that was removed is still removed in this process, and everything else is unchanged.
   */
  update<Made extends Update<Person> | undefined>(id: string, make: MakeChange<Person, Made>): Promise<Made>;
  /** Deletes a person if `make` returns the change for the audit log. If this throws, the person is unchanged. */
  remove<Made extends AuditedChange | undefined>(id: string, make: MakeChange<Person, Made>): Promise<Made>;
  /** All people, in no particular order, including people whom other processes have just added. */
  list(): Promise<readonly Person[]>;
  count(): number;
  /** The number of operators who are not disabled. */
  countOperators(): number;
}
