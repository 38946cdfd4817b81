import { join } from "node:path";
import { spawnListening } from "../support/spawn-listening.ts";

/** The claims of a person at the provider. */
export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

/** A real OpenID provider in a separate process. It requires PKCE, and redirects to any path on 127.0.0.1. */
export interface RunningOidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A client without a secret. */
  readonly publicClientId: string;
  /** Starts a sign-in like a browser, submits the login, and returns the callback URL. */
  signInAs(url: string, person: Person): Promise<string>;
  /** Starts a sign-in that the person cancels, and returns the callback URL. */
  refuse(url: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startOidcProvider(): Promise<RunningOidcProvider> {
  const { port, stop } = await spawnListening(join(import.meta.dir, "provider-server.ts"));
  const issuer = `http://127.0.0.1:${port}`;
  return {
    issuer,
    clientId: "tollgate",
    clientSecret: "client-secret-canary",
    publicClientId: "tollgate-public",
    signInAs: (url, person) => visit(issuer, url, new URLSearchParams({ claims: JSON.stringify(person) })),
    refuse: (url) => visit(issuer, url, new URLSearchParams({ refuse: "" })),
    stop,
  };
}

/** Follows redirects like a browser without history, submits the forms, and stops when it leaves the provider. */
async function visit(issuer: string, url: string, form: URLSearchParams): Promise<string> {
  const cookies = new Map<string, string>();
  const headersOf = (): Record<string, string> => ({ cookie: [...cookies].map((pair) => pair.join("=")).join("; ") });
  for (let next = url; next.startsWith(issuer);) {
    const isForm = new URL(next).pathname.startsWith("/interaction/");
    const response = await fetch(next, { redirect: "manual", headers: headersOf(), ...(isForm && { method: "POST", body: form }) });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      cookies.set(name!, value!);
    }
    const location = response.headers.get("location");
    if (location === null) throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
    next = new URL(location, next).href;
    if (!next.startsWith(issuer)) return next;
  }
  throw new Error(`${url} is not the provider's.`);
}
