import { SCOPES, type Scope } from "../../src/access/access.ts";
import { hashToken } from "../../src/lib/secret/random-token.ts";
import type { Role } from "../../src/access/person.ts";
import type { AllCredentials, Credentials } from "./credentials.ts";

/** The identity that a request is authenticated as, if any. */
export interface Who {
  readonly role: Role;
  readonly scopes: readonly Scope[];
  readonly isSession: boolean;
  readonly isOperatorToken?: true;
}

/** A way to present a credential, and the expected identity. */
export interface CredentialCase {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: string;
  /** Undefined if the credential is not accepted. */
  readonly who: Who | undefined;
  /** Whether the browser's headers state that a page of another site has sent the request. */
  readonly isForeign?: true;
}

const OWN_SCRIPT = { "x-tollgate-request": "test" };
const COOKIE = "tollgate_session";

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const inCookie = (value: string): Record<string, string> => ({ cookie: `${COOKIE}=${value}`, ...OWN_SCRIPT });
const worthless = (name: string, headers: Record<string, string>, query?: string): CredentialCase => ({
  name,
  headers,
  who: undefined,
  ...(query !== undefined && { query }),
});

/** Every way to authenticate that an attacker may try at the platform listener. */
export function credentialCases(cast: AllCredentials): CredentialCase[] {
  return [
    ...strangers(cast),
    ...operatorToken(cast),
    ...peopleOf("member", cast.member, cast),
    ...peopleOf("operator", cast.operator, cast),
    worthless("session of one who was demoted", { cookie: cast.demoted.session, ...OWN_SCRIPT }),
    { name: "token of one who was demoted", headers: bearer(cast.demoted.token), who: tokenOf("member", SCOPES) },
  ];
}

function strangers({ modelKey, invitation, gateway }: AllCredentials): CredentialCase[] {
  return [
    worthless("nothing", {}),
    worthless("nothing, from our own page", { ...OWN_SCRIPT, "sec-fetch-site": "same-origin" }),
    { ...worthless("nothing, from another site", { "sec-fetch-site": "cross-site" }), isForeign: true },
    worthless("empty authorization", { authorization: "" }),
    worthless("empty bearer", { authorization: "Bearer " }),
    worthless("bearer without a token", { authorization: "Bearer" }),
    worthless("junk bearer", bearer("junk")),
    worthless("bearer null", bearer("null")),
    worthless("bearer undefined", bearer("undefined")),
    worthless("junk cookie", inCookie("junk")),
    worthless("empty cookie", inCookie("")),
    worthless("model key", bearer(modelKey)),
    worthless("model key in the cookie", inCookie(modelKey)),
    worthless("model key as x-api-key", { "x-api-key": modelKey }),
    worthless("model key as basic", basic("", modelKey)),
    worthless("invitation as bearer", bearer(invitation)),
    worthless("invitation in the cookie", inCookie(invitation)),
    worthless("public id of a key", bearer(modelKey.slice("sk-service-".length, "sk-service-".length + 12))),
    worthless("name of the actor", bearer("operator-token")),
    worthless("hash of the operator token", bearer(hashToken(gateway.operatorToken))),
  ];
}

function operatorToken({ gateway }: AllCredentials): CredentialCase[] {
  const secret = gateway.operatorToken;
  const who: Who = { role: "operator", scopes: SCOPES, isSession: false, isOperatorToken: true };
  return [
    { name: "operator token", headers: bearer(secret), who },
    { name: "operator token, bearer in lower case", headers: { authorization: `bearer ${secret}` }, who },
    { name: "operator token and a junk cookie", headers: { ...bearer(secret), cookie: `${COOKIE}=junk` }, who },
    { name: "operator token, from another origin", headers: { ...bearer(secret), origin: "https://evil.example" }, who, isForeign: true },
    worthless("operator token without bearer", { authorization: secret }),
    worthless("operator token as basic", basic("operator", secret)),
    worthless("operator token as basic user", basic(secret, "")),
    worthless("operator token in the cookie", inCookie(secret)),
    worthless("operator token in the query", {}, `?token=${secret}&access_token=${secret}&authorization=Bearer%20${secret}`),
    worthless("operator token as x-api-key", { "x-api-key": secret, "x-auth-token": secret, "proxy-authorization": `Bearer ${secret}` }),
    worthless("operator token cut short", bearer(secret.slice(0, -1))),
    worthless("operator token and more", bearer(`${secret}x`)),
    worthless("operator token twice", { authorization: `Bearer ${secret}, Bearer ${secret}` }),
  ];
}

