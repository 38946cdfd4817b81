import { createPrivateKey, sign, type KeyObject } from "node:crypto";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { GOOGLE_TOKEN_URL } from "../../../models/identities/google-token-url.ts";
import type { CloudVariables } from "../../../models/identities/cloud-variables.ts";
import { callCloud, type CloudReply } from "../call-cloud.ts";
import { CloudClock } from "../cloud-clock.ts";
import { IdentityFailure, type AccessToken } from "../credential-source.ts";
import { endpointOf, SCOPE } from "./google-endpoints.ts";
import type { ServiceAccountKey } from "./google-file.ts";
import { readTokenReply } from "./token-reply.ts";

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const FROM = "Google's token endpoint";
const LIFETIME_SECONDS = 3_600;

/** Exchanges assertions that a service account has signed for access tokens (RFC 7523). */
export class JwtGrant {
  readonly #variables: CloudVariables;
  readonly #clock: CloudClock;

  constructor(variables: CloudVariables, nowMs: () => number) {
    this.#variables = variables;
    this.#clock = new CloudClock({ nowMs });
  }

  get clockSkewMs(): number {
    return this.#clock.skewMs;
  }

  /** An assertion that was rejected by another clock is signed again with its time. */
  async obtain(key: ServiceAccountKey, signal: CancelSignal): Promise<AccessToken> {
    const privateKey = readKey(key);
    let reply = await this.#request(key.email, privateKey, signal);
    if (reply.status !== 200 && this.#clock.correct(reply.serverMs)) reply = await this.#request(key.email, privateKey, signal);
    return readTokenReply(reply, FROM, this.#clock.localMs());
  }

  #request(email: string, privateKey: KeyObject, signal: CancelSignal): Promise<CloudReply> {
    const assertion = signedAssertion(email, privateKey, this.#clock.nowMs());
    const body = new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
    return callCloud({ ...endpointOf(GOOGLE_TOKEN_URL, "token", this.#variables), headers, body }, signal);
  }
}

function signedAssertion(email: string, privateKey: KeyObject, atMs: number): string {
  const iat = Math.floor(atMs / 1000);
  const claims = { iss: email, scope: SCOPE, aud: GOOGLE_TOKEN_URL, iat, exp: iat + LIFETIME_SECONDS };
  const input = `${encode({ alg: "RS256" })}.${encode(claims)}`;
  return `${input}.${sign("sha256", Buffer.from(input), privateKey).toString("base64url")}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

function readKey({ privateKey, email }: ServiceAccountKey): KeyObject {
  const key = parseKey(privateKey.reveal());
  if (key?.asymmetricKeyType !== "rsa") {
    throw new IdentityFailure("missing", `the private_key of ${email} is not an RSA key as PEM: copy the whole file`);
  }
  return key;
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
