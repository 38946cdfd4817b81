import type { AwsRole } from "../../../models/identities/identity.ts";
import { toByteText } from "../../../lib/text/byte-text.ts";
import { truncate } from "../../../lib/text/truncate.ts";
import { callCloud, type CloudReply } from "../call-cloud.ts";
import { IdentityFailure, type AwsKeys, type IdentityFailureReason } from "../credential-source.ts";
import { chosenEndpoint } from "./aws-endpoint.ts";
import type { AwsLookup } from "./aws-lookup.ts";
import { readKeys } from "./read-keys.ts";
import { signRequest } from "./sign.ts";

/** A role to assume, with the lifetime that a profile may ask for. */
export interface AssumedRole extends AwsRole {
  readonly durationSeconds?: string | undefined;
}

/** Names the gateway in the logs of CloudTrail. */
const SESSION_NAME = "tollgate";
const MAX_MESSAGE_CHARS = 500;

/** Assumes a role with the keys that were found. */
export async function assumeRole(role: AssumedRole, keys: AwsKeys, lookup: AwsLookup): Promise<AwsKeys> {
  const form = formOf("AssumeRole", role, role.externalId && { ExternalId: role.externalId.reveal() });
  const first = await post(form, keys, lookup);
  const wasClockWrong = first.status !== 200 && lookup.clock.correct(first.serverMs);
  const reply = wasClockWrong ? await post(form, keys, lookup) : first;
  const redact = (text: string): string =>
    [keys.sessionToken, role.externalId].reduce((rest, secret) => secret?.redactFrom(rest) ?? rest, text);
  if (reply.status !== 200) throw failureIn(reply, "sts:AssumeRole", role.arn, redact);
  return keysIn(reply, lookup);
}

/** Assumes a role with a web identity: a JWT, which authorizes the request. */
export async function assumeRoleWithWebIdentity(role: AssumedRole, webIdentity: string, lookup: AwsLookup): Promise<AwsKeys> {
  const reply = await post(formOf("AssumeRoleWithWebIdentity", role, { WebIdentityToken: webIdentity }), undefined, lookup);
  const redact = (text: string): string => text.replaceAll(webIdentity, "[secret]");
  if (reply.status !== 200) throw failureIn(reply, "sts:AssumeRoleWithWebIdentity", role.arn, redact);
  return keysIn(reply, lookup);
}

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
function formOf(action: string, role: AssumedRole, more: Readonly<Record<string, string>> | undefined): string {
  const { arn, sessionName = SESSION_NAME, durationSeconds } = role;
  const parameters = { Action: action, Version: "2011-06-15", RoleArn: arn, RoleSessionName: sessionName, ...more };
  return new URLSearchParams({ ...parameters, ...(durationSeconds && { DurationSeconds: durationSeconds }) }).toString();
}

function post(form: string, keys: AwsKeys | undefined, lookup: AwsLookup): Promise<CloudReply> {
  const { url: baseUrl, at } = chosenEndpoint("sts", lookup.region, "AWS_ENDPOINT_URL_STS", lookup);
  const url = new URL(baseUrl);
  const headers = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
  const request = { method: "POST", host: url.host, target: url.pathname, headers, body: [toByteText(form)] } as const;
  const scope = { region: lookup.region, service: "sts", atMs: lookup.clock.nowMs() };
  const authorized = keys ? signRequest(request, keys, scope) : headers;
  return callCloud({ url: url.href, headers: authorized, body: form, at }, lookup.signal);
}

function keysIn(reply: CloudReply, { clock }: AwsLookup): AwsKeys {
  const credentials = element(reply.text, "Credentials") ?? "";
  const [accessKeyId, secretAccessKey, sessionToken, expiration] = ["AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"].map(
    (name) => element(credentials, name),
  );
  return readKeys({ accessKeyId, secretAccessKey, sessionToken, expiration }, reply, clock, "STS");
}

/** The text of an element. In the replies that are read, elements have no attributes and no references. */
function element(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^]*?)</${name}>`).exec(xml)?.[1]?.trim();
}

function failureIn(reply: CloudReply, action: string, arn: string, redact: (text: string) => string): IdentityFailure {
  const code = element(reply.text, "Code") ?? `status ${reply.status}`;
  const message = truncate(redact(element(reply.text, "Message") ?? ""), MAX_MESSAGE_CHARS);
  const [reason, advice] = explain(code, message, action, arn);
  return new IdentityFailure(reason, `${advice}. STS answered ${code}${message && `: ${message}`}`);
}

function explain(code: string, message: string, action: string, arn: string): [reason: IdentityFailureReason, advice: string] {
  if (code.startsWith("AccessDenied"))
    return [
      "permission",
      `${action} on ${arn} is not permitted: allow it in the caller's policy and in the trust policy of the role, and check the external ID if that requires one`,
    ];
  if (code.startsWith("ExpiredToken")) return ["expired", `the credentials that assume ${arn} have expired`];
  // A wrong clock would have been corrected by the server's date before, so the server sent no date, or refuses for another reason.
  const isAboutTime =
    code === "RequestExpired" || (code === "SignatureDoesNotMatch" && /Signature (expired|not yet current)/.test(message));
  if (isAboutTime) return ["clock_skew", "the clock of this machine differs from AWS's clock: synchronize it"];
  return ["rejected", `${arn} cannot be assumed`];
}
