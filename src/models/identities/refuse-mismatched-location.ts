import type { Fail } from "../../lib/schema/schema.ts";
import type { AwsIdentity, AzureCloud, AzureIdentity, GoogleIdentity, Identity } from "./identity.ts";

/**
 * Rejects a base URL whose region, project, location or cloud differs from the identity's. Signatures and access tokens are valid for only
 * one of them, so the server would reject every call. The operator's own host names do not contain any of these.
 */
export function refuseMismatchedLocation(identity: Identity, baseUrl: string, fail: Fail): void {
  const { hostname, pathname } = new URL(baseUrl);
  switch (identity.kind) {
    case "aws":
      return refuseRegion(identity, hostname, fail);
    case "google":
      return refuseProject(identity, pathname, fail);
    case "azure":
      return refuseCloud(identity, hostname, fail);
  }
}

/** Also matches names of VPC endpoints: `vpce-….bedrock-runtime.us-east-1.vpce.amazonaws.com`. */
const AWS_REGION = /(?:^|\.)bedrock[a-z-]*\.([a-z]{2,4}(?:-[a-z]+)+-\d+)\./;

/** The region in the host name of a Bedrock endpoint. */
export function bedrockRegionIn(hostname: string): string | undefined {
  return AWS_REGION.exec(hostname)?.[1];
}

function refuseRegion({ region }: AwsIdentity, hostname: string, fail: Fail): void {
  const other = bedrockRegionIn(hostname) ?? region;
  if (other !== region) fail(["base_url"], `is in the region ${other}, and aws.region is ${region}: make them the same, or omit base_url`);
}

function refuseProject({ project, location }: GoogleIdentity, pathname: string, fail: Fail): void {
  const [, otherProject = project, otherLocation = location] = /\/projects\/([^/]+)\/locations\/([^/]+)/.exec(pathname) ?? [];
  const advice = "make them the same, or omit base_url with a preset";
  // A URL may have the number of a project instead of its ID.
  if (project !== undefined && otherProject !== project && !/^\d+$/.test(otherProject!))
    fail(["base_url"], `has the project ${otherProject}, and google.project is ${project}: ${advice}`);
  if (location !== undefined && otherLocation !== location)
    fail(["base_url"], `has the location ${otherLocation}, and google.location is ${location}: ${advice}`);
}

const AZURE_CLOUD_OF: Readonly<Record<string, AzureCloud>> = { com: "public", us: "usgovernment", cn: "china" };

function refuseCloud({ cloud }: AzureIdentity, hostname: string, fail: Fail): void {
  const other = AZURE_CLOUD_OF[/\.azure\.(com|us|cn)\.?$/.exec(hostname)?.[1] ?? ""] ?? cloud;
  if (other !== cloud) fail(["base_url"], `is a host of the cloud ${other}, and azure.cloud is ${cloud}: make them the same`);
}
