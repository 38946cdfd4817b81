import { lastingKeys, variable, type AwsLookup, type ObtainedKeys } from "./aws-lookup.ts";

/** The keys in the environment. */
export function fromEnvironment(lookup: AwsLookup): Promise<ObtainedKeys | undefined> {
  const id = variable(lookup, "AWS_ACCESS_KEY_ID");
  const secret = variable(lookup, "AWS_SECRET_ACCESS_KEY");
  if (id === undefined || secret === undefined) return Promise.resolve(undefined);
  const credentials = lastingKeys(id, secret, variable(lookup, "AWS_SESSION_TOKEN"));
  return Promise.resolve({ credentials, source: "AWS_ACCESS_KEY_ID" });
}
