import type { AwsIdentity } from "../../../models/identities/identity.ts";
import type { CloudVariables } from "../../../models/identities/cloud-variables.ts";
import type { Authorizer, IdentityState, OutgoingRequest } from "../../authorizer.ts";
import type { HeadersRead } from "../../egress/headers-read.ts";
import type { AwsKeys } from "../credential-source.ts";
import { RefreshedCredentials, type Clock } from "../refreshed-credentials.ts";
import { AwsClock } from "./aws-clock.ts";
import { AwsCredentials } from "./aws-credentials.ts";
import { signRequest } from "./sign.ts";

type Headers = Readonly<Record<string, string>>;

/** The exceptions about keys that were revoked, or expired earlier than announced. */
const REJECTED_KEYS = /ExpiredToken|UnrecognizedClient|InvalidClientTokenId/;

/** Signs requests to Bedrock with the keys of an identity. */
export class AwsAuthorizer implements Authorizer {
  readonly #region: string;
  readonly #clock: AwsClock;
  readonly #keys: RefreshedCredentials<AwsKeys>;
  #last: AwsKeys | undefined;

  constructor(identity: AwsIdentity, variables: CloudVariables, clock?: Clock) {
    this.#region = identity.region;
    this.#clock = new AwsClock(clock);
    this.#keys = new RefreshedCredentials(new AwsCredentials(identity, variables, this.#clock), clock);
  }

  authorize(request: OutgoingRequest): Headers | Promise<Headers> {
    const keys = this.#keys.current();
    return keys instanceof Promise ? keys.then((obtained) => this.#sign(request, obtained)) : this.#sign(request, keys);
  }

  isWorthRetrying(status: number, headers: HeadersRead): boolean | Promise<boolean> {
    if (status !== 401 && status !== 403) return false;
    const date = Date.parse(headers.get("date") ?? "");
    if (!Number.isNaN(date) && this.#clock.correct(date)) return true;
    return this.#last !== undefined && REJECTED_KEYS.test(headers.get("x-amzn-errortype") ?? "") && this.#keys.replace(this.#last);
  }

  redactFrom(text: string): string {
    if (!this.#last) return text;
    const { secretAccessKey, sessionToken } = this.#last;
    return secretAccessKey.redactFrom(sessionToken?.redactFrom(text) ?? text);
  }

  get state(): IdentityState {
    return { ...this.#keys.state, clockSkewMs: this.#clock.skewMs };
  }

  #sign(request: OutgoingRequest, keys: AwsKeys): Headers {
    this.#last = keys;
    return signRequest(request, keys, { region: this.#region, service: "bedrock", atMs: this.#clock.nowMs() });
  }
}
