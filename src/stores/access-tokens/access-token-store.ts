import type { AccessToken } from "../../access/access-token.ts";
import type { Change } from "../../access/change.ts";

/** Keeps what is known of personal access tokens. None is ever removed, so that the past keeps its names. */
export interface AccessTokenStore {
  /** By its public id, whatever its state. On the path of requests: it answers from memory. */
  find(id: string): AccessToken | undefined;
  /** Adds a token. It is durable, and can be used, when this resolves. */
  add(token: AccessToken, change: Change): Promise<void>;
  /** Revokes a token for good: the record has the moment. In force at once, even where writing it then fails. */
  revoke(token: AccessToken, change: Change): Promise<void>;
  /** It was used. Takes notice once a minute, and writes that later, together with others. */
  touch(token: AccessToken, nowMs: number): void;
  /** A person's tokens, newest first. */
  listOf(personId: string): readonly AccessToken[];
  /** Writes what is still to be written. */
  close(): Promise<void>;
}
