import type { ClientAuth, Configuration, ServerMetadata } from "openid-client";
import { GatewayError } from "../../requests/gateway-error.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import { explainFailure, explainMisfit, providerUnreachable } from "./oidc-failure.ts";
import { type OidcIdentity, toIdentity } from "./oidc-identity.ts";
import { hasExpired, type OidcPending } from "./oidc-pending.ts";

export interface OidcSettings {
  /** As the provider writes it. Plain HTTP is for loopback alone. */
  readonly issuer: string;
  readonly clientId: string;
  /** A public client has none: then PKCE alone ties the code to us. */
  readonly clientSecret: Secret | undefined;
  /** Where the provider sends the browser back to, as it is registered there. */
  readonly redirectUrl: string;
}

/**
 * `fetch`, as far as the library needs it. It is given from outside because nothing but `upstreams` calls out. It must follow
 * no redirect, or a provider could have our secret sent elsewhere, and give up in bounded time on answers of any size.
 */
export type CallOut = (url: string, init: RequestInit) => Promise<Response>;

const SCOPES = "openid email profile";

/** Providers move their endpoints rarely, and a gateway runs for months. */
const DISCOVERED_FOR_MS = 60 * 60 * 1000;

/**
 * Signing in by OpenID Connect: authorization code flow with PKCE. The provider is first asked when somebody signs in, so one
 * that is down does not keep the gateway from starting; the library is loaded then too.
 */
export class OidcSignIn {
  readonly #settings: OidcSettings;
  readonly #callOut: CallOut;
  #discovery: Promise<ServerMetadata> | undefined;
  #discoveredAtMs = 0;

  constructor(settings: OidcSettings, callOut: CallOut) {
    this.#settings = settings;
    this.#callOut = callOut;
  }

  /** Where to send the browser, and what it must keep until it comes back. */
  async begin(): Promise<{ url: string; pending: OidcPending }> {
    const library = await import("openid-client");
    const configuration = await this.#configure();
    const pending: OidcPending = {
      state: library.randomState(),
      nonce: library.randomNonce(),
      codeVerifier: library.randomPKCECodeVerifier(),
      startedAtMs: Date.now(),
    };
    const parameters = {
      redirect_uri: this.#settings.redirectUrl,
      scope: SCOPES,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: "S256",
    };
    try {
      return { url: library.buildAuthorizationUrl(configuration, parameters).href, pending };
    } catch (error) {
      throw explainMisfit(error, this.#settings.clientSecret);
    }
  }

  /** Who came back. Only the query of `callbackUrl` counts: behind a proxy, the rest need not be what the browser sees. */
  async finish(callbackUrl: string, pending: OidcPending): Promise<OidcIdentity> {
    if (hasExpired(pending)) {
      throw new GatewayError("sign_in_failed", "The sign-in took too long. Please start again.", { detail: "expired" });
    }
    const library = await import("openid-client");
    const configuration = await this.#configure();
    const cameTo = new URL(this.#settings.redirectUrl);
    cameTo.search = new URL(callbackUrl, cameTo).search;
    try {
      const answer = await library.authorizationCodeGrant(configuration, cameTo, {
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        pkceCodeVerifier: pending.codeVerifier,
        idTokenExpected: true,
      });
      const token = answer.claims()!;
      const asksForMore = token["email"] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
      const profile = asksForMore ? await library.fetchUserInfo(configuration, answer.access_token, token.sub) : token;
      return toIdentity(token, profile);
    } catch (error) {
      throw explainFailure(error, this.#settings.clientSecret);
    }
  }

  /**
   * A client of the provider, made anew for each sign-in. The library keeps the provider's keys with it and does not ask for
   * new ones within a minute; so somebody who signs in right after a change of keys would be refused.
   */
  async #configure(): Promise<Configuration> {
    const library = await import("openid-client");
    const provider = await this.#discover();
    const { clientId, clientSecret } = this.#settings;
    const authentication = clientSecret ? toClientAuth(library, provider, clientSecret) : library.None();
    const configuration = new library.Configuration(provider, clientId, undefined, authentication);
    configuration[library.customFetch] = this.#call;
    if (this.#mayBePlain()) library.allowInsecureRequests(configuration);
    // By itself the library trusts the connection to the provider and does not look at the ID token's signature.
    library.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  /** What the provider says about itself. Those who sign in at once share one request; a failure is forgotten. */
  #discover(): Promise<ServerMetadata> {
    if (this.#discovery && performance.now() - this.#discoveredAtMs < DISCOVERED_FOR_MS) return this.#discovery;
    const discovery = this.#askProvider();
    this.#discovery = discovery;
    this.#discoveredAtMs = performance.now();
    discovery.catch(() => {
      if (this.#discovery === discovery) this.#discovery = undefined;
    });
    return discovery;
  }

  async #askProvider(): Promise<ServerMetadata> {
    const library = await import("openid-client");
    const issuer = new URL(this.#settings.issuer);
    try {
      const found = await library.discovery(issuer, this.#settings.clientId, undefined, library.None(), {
        [library.customFetch]: this.#call,
        execute: this.#mayBePlain() ? [library.allowInsecureRequests] : [],
      });
      const provider = found.serverMetadata();
      // The library makes exceptions for Microsoft's addresses that serve many tenants. There, everybody's administrator is an
      // issuer that can vouch for any e-mail address.
      if (new URL(provider.issuer).href !== issuer.href) throw new Error(`the provider calls itself ${provider.issuer}`);
      return provider;
    } catch (error) {
      throw explainMisfit(error, this.#settings.clientSecret);
    }
  }

  /** Every call of the library. No answer is told apart here from a wrong one. */
  readonly #call = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await this.#callOut(url, init).catch((error: unknown) => {
      throw providerUnreachable(error instanceof GatewayError ? (error.detail ?? error.message) : String(error));
    });
    const { status } = response;
    if (status >= 500 || status === 429) throw providerUnreachable(`${new URL(url).pathname} answered ${status}`);
    return response;
  };

  #mayBePlain(): boolean {
    return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(this.#settings.issuer).hostname);
  }
}

/** OpenID Connect Core §9: a provider that announces no method takes HTTP Basic. */
function toClientAuth(library: typeof import("openid-client"), provider: ServerMetadata, secret: Secret): ClientAuth {
  const methods = provider.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const isBasic = methods.includes("client_secret_basic") || !methods.includes("client_secret_post");
  return isBasic ? library.ClientSecretBasic(secret.reveal()) : library.ClientSecretPost(secret.reveal());
}
