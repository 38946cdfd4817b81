import type { ClientAuth, Configuration, ServerMetadata } from "openid-client";
import { ApiError } from "../../requests/api-error.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import { explainFailure, explainMisfit, providerUnreachable } from "./oidc-failure.ts";
import { type OidcIdentity, toIdentity } from "./oidc-identity.ts";
import { hasExpired, type OidcPending } from "./oidc-pending.ts";

export interface OidcSettings {
  /** The issuer, as the provider writes it. Plain HTTP is for loopback only. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client: then only PKCE binds the code to Tollgate. */
  readonly clientSecret: Secret | undefined;
  /** The redirect URI, as registered at the provider. */
  readonly redirectUrl: string;
}

/**
 * The part of `fetch` that the library needs. It is injected because only `upstreams` makes outgoing calls. It must not follow redirects,
 * or a provider could cause Tollgate's secret to be sent elsewhere. It must limit the time and size of responses.
 */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

const SCOPES = "openid email profile";

/** An hour is short enough, because providers rarely move their endpoints, and a gateway runs for months. */
const DISCOVERED_FOR_MS = 60 * 60 * 1000;

/**
 * Sign-in by OpenID Connect (SSO): authorization code flow with PKCE. The provider is first contacted when somebody signs in, so a provider
 * that is down does not prevent the gateway from starting. The library is also loaded only then.
 */
export class OidcSignIn {
  readonly #settings: OidcSettings;
  readonly #fetchUrl: FetchFunction;
  #discovery: Promise<ServerMetadata> | undefined;
  #discoveredAtMs = 0;

  constructor(settings: OidcSettings, fetchUrl: FetchFunction) {
    this.#settings = settings;
    this.#fetchUrl = fetchUrl;
  }

  /** The URL to redirect the browser to, and the state for its cookie. */
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

  /**
   * The identity after the redirect. Only the query of `callbackUrl` counts: behind a proxy, the rest may differ from the browser's URL.
   */
  async finish(callbackUrl: string, pending: OidcPending): Promise<OidcIdentity> {
    if (hasExpired(pending)) {
      throw new ApiError("sign_in_failed", "The sign-in took too long. Please start again.", { detail: "expired" });
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
   * A client of the provider, created for each sign-in. The library caches the provider's keys with it and does not refresh them within a
   * minute, so a sign-in right after a key rotation would be rejected.
   */
  async #configure(): Promise<Configuration> {
    const library = await import("openid-client");
    const provider = await this.#discover();
    const { clientId, clientSecret } = this.#settings;
    const authentication = clientSecret ? toClientAuth(library, provider, clientSecret) : library.None();
    const configuration = new library.Configuration(provider, clientId, undefined, authentication);
    configuration[library.customFetch] = this.#call;
    if (this.#mayBePlain()) library.allowInsecureRequests(configuration);
    // By default the library trusts the connection to the provider and does not verify the ID token's signature.
    library.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  /** The provider's discovery document. Concurrent sign-ins share one request; a failure is not cached. */
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
      // The library makes exceptions for Microsoft's multi-tenant issuers. With these, the administrator of every tenant can assert any
      // email address.
      if (new URL(provider.issuer).href !== issuer.href) throw new Error(`the provider calls itself ${provider.issuer}`);
      return provider;
    } catch (error) {
      throw explainMisfit(error, this.#settings.clientSecret);
    }
  }

  /** The fetch of the library. Missing and invalid responses are not distinguished here. */
  readonly #call = async (url: string, init: RequestInit): Promise<Response> => {
    const response = await this.#fetchUrl(url, init).catch((error: unknown) => {
      throw providerUnreachable(error instanceof ApiError ? (error.detail ?? error.message) : String(error));
    });
    const { status } = response;
    if (status >= 500 || status === 429) throw providerUnreachable(`${new URL(url).pathname} answered ${status}`);
    return response;
  };

  #mayBePlain(): boolean {
    return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(this.#settings.issuer).hostname);
  }
}

/** OpenID Connect Core §9: a provider that announces no method supports HTTP Basic. */
function toClientAuth(library: typeof import("openid-client"), provider: ServerMetadata, secret: Secret): ClientAuth {
  const methods = provider.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const isBasic = methods.includes("client_secret_basic") || !methods.includes("client_secret_post");
  return isBasic ? library.ClientSecretBasic(secret.reveal()) : library.ClientSecretPost(secret.reveal());
}
