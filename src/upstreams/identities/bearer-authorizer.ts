import type { HeadersRead } from "../egress/headers-read.ts";
import type { Authorization, Authorizer, IdentityState, OutgoingRequest } from "../authorizer.ts";
import type { AccessToken, CredentialSource } from "./credential-source.ts";
import { RefreshedCredentials, type Clock } from "./refreshed-credentials.ts";

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
