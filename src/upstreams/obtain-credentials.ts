import type { Authorizer } from "./authorizer.ts";
import { messageOf } from "../lib/text/message-of.ts";

/**
 * Obtains the credentials of an identity, without a call of the upstream. Returns the failure as text; undefined if there are valid
 * credentials.
 */
export async function obtainCredentials(authorizer: Authorizer): Promise<string | undefined> {
  try {
    await authorizer.check();
    return undefined;
  } catch (error) {
    return authorizer.state.failure ?? messageOf(error);
  }
}
