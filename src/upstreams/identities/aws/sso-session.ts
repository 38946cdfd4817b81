import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { callCloud } from "../call-cloud.ts";
import { IdentityFailure } from "../credential-source.ts";
import { chosenEndpoint } from "./aws-endpoint.ts";
import { variable, type AwsLookup } from "./aws-lookup.ts";
import { objectIn } from "./read-keys.ts";
import { readTextFile } from "../read-text-file.ts";

/** A session of IAM Identity Center that `aws sso login` has started. */
export interface SsoSession {
  /** The name of the sso-session, or the start URL of a profile without one: the name of the cache file is its digest. */
  readonly key: string;
  readonly region: string;
  /** Only sessions with a name can be refreshed. */
  readonly isRefreshable: boolean;
  /** How to start it again. */
  readonly login: string;
}

/** A session that ends within this time is refreshed. */
const EARLY_MS = 5 * 60_000;

/** By cache file: identities of this process share a session, and a refresh token may be usable once. */
const inFlight = new Map<string, Promise<string>>();

/** The access token of a session, from the cache of the AWS command line, refreshed where it is about to expire. */
export async function accessTokenOf(session: SsoSession, lookup: AwsLookup): Promise<string> {
  const path = cachePath(session, lookup);
  let token = inFlight.get(path);
  if (!token) inFlight.set(path, (token = readOrRefresh(session, path, lookup).finally(() => inFlight.delete(path))));
  return token;
}

async function readOrRefresh(session: SsoSession, path: string, lookup: AwsLookup): Promise<string> {
  const text = await readTextFile(path);
  if (text === undefined) throw new IdentityFailure("missing", `there is no SSO session in ${path}: run ${session.login}`);
  const cached = objectIn(text);
  const valid = validTokenIn(cached, lookup);
  if (valid && (valid.remainingMs > EARLY_MS || !session.isRefreshable)) return valid.accessToken;
  try {
    const refreshed = session.isRefreshable ? await refresh(cached, session, path, lookup) : undefined;
    if (refreshed !== undefined) return refreshed;
  } catch (error) {
    if (!valid) throw error;
  }
  // Another process may have refreshed the session meanwhile, which makes this refresh token unusable.
  const other = validTokenIn(objectIn((await readTextFile(path)) ?? "{}"), lookup) ?? valid;
  if (other) return other.accessToken;
  throw new IdentityFailure("expired", `the SSO session in ${path} has expired: run ${session.login}`);
}

function validTokenIn({ accessToken, expiresAt }: Record<string, unknown>, { clock }: AwsLookup): ValidToken | undefined {
  const remainingMs = Date.parse(typeof expiresAt === "string" ? expiresAt : "") - clock.nowMs();
  return isHeaderText(accessToken) && remainingMs > 0 ? { accessToken, remainingMs } : undefined;
}

interface ValidToken {
  readonly accessToken: string;
  readonly remainingMs: number;
}

/** Undefined where the session cannot be refreshed. */
async function refresh(cached: Record<string, unknown>, session: SsoSession, path: string, lookup: AwsLookup): Promise<string | undefined> {
  const { clientId, clientSecret, refreshToken } = cached;
  if (typeof clientId !== "string" || typeof clientSecret !== "string" || typeof refreshToken !== "string") return undefined;
  const { url: base, at } = chosenEndpoint("oidc", session.region, "AWS_ENDPOINT_URL_SSO_OIDC", lookup);
  const body = JSON.stringify({ clientId, clientSecret, refreshToken, grantType: "refresh_token" });
  const reply = await callCloud({ url: `${base}/token`, body, at }, lookup.signal);
  const { accessToken, expiresIn, refreshToken: nextRefreshToken } = objectIn(reply.text);
  if (reply.status !== 200 || !isHeaderText(accessToken) || typeof expiresIn !== "number") return undefined;
  const expiresAt = new Date(lookup.clock.nowMs() + expiresIn * 1000).toISOString();
  const next = { ...cached, accessToken, expiresAt, ...(typeof nextRefreshToken === "string" && { refreshToken: nextRefreshToken }) };
  await store(next, path);
  return accessToken;
}

/** For the next refresh, and for the AWS command line: a refresh token may be usable once. A folder that is not writable is no failure yet. */
async function store(cached: Record<string, unknown>, path: string): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    await writeFile(temporary, JSON.stringify(cached, undefined, 2), { mode: 0o600 });
    await rename(temporary, path);
  } catch {
    // The access token is used all the same.
  }
}

function cachePath({ key }: SsoSession, lookup: AwsLookup): string {
  const home = variable(lookup, "HOME");
  if (home === undefined) throw new IdentityFailure("missing", "HOME is not set: it has the cache of SSO sessions");
  return join(home, ".aws", "sso", "cache", `${new Bun.CryptoHasher("sha1").update(key).digest("hex")}.json`);
}

function isHeaderText(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
}
