import type { Actor } from "../../../access/access.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Role } from "../../../access/person.ts";
import type { Platform } from "../../platform.ts";
import { requireAccount } from "../accounts/find-account.ts";

/** The account for a role: required for members, none for operators. */
export function accountFor(role: Role, account: string | null | undefined, actor: Actor, platform: Platform): string | null {
  if (role === "member") {
    if (account != null) return requireAccount(account, actor, platform).id;
    throw new ApiError("missing_required_parameter", "account is required for a member.", { param: "account" });
  }
  if (account == null) return null;
  throw new ApiError("invalid_value", "account must be omitted for an operator.", { param: "account" });
}
