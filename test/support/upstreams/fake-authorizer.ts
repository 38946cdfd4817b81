import type { IdentityState } from "../../../src/models/upstream-health.ts";
import type { Authorization, Authorizer, OutgoingRequest } from "../../../src/upstreams/authorizer.ts";
import { Secret } from "../../../src/lib/secret/secret.ts";

/** An authorizer with the given state: it adds an access token, unless the state has a failure. */
export class FakeAuthorizer implements Authorizer {
  readonly state: IdentityState;
  readonly #token: Secret;

  constructor(state: Partial<IdentityState> = {}, token = "access-token-canary") {
    this.state = { source: "the file key.json", expiresAtMs: undefined, failure: undefined, refreshFailures: 0, clockSkewMs: 0, ...state };
    this.#token = new Secret(token);
  }

  async check(): Promise<void> {
    if (this.state.failure !== undefined) throw new Error("no credentials");
  }

  authorize({ headers }: OutgoingRequest): Authorization {
    if (this.state.failure !== undefined) throw new Error("no credentials");
    return {
      headers: { ...headers, authorization: `Bearer ${this.#token.reveal()}` },
      isWorthRetrying: () => false,
      redactFrom: (text) => this.#token.redactFrom(text),
    };
  }
}
