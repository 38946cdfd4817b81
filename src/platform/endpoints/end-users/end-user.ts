import type { Actor } from "../../../access/access.ts";
import type { Change } from "../../../access/change.ts";
import { hashedIdentity, storedIdentities, storedName } from "../../../access/stored-identity.ts";
import type { Infer } from "../../../lib/schema/infer.ts";
import type { Schema } from "../../../lib/schema/schema.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Call } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { findAccount } from "../accounts/find-account.ts";

/** In the body, because addresses of requests are logged. */
export function endUserSchema(title: string) {
  return {
    title,
    type: "object",
    additionalProperties: false,
    required: ["user"],
    properties: {
      user: { type: "string", minLength: 1, maxLength: 1000, description: "The end user, as the client names it or as it is stored." },
    },
  } as const satisfies Schema;
}

/** An end user of an account: the names under which it may be stored, and a hash of it for the audit log. */
export interface EndUser {
  readonly accountId: string;
  readonly names: readonly string[];
  readonly hash: string;
}

/** Throws a 400 for a name of reports, which is nobody's. */
export function readEndUser(
  { user }: Infer<ReturnType<typeof endUserSchema>>,
  accountId: string,
  actor: Actor,
  platform: Platform,
): EndUser {
  const { id } = findAccount(accountId, actor, platform);
  const names = storedIdentities(user, "user", id, platform.hashSecret);
  if (names.length === 1) {
    const message = `user cannot be "${user}": reports use this name. An end user whom clients name so is "${storedName(user, "user")}".`;
    throw new ApiError("invalid_value", message, { param: "user" });
  }
  return { accountId: id, names, hash: hashedIdentity(user, "user", id, platform.hashSecret) };
}

/** The record of an export or an erasure, with a hash in the place of the end user. */
export function changeOf(action: string, { accountId, hash }: EndUser, counts: object | null, { change }: Pick<Call, "change">): Change {
  const after = { user_hash: hash, ...counts };
  return change(action, { kind: "account", id: accountId }, { before: null, after, accountId });
}
