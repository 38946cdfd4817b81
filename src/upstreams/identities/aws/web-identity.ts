import { IdentityFailure } from "../credential-source.ts";
import { variable, type AwsLookup, type ObtainedKeys } from "./aws-lookup.ts";
import { readNamedFile } from "../read-text-file.ts";
import { assumeRoleWithWebIdentity, type AssumedRole } from "./sts.ts";

/** The role of a pod in EKS, and of other workloads that prove their identity with an OpenID Connect JWT. */
export async function fromWebIdentity(lookup: AwsLookup): Promise<ObtainedKeys | undefined> {
  const path = variable(lookup, "AWS_WEB_IDENTITY_TOKEN_FILE");
  const arn = variable(lookup, "AWS_ROLE_ARN");
  if (path === undefined || arn === undefined) return undefined;
  const role = { arn, externalId: undefined, sessionName: variable(lookup, "AWS_ROLE_SESSION_NAME") };
  return withFile(path, role, "AWS_WEB_IDENTITY_TOKEN_FILE", lookup);
}

/** The file is read each time: the platform replaces it before it expires. */
export async function withFile(path: string, role: AssumedRole, setting: string, lookup: AwsLookup): Promise<ObtainedKeys> {
  const webIdentity = (await readNamedFile(path, setting)).trim();
  if (webIdentity === "") throw new IdentityFailure("missing", `${path} is empty: ${setting} names it`);
  const credentials = await assumeRoleWithWebIdentity(role, webIdentity, lookup).catch((error: unknown) => {
    if (!(error instanceof IdentityFailure) || error.reason !== "expired") throw error;
    throw new IdentityFailure("expired", `the web identity in ${path} (${setting}) has expired: check that the file is replaced in time`);
  });
  return { credentials, source: `the role ${role.arn} by the web identity in ${path}` };
}
