import type { CloudVariables } from "../../models/identities/cloud-variables.ts";
import type { Identity } from "../../models/identities/identity.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import type { Authorizer, AuthorizerLookup, IdentityState, Authorization, OutgoingRequest } from "../authorizer.ts";
import { AwsAuthorizer } from "./aws/aws-authorizer.ts";
import { AzureSource } from "./azure/azure-source.ts";
import { GoogleSource } from "./google/google-source.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { HeadersRead } from "../egress/headers-read.ts";
import type { AccessToken, CredentialSource } from "./credential-source.ts";
import { RefreshedCredentials, type Clock } from "./refreshed-credentials.ts";
import { messageOf } from "../../lib/text/message-of.ts";

/** The identities of this process. Each has one authorizer, so that calls, tests and the doctor use the same credentials. */
export class Identities implements AuthorizerLookup {
  readonly #variables: CloudVariables;
  readonly #open: typeof openAuthorizer;
  readonly #authorizers = new WeakMap<Identity, Authorizer>();

  constructor(variables: CloudVariables, open = openAuthorizer) {
    this.#variables = variables;
    this.#open = open;
  }

  authorizerOf({ identity }: Pick<RemoteSettings, "identity">): Authorizer | undefined {
    if (!identity) return undefined;
    let authorizer = this.#authorizers.get(identity);
    if (!authorizer) this.#authorizers.set(identity, (authorizer = this.#openOrExplain(identity)));
    return authorizer;
  }

  #openOrExplain(identity: Identity): Authorizer {
    try {
      return this.#open(identity, this.#variables);
    } catch (error) {
      return new UnusableAuthorizer(messageOf(error));
    }
  }
}

/** The authorizer of an identity. Nothing is obtained before its first request. */
function openAuthorizer(identity: Identity, variables: CloudVariables): Authorizer {
  switch (identity.kind) {
    case "aws":
      return new AwsAuthorizer(identity, variables);
    case "google":
      return new BearerAuthorizer(new GoogleSource(identity, variables));
    case "azure":
      return new BearerAuthorizer(new AzureSource(identity, variables));
  }
}

/**
 * The authorizer of an identity that cannot be used at all, for example because its key is invalid: health, tests and the doctor report the
 * reason.
 */
class UnusableAuthorizer implements Authorizer {
  readonly state: IdentityState;

  constructor(failure: string) {
    this.state = { source: undefined, expiresAtMs: undefined, failure, refreshFailures: 0, clockSkewMs: 0 };
  }

  authorize(): never {
    throw new ApiError("no_upstream_available", "The model is temporarily unavailable. Try again later.", {
      detail: `no credentials: ${this.state.failure}`,
      fault: { kind: "unreachable" },
    });
  }

  async check(): Promise<never> {
    this.authorize();
  }
}

/** Authorizes requests with an access token (RFC 6750). */
export class BearerAuthorizer implements Authorizer {
  readonly #source: CredentialSource<AccessToken>;
  readonly #tokens: RefreshedCredentials<AccessToken>;

  constructor(source: CredentialSource<AccessToken>, clock?: Clock) {
    this.#source = source;
    this.#tokens = new RefreshedCredentials(source, clock);
  }

  authorize(request: OutgoingRequest): Authorization | Promise<Authorization> {
    const token = this.#tokens.current();
    return token instanceof Promise ? token.then((obtained) => this.#with(request, obtained)) : this.#with(request, token);
  }

  check(): Promise<void> {
    return this.#tokens.check();
  }

  get state(): IdentityState {
    return { ...this.#tokens.state, clockSkewMs: this.#source.clockSkewMs ?? 0 };
  }

  #with({ headers }: OutgoingRequest, token: AccessToken): Authorization {
    return {
      headers: { ...headers, authorization: `Bearer ${token.token.reveal()}` },
      isWorthRetrying: (status: number, _headers: HeadersRead) => status === 401 && this.#tokens.replace(token),
      redactFrom: (text) => token.token.redactFrom(text),
    };
  }
}
