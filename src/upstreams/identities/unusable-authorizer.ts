import { ApiError } from "../../requests/api-error.ts";
import type { Authorizer, IdentityState } from "../authorizer.ts";

/** For an identity that cannot be used at all, such as one with a key that is not valid: health, tests and the doctor say why. */
export class UnusableAuthorizer implements Authorizer {
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
