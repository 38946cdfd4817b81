import type { CloudVariables } from "../../models/identities/cloud-variables.ts";
import type { Identity } from "../../models/identities/identity.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import type { Authorizer, AuthorizerLookup } from "../authorizer.ts";
import { openAuthorizer } from "./open-authorizer.ts";
import { UnusableAuthorizer } from "./unusable-authorizer.ts";

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
      return new UnusableAuthorizer(error instanceof Error ? error.message : String(error));
    }
  }
}
