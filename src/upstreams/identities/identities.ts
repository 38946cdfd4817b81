import type { CloudVariables } from "../../models/identities/cloud-variables.ts";
import type { Identity } from "../../models/identities/identity.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import type { Authorizer, AuthorizerLookup } from "../authorizer.ts";
import { openAuthorizer } from "./open-authorizer.ts";

/** The identities of this process. Each has one authorizer, so that calls, tests and the doctor use the same credentials. */
export class Identities implements AuthorizerLookup {
  readonly #variables: CloudVariables;
  readonly #authorizers = new WeakMap<Identity, Authorizer>();

  constructor(variables: CloudVariables) {
    this.#variables = variables;
  }

  authorizerOf({ identity }: Pick<RemoteSettings, "identity">): Authorizer | undefined {
    if (!identity) return undefined;
    let authorizer = this.#authorizers.get(identity);
    if (!authorizer) this.#authorizers.set(identity, (authorizer = openAuthorizer(identity, this.#variables)));
    return authorizer;
  }
}
