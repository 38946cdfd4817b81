import type { CloudVariables } from "../../models/identities/cloud-variables.ts";
import type { Identity } from "../../models/identities/identity.ts";
import type { Authorizer } from "../authorizer.ts";
import { AwsAuthorizer } from "./aws/aws-authorizer.ts";
import { AzureSource } from "./azure/azure-source.ts";
import { BearerAuthorizer } from "./bearer-authorizer.ts";
import { GoogleSource } from "./google/google-source.ts";

/** The authorizer of an identity. Nothing is obtained before its first request. */
export function openAuthorizer(identity: Identity, variables: CloudVariables): Authorizer {
  switch (identity.kind) {
    case "aws":
      return new AwsAuthorizer(identity, variables);
    case "google":
      return new BearerAuthorizer(new GoogleSource(identity, variables));
    case "azure":
      return new BearerAuthorizer(new AzureSource(identity, variables));
  }
}
