import type { CloudVariables } from "../../models/identities/cloud-variables.ts";
import type { Identity } from "../../models/identities/identity.ts";
import type { Authorizer } from "../authorizer.ts";
import { AwsAuthorizer } from "./aws/aws-authorizer.ts";

/** The authorizer of an identity. Nothing is obtained before its first request. */
export function openAuthorizer(identity: Identity, variables: CloudVariables): Authorizer {
  if (identity.kind === "aws") return new AwsAuthorizer(identity, variables);
  throw new Error(`no authorizer for ${identity.kind}`);
}
