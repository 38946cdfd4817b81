import { callCloud, type CloudReply } from "../call-cloud.ts";
import { IdentityFailure } from "../credential-source.ts";
import { requireUrl } from "./aws-endpoint.ts";
import { variable, type AwsLookup, type MachineLookup, type ObtainedKeys } from "./aws-lookup.ts";
import { readKeys } from "./read-keys.ts";
import { tryParseObject } from "../../../lib/json/try-parse.ts";

const ENDPOINTS = { IPv4: "http://169.254.169.254", IPv6: "http://[fd00:ec2::254]" };
const PATH = "/latest/meta-data/iam/security-credentials/";
const SESSION_SECONDS = "21600";

/** Whether `AWS_EC2_METADATA_DISABLED` turns the metadata service off. */
export function isMetadataDisabled(lookup: MachineLookup): boolean {
  return (variable(lookup, "AWS_EC2_METADATA_DISABLED") ?? "false").toLowerCase() !== "false";
}

/**
 * The role of an EC2 instance, by version 2 of its metadata service. Version 1, which any SSRF could use, is not supported:
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html
 */
export async function fromInstanceMetadata(lookup: AwsLookup): Promise<ObtainedKeys> {
  const endpoint = endpointOf(lookup);
  const session = await startSession(endpoint, lookup);
  const get = (path: string): Promise<CloudReply> =>
    callCloud({ url: endpoint + path, headers: { "x-aws-ec2-metadata-token": session }, at: "metadata" }, lookup.signal);

  const list = await get(PATH);
  const role = list.text.trim().split("\n", 1)[0]!.trim();
  if (list.status === 404 || (list.status === 200 && role === "")) {
    throw new IdentityFailure("missing", "this EC2 instance has no role: attach an instance profile to it");
  }
  if (list.status !== 200) throw refused("the roles", list);

  const reply = await get(PATH + encodeURIComponent(role));
  const { Code, AccessKeyId, SecretAccessKey, Token, Expiration } = tryParseObject(reply.text) ?? {};
  if (reply.status !== 200 || (Code !== undefined && Code !== "Success")) throw refused(`the credentials of the role ${role}`, reply);
  const keys = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token, expiration: Expiration };
  return { credentials: readKeys(keys, reply, lookup.clock, "the EC2 metadata service"), source: `the role ${role} of this EC2 instance` };
}

/** The region of an EC2 instance; empty if the metadata service does not return it. */
export async function regionOfInstance(lookup: MachineLookup): Promise<string> {
  if (isMetadataDisabled(lookup)) return "";
  const endpoint = endpointOf(lookup);
  const headers = { "x-aws-ec2-metadata-token": await startSession(endpoint, lookup) };
  const reply = await callCloud({ url: `${endpoint}/latest/meta-data/placement/region`, headers, at: "metadata" }, lookup.signal);
  return reply.status === 200 ? reply.text.trim() : "";
}

async function startSession(endpoint: string, { signal }: MachineLookup): Promise<string> {
  const headers = { "x-aws-ec2-metadata-token-ttl-seconds": SESSION_SECONDS };
  const reply = await callCloud({ url: `${endpoint}/latest/api/token`, method: "PUT", headers, at: "metadata" }, signal);
  const session = reply.text.trim();
  if (reply.status !== 200 || !/^[\x21-\x7e]+$/.test(session)) throw refused("a session (IMDSv2)", reply);
  return session;
}

function endpointOf(lookup: MachineLookup): string {
  const mode = variable(lookup, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE")?.toLowerCase() === "ipv6" ? "IPv6" : "IPv4";
  const chosen = variable(lookup, "AWS_EC2_METADATA_SERVICE_ENDPOINT");
  const url = chosen === undefined ? ENDPOINTS[mode] : requireUrl(chosen, "AWS_EC2_METADATA_SERVICE_ENDPOINT");
  return url.replace(/\/+$/, "");
}

function refused(what: string, { status }: CloudReply): IdentityFailure {
  return new IdentityFailure("rejected", `the EC2 metadata service refused ${what} with status ${status}`);
}
