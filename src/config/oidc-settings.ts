import { Secret } from "../lib/secret/secret.ts";
import { ConfigError, type Environment } from "./config-error.ts";
import { isLoopback } from "./variables.ts";

/** The OpenID provider for SSO. */
export interface OidcProvider {
  /** The issuer, as the provider writes it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined for a public client. */
  readonly clientSecret: Secret | undefined;
}

/** The names of the variables. */
interface OidcVariables {
  readonly oidcIssuer: string;
  readonly oidcClientId: string;
  readonly oidcClientSecret: string;
}

/** An incomplete provider would otherwise be noticed only at the first sign-in. */
export function readOidc(env: Environment, names: OidcVariables): OidcProvider | undefined {
  const issuer = env[names.oidcIssuer];
  const clientId = env[names.oidcClientId];
  const clientSecret = env[names.oidcClientSecret];
  if (!issuer && !clientId && !clientSecret) return undefined;
  if (!issuer || !clientId) {
    throw new ConfigError(
      `${names.oidcIssuer} and ${names.oidcClientId} belong together, but ${issuer ? names.oidcClientId : names.oidcIssuer} is not set`,
    );
  }
  const url = URL.parse(issuer);
  if (!url || !(url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))) || url.search || url.hash) {
    throw new ConfigError(`${names.oidcIssuer} must be an https:// URL without a query, as the provider writes it`);
  }
  if (/\/\.well-known\/openid-configuration\/?$/.test(url.pathname)) {
    throw new ConfigError(`${names.oidcIssuer} is the URL of the discovery document: omit /.well-known/openid-configuration`);
  }
  return { issuer, clientId, clientSecret: clientSecret ? new Secret(clientSecret) : undefined };
}
