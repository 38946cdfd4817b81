import type { CloudVariables } from "../../models/identities/cloud-variables.ts";
import type { Identity } from "../../models/identities/identity.ts";
import type { Authorizer } from "../authorizer.ts";

/** The authorizer of an identity. Nothing is obtained before its first request. */
export function openAuthorizer(identity: Identity, _variables: CloudVariables): Authorizer {
  throw new Error(`no authorizer for ${identity.kind}`);
}
