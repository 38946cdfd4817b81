import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { CloudVariables } from "../../../models/identities/cloud-variables.ts";
import type { Secret } from "../../../lib/secret/secret.ts";
import type { CloudClock } from "../cloud-clock.ts";
import { callCloud, toLocalMs, type CloudReply } from "../call-cloud.ts";
import { IdentityFailure, type AccessToken, toToken } from "../credential-source.ts";
import { awsSubjectToken } from "./aws-subject.ts";
import { endpointOf, SCOPE } from "./google-endpoints.ts";
import type { Federation } from "./google-file.ts";
import { obtainSubjectToken } from "./subject-token.ts";
import { objectIn, readTokenReply, refusalIn } from "./token-reply.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const STS = "Google's Security Token Service";
const IAM = "Google's IAM credentials service";

/** Exchanges the proof of another identity provider for an access token (RFC 8693), and that for one of a service account. */
export async function federate(
  federation: Federation,
  variables: CloudVariables,
  nowMs: () => number,
  awsClock: CloudClock,
  signal: CancelSignal,
): Promise<AccessToken> {
  const isAtAws = federation.source["environment_id"] !== undefined;
  const prove = (): Promise<Secret> =>
    isAtAws ? awsSubjectToken(federation, variables, awsClock, signal) : obtainSubjectToken(federation.source, signal);
  let subjectToken = await prove();
  let reply = await exchange(federation, subjectToken, variables, signal);
  // A proof that was rejected by another clock is signed again with its time.
  if (isAtAws && reply.status !== 200 && awsClock.correct(reply.serverMs)) {
    reply = await exchange(federation, (subjectToken = await prove()), variables, signal);
  }
  if (reply.status !== 200) throw refusalIn(reply, STS, subjectToken);
  const exchanged = readTokenReply(reply, STS, nowMs());
  const { impersonationUrl } = federation;
  return impersonationUrl === undefined ? exchanged : impersonate(impersonationUrl, federation, exchanged, variables, nowMs, signal);
}

function exchange(federation: Federation, subjectToken: Secret, variables: CloudVariables, signal: CancelSignal): Promise<CloudReply> {
  const { audience, subjectTokenType, tokenUrl, workforceProject, client } = federation;
  const fields = {
    grant_type: GRANT_TYPE,
    audience,
    scope: SCOPE,
    requested_token_type: ACCESS_TOKEN,
    subject_token: subjectToken.reveal(),
    subject_token_type: subjectTokenType,
    ...(workforceProject !== undefined && !client && { options: JSON.stringify({ userProject: workforceProject }) }),
  };
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
    ...(client && { authorization: `Basic ${Buffer.from(`${client.id}:${client.secret.reveal()}`).toString("base64")}` }),
  };
  const body = new URLSearchParams(fields).toString();
  return callCloud({ ...endpointOf(tokenUrl, "sts", variables), headers, body }, signal);
}

async function impersonate(
  url: string,
  { impersonationSeconds }: Federation,
  { token }: AccessToken,
  variables: CloudVariables,
  nowMs: () => number,
  signal: CancelSignal,
): Promise<AccessToken> {
  const headers = { accept: "application/json", authorization: `Bearer ${token.reveal()}` };
  const body = JSON.stringify({ scope: [SCOPE], lifetime: `${impersonationSeconds}s` });
  const reply = await callCloud({ ...endpointOf(url, "iamcredentials", variables), headers, body }, signal);
  if (reply.status !== 200) throw refusalIn(reply, IAM, token);
  const { accessToken, expireTime } = objectIn(reply, IAM);
  const expiresMs = typeof expireTime === "string" ? Date.parse(expireTime) : Number.NaN;
  if (Number.isNaN(expiresMs)) throw new IdentityFailure("rejected", `${IAM} returned no expireTime`);
  return { token: toToken(accessToken, IAM), expiresAtMs: toLocalMs(expiresMs, reply, nowMs()) };
}
