import type { HeadersRead } from "../egress/headers-read.ts";
import type { Authorizer, IdentityState, OutgoingRequest } from "../authorizer.ts";
import type { AccessToken, CredentialSource } from "./credential-source.ts";
import { RefreshedCredentials, type Clock } from "./refreshed-credentials.ts";

type Headers = Readonly<Record<string, string>>;

/** Authorizes requests with an access token (RFC 6750). */
export class BearerAuthorizer implements Authorizer {
  readonly #source: CredentialSource<AccessToken>;
  readonly #tokens: RefreshedCredentials<AccessToken>;
  #last: AccessToken | undefined;

  constructor(source: CredentialSource<AccessToken>, clock?: Clock) {
    this.#source = source;
    this.#tokens = new RefreshedCredentials(source, clock);
  }

  authorize({ headers }: OutgoingRequest): Headers | Promise<Headers> {
    const token = this.#tokens.current();
    return token instanceof Promise ? token.then((obtained) => this.#with(headers, obtained)) : this.#with(headers, token);
  }

  isWorthRetrying(status: number, _headers: HeadersRead): boolean | Promise<boolean> {
    return status === 401 && this.#last !== undefined && this.#tokens.replace(this.#last);
  }

  redactFrom(text: string): string {
    return this.#last?.token.redactFrom(text) ?? text;
  }

  get state(): IdentityState {
    return { ...this.#tokens.state, clockSkewMs: this.#source.clockSkewMs ?? 0 };
  }

  #with(headers: Headers, token: AccessToken): Headers {
    this.#last = token;
    return { ...headers, authorization: `Bearer ${token.token.reveal()}` };
  }
}
