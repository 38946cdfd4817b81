import type { AwsIdentity } from "../../../models/identities/identity.ts";
import type { CloudVariables } from "../../../models/identities/cloud-variables.ts";
import type { Authorization, Authorizer, IdentityState, OutgoingRequest } from "../../authorizer.ts";
import type { HeadersRead } from "../../egress/headers-read.ts";
import type { AwsKeys } from "../credential-source.ts";
import { RefreshedCredentials, type Clock } from "../refreshed-credentials.ts";
import { CloudClock } from "../cloud-clock.ts";
import { AwsCredentials } from "./aws-credentials.ts";
import { signRequest } from "./sign.ts";

/** The exceptions for keys that were revoked, or that expired earlier than announced. */
const REJECTED_KEYS = /ExpiredToken|UnrecognizedClient|InvalidClientTokenId/;

/** Signs requests to Bedrock with the keys of an identity. */
export class AwsAuthorizer implements Authorizer {
  readonly #region: string;
  readonly #clock: CloudClock;
  readonly #keys: RefreshedCredentials<AwsKeys>;

  constructor(identity: AwsIdentity, variables: CloudVariables, clock?: Clock) {
    this.#region = identity.region;
    this.#clock = new CloudClock(clock);
    this.#keys = new RefreshedCredentials(new AwsCredentials(identity, variables, this.#clock), clock);
  }

  authorize(request: OutgoingRequest): Authorization | Promise<Authorization> {
    const keys = this.#keys.current();
    return keys instanceof Promise ? keys.then((obtained) => this.#sign(request, obtained)) : this.#sign(request, keys);
  }

  check(): Promise<void> {
    return this.#keys.check();
  }

  get state(): IdentityState {
    return { ...this.#keys.state, clockSkewMs: this.#clock.skewMs };
  }

  #sign(request: OutgoingRequest, keys: AwsKeys): Authorization {
    return {
      headers: signRequest(request, keys, { region: this.#region, service: "bedrock", atMs: this.#clock.nowMs() }),
      isWorthRetrying: (status, headers) => this.#isWorthRetrying(status, headers, keys),
      redactFrom: (text) => keys.secretAccessKey.redactFrom(keys.sessionToken?.redactFrom(text) ?? text),
    };
  }

  #isWorthRetrying(status: number, headers: HeadersRead, keys: AwsKeys): boolean | Promise<boolean> {
    if (status !== 401 && status !== 403) return false;
    const date = Date.parse(headers.get("date") ?? "");
    if (!Number.isNaN(date) && this.#clock.correct(date)) return true;
    return REJECTED_KEYS.test(headers.get("x-amzn-errortype") ?? "") && this.#keys.replace(keys);
  }
}
