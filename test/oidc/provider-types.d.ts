/** The parts of the package that the tests use; it has no types. */
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  export interface AccountClaims {
    readonly sub: string;
    readonly [claim: string]: unknown;
  }

  export class Grant {
    constructor(of: { accountId: string; clientId: string });
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export interface Context {
    readonly oidc: {
      readonly provider: Provider;
      readonly session: { readonly accountId: string };
      readonly client: { readonly clientId: string };
    };
  }

  export interface Configuration {
    readonly clients: readonly Record<string, unknown>[];
    readonly claims: Readonly<Record<string, readonly string[]>>;
    readonly cookies: { readonly keys: readonly string[] };
    readonly features: Readonly<Record<string, { readonly enabled: boolean }>>;
    readonly pkce: { readonly required: () => boolean };
    readonly findAccount: (context: Context, sub: string) => { accountId: string; claims: () => AccountClaims };
    readonly loadExistingGrant: (context: Context) => Promise<Grant>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    readonly Grant: typeof Grant;
    readonly Client: { prototype: { redirectUriAllowed: (url: string) => boolean } };
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
