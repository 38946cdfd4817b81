import type { IdentityState } from "../../../src/models/upstream-health.ts";
import type { Authorizer, OutgoingRequest } from "../../../src/upstreams/authorizer.ts";
import { Secret } from "../../../src/lib/secret/secret.ts";

/** An authorizer with the given state: it adds an access token, unless the state has a failure. */
export class FakeAuthorizer implements Authorizer {
  readonly state: IdentityState;
  readonly #token: Secret;

  constructor(state: Partial<IdentityState> = {}, token = "access-token-canary") {
    this.state = { source: "the file key.json", expiresAtMs: undefined, failure: undefined, refreshFailures: 0, clockSkewMs: 0, ...state };
    this.#token = new Secret(token);
  }

  authorize({ headers }: OutgoingRequest): Readonly<Record<string, string>> {
    if (this.state.failure !== undefined) throw new Error("no credentials");
    return { ...headers, authorization: `Bearer ${this.#token.reveal()}` };
  }

  isWorthRetrying(): boolean {
    return false;
  }

  redactFrom(text: string): string {
    return this.#token.redactFrom(text);
  }
}