function peopleOf(role: Role, credentials: Credentials, { gateway }: AllCredentials): CredentialCase[] {
  const [plain, sameOrigin, ownOrigin, spare] = credentials.sessions as [string, string, string, string];
  const who: Who = { role, scopes: SCOPES, isSession: true };
  const session = (name: string, cookie: string, more: Record<string, string>, foreign?: true): CredentialCase => ({
    name: `${role} session${name}`,
    headers: { cookie, ...OWN_SCRIPT, ...more },
    who,
    ...(foreign && { isForeign: foreign }),
  });
  const value = spare.split("=")[1]!;
  return [
    // Each case has a new session, because a case may sign out.
    session("", plain, {}),
    session(", from our own page", sameOrigin, { "sec-fetch-site": "same-origin" }),
    session(", from our own origin", ownOrigin, { origin: new URL(gateway.platformUrl).origin }),
    { name: `${role} session without the header`, headers: { cookie: spare }, who },
    session(", from another origin", spare, { origin: "https://evil.example" }, true),
    session(", from another port", spare, { origin: "http://127.0.0.1:1" }, true),
    session(", from nowhere", spare, { origin: "null" }, true),
    session(", from another site", spare, { "sec-fetch-site": "cross-site" }, true),
    session(", from a neighbouring site", spare, { "sec-fetch-site": "same-site" }, true),
    session(", from a typed address", spare, { "sec-fetch-site": "none" }, true),
    worthless(`${role} session and a junk bearer`, { cookie: spare, ...OWN_SCRIPT, ...bearer("junk") }),
    worthless(`${role} session as bearer`, bearer(value)),
    worthless(`${role} session under another name`, { cookie: `__Host-tollgate=${value}; session=${value}`, ...OWN_SCRIPT }),
    worthless(`${role} session's hash, as it is stored`, inCookie(hashToken(value))),
    worthless(`${role} session cut short`, inCookie(value.slice(0, -1))),
    worthless(`${role} token in the cookie`, inCookie(credentials.allScopes)),
    worthless(`${role} token in the query`, {}, `?token=${credentials.allScopes}&access_token=${credentials.allScopes}`),
    worthless(`${role} token as basic`, basic(role, credentials.allScopes)),
    worthless(`${role} token with another secret`, bearer(`${credentials.allScopes.slice(0, -8)}00000000`)),
    ...Object.entries(credentials.overSessions).map(([what, cookie]) => worthless(`${role} session, ${what}`, { cookie, ...OWN_SCRIPT })),
    ...Object.entries(credentials.overTokens).map(([what, secret]) => worthless(`${role} token, ${what}`, bearer(secret))),
    { name: `${role} token with all scopes`, headers: bearer(credentials.allScopes), who: tokenOf(role, SCOPES) },
    ...SCOPES.flatMap((scope) => [
      { name: `${role} token with ${scope} alone`, headers: bearer(credentials.only.get(scope)!), who: tokenOf(role, [scope]) },
      {
        name: `${role} token with all but ${scope}`,
        headers: bearer(credentials.allBut.get(scope)!),
        who: tokenOf(
          role,
          SCOPES.filter((other) => other !== scope),
        ),
      },
    ]),
  ];
}

function tokenOf(role: Role, scopes: readonly Scope[]): Who {
  return { role, scopes, isSession: false };
}

function basic(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${btoa(`${user}:${password}`)}` };
}
