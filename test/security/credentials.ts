import { Database } from "bun:sqlite";
import { join } from "node:path";
import { SCOPES, type Scope } from "../../src/access/access.ts";
import type { Role } from "../../src/access/person.ts";
import { hashToken } from "../../src/lib/secret/random-token.ts";
import { IDLE_MS, LIFETIME_MS } from "../../src/access/session.ts";
import { tokenOf, Visitor } from "../people/visitor.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** The credentials of people with one role. Sessions are cookies: name and value. */
export interface Credentials {
  readonly sessions: readonly string[];
  /** Sessions that were valid once, by the reason for their end. */
  readonly overSessions: Readonly<Record<string, string>>;
  readonly allScopes: string;
  readonly only: ReadonlyMap<Scope, string>;
  readonly allBut: ReadonlyMap<Scope, string>;
  readonly overTokens: Readonly<Record<string, string>>;
}

/** Everyone who may try to authenticate, and the gateway. */
export interface AllCredentials {
  readonly gateway: RunningGateway;
  readonly modelKey: string;
  /** The token of an invitation link that has not been used. */
  readonly invitation: string;
  readonly member: Credentials;
  readonly operator: Credentials;
  /** Credentials of a former operator who is a member now. */
  readonly demoted: { readonly session: string; readonly token: string };
}

/**
 * People of both roles, with credentials in every possible state. States that only time brings about are written into the database, between
 * a stop and a start.
 */
export async function startCredentials(): Promise<AllCredentials> {
  const first = await startGateway();
  await first.platform("POST", "/api/accounts", { id: "acme", name: "Acme" });
  const { key: modelKey } = await first.makeKey();
  await new Visitor(first.platformUrl).accept(first.signInUrl!, { email: "first@example.test", name: "First" });
  const { link } = await invite(first, "operator");
  const member = await makeCredentials(first, "member");
  const operator = await makeCredentials(first, "operator");
  const demoted = await newcomer(first, "operator");
  const token = await makeToken(demoted.browser, SCOPES);
  await first.platform("PATCH", `/api/people/${demoted.id}`, { role: "member", account: "acme" });
  await first.end();
  letTimePass(first.folder, [member, operator]);
  const gateway = await startGateway({ folder: first.folder });
  return { gateway, modelKey, invitation: tokenOf(link), member, operator, demoted: { session: demoted.browser.cookie!, token } };
}

async function invite(gateway: RunningGateway, role: Role): Promise<{ id: string; email: string; link: string }> {
  const email = `${crypto.randomUUID()}@example.test`;
  const wanted = { email, name: "Somebody", role, ...(role === "member" && { account: "acme" }) };
  const { id, invitation } = await gateway.platform<{ id: string; invitation: { url: string } }>("POST", "/api/people", wanted);
  return { id, email, link: invitation.url };
}

/** A person who has accepted an invitation, with the browser used for it. */
async function newcomer(gateway: RunningGateway, role: Role): Promise<{ id: string; email: string; browser: Visitor }> {
  const { id, email, link } = await invite(gateway, role);
  const browser = new Visitor(gateway.platformUrl);
  await browser.accept(link);
  return { id, email, browser };
}

async function makeCredentials(gateway: RunningGateway, role: Role): Promise<Credentials> {
  const { email, browser } = await newcomer(gateway, role);
  const signIn = async (): Promise<Visitor> => {
    const visitor = new Visitor(gateway.platformUrl);
    await visitor.signIn(email);
    return visitor;
  };
  const signedOut = await signIn();
  const signedOutCookie = signedOut.cookie!;
  await signedOut.call("POST", "/api/sign-out");
  const again = await signIn();
  const replaced = again.cookie!;
  await again.signIn(email);
  const ended = await newcomer(gateway, role);
  await gateway.platform("DELETE", `/api/people/${ended.id}/sessions`);
  const disabled = await newcomer(gateway, role);
  const disabledToken = await makeToken(disabled.browser, SCOPES);
  await gateway.platform("PATCH", `/api/people/${disabled.id}`, { disabled: true });
  const tokensWith = async (scopesFor: (scope: Scope) => readonly Scope[]): Promise<Map<Scope, string>> => {
    const tokens = new Map<Scope, string>();
    for (const scope of SCOPES) tokens.set(scope, await makeToken(browser, scopesFor(scope)));
    return tokens;
  };
  return {
    sessions: [(await signIn()).cookie!, (await signIn()).cookie!, (await signIn()).cookie!, (await signIn()).cookie!],
    overSessions: {
      "signed out": signedOutCookie,
      "replaced by another": replaced,
      "ended by an operator": ended.browser.cookie!,
      "of a disabled person": disabled.browser.cookie!,
      idle: (await signIn()).cookie!,
      "past its end": (await signIn()).cookie!,
    },
    allScopes: await makeToken(browser, SCOPES),
    only: await tokensWith((scope) => [scope]),
    allBut: await tokensWith((scope) => SCOPES.filter((other) => other !== scope)),
    overTokens: {
      expired: await makeToken(browser, SCOPES),
      revoked: await makeToken(browser, SCOPES, "revoke"),
      "of a disabled person": disabledToken,
    },
  };
}

async function makeToken(browser: Visitor, scopes: readonly Scope[], andThen?: "revoke"): Promise<string> {
  const expires = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString();
  const { body } = await browser.call("POST", "/api/me/access-tokens", { name: "test", scopes, expires_at: expires });
  if (andThen) await browser.call("DELETE", `/api/me/access-tokens/${body.id}`);
  return body.token;
}

function hashOf(cookie: string): string {
  return hashToken(cookie.split("=")[1]!);
}

function letTimePass(folder: string, everybody: readonly Credentials[]): void {
  const database = new Database(join(folder, "data", "tollgate.db"));
  const change = (sql: string, ms: number, of: string): void => {
    if (database.run(sql, [ms, of]).changes !== 1) throw new Error(`nothing to change: ${sql}`);
  };
  for (const { overSessions, overTokens } of everybody) {
    change("update sessions set last_seen_at_ms = ? where hash = ?", Date.now() - IDLE_MS, hashOf(overSessions["idle"]!));
    change("update sessions set created_at_ms = ? where hash = ?", Date.now() - LIFETIME_MS, hashOf(overSessions["past its end"]!));
    change(
      "update access_tokens set expires_at_ms = ? where id = ?",
      Date.now(),
      overTokens["expired"]!.slice("tollgate-access-".length).slice(0, 12),
    );
  }
  database.close();
}
