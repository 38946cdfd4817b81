import { join } from "node:path";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { CloudVariables } from "../../../models/identities/cloud-variables.ts";
import type { GoogleIdentity } from "../../../models/identities/identity.ts";
import { readNamedFile, readTextFile } from "../read-text-file.ts";
import { IdentityFailure, type AccessToken, type CredentialSource, type ObtainedCredentials } from "../credential-source.ts";
import { CloudClock } from "../cloud-clock.ts";
import { SYSTEM_CLOCK } from "../refreshed-credentials.ts";
import { federate } from "./federation.ts";
import { readGoogleFile, type ServiceAccountKey } from "./google-file.ts";
import { callCloud, type CloudReply } from "../call-cloud.ts";
import { SCOPE, endpointOf } from "./google-endpoints.ts";
import { readTokenReply } from "./token-reply.ts";
import { createPrivateKey, type KeyObject } from "node:crypto";
import { GOOGLE_TOKEN_URL } from "../../../models/identities/google-token-url.ts";
import { signJwt } from "../sign-jwt.ts";

/** The file that gcloud writes, below the home directory. */
const GCLOUD_FILE = ".config/gcloud/application_default_credentials.json";

interface NamedText {
  readonly text: string;
  readonly name: string;
}

/**
 * Access tokens of Google Cloud, for the identity's own credentials, or for the credentials that Google's libraries would find on this
 * machine.
 */
export class GoogleSource implements CredentialSource<AccessToken> {
  readonly #identity: GoogleIdentity;
  readonly #variables: CloudVariables;
  readonly #nowMs: () => number;
  readonly #grant: JwtGrant;
  readonly #awsClock: CloudClock;

  constructor(identity: GoogleIdentity, variables: CloudVariables, nowMs: () => number = Date.now) {
    this.#identity = identity;
    this.#variables = variables;
    this.#nowMs = nowMs;
    this.#grant = new JwtGrant(variables, nowMs);
    this.#awsClock = new CloudClock({ ...SYSTEM_CLOCK, nowMs });
  }

  get clockSkewMs(): number {
    return this.#grant.clockSkewMs || this.#awsClock.skewMs;
  }

  /** Files are read again each time: they may have been replaced. */
  async obtain(signal: CancelSignal): Promise<ObtainedCredentials<AccessToken>> {
    const found = await this.#findFile();
    if (!found) return this.#fromMetadata(signal);
    const file = readGoogleFile(found.text, found.name);
    if (file.type === "service_account") {
      return { credentials: await this.#grant.obtain(file, signal), source: `the key of ${file.email} in ${found.name}` };
    }
    const credentials = await federate(file, this.#variables, this.#nowMs, this.#awsClock, signal);
    return { credentials, source: `workload identity federation by ${found.name}` };
  }

  async #fromMetadata(signal: CancelSignal): Promise<ObtainedCredentials<AccessToken>> {
    const origin = metadataOrigin(this.#variables.GCE_METADATA_HOST?.reveal());
    try {
      return { credentials: await fromMetadataServer(origin, this.#nowMs, signal), source: `the metadata server at ${origin}` };
    } catch (error) {
      if (!(error instanceof IdentityFailure) || error.reason !== "unreachable") throw error;
      const looked = "GOOGLE_APPLICATION_CREDENTIALS is not set, and there is no file of gcloud";
      throw new IdentityFailure("unreachable", `no Google credentials: ${looked}; the metadata server failed: ${error.message}`);
    }
  }

  async #findFile(): Promise<NamedText | undefined> {
    const { credentials, credentialsFile } = this.#identity;
    if (credentials) return { text: credentials.reveal(), name: "the field credentials" };
    if (credentialsFile !== undefined) return read(credentialsFile, credentialsFile, "credentials_file");
    const named = this.#variables.GOOGLE_APPLICATION_CREDENTIALS?.reveal();
    if (named !== undefined) return read(named, `${named} (GOOGLE_APPLICATION_CREDENTIALS)`, "GOOGLE_APPLICATION_CREDENTIALS");
    const home = this.#variables.HOME?.reveal();
    return home === undefined ? undefined : readIfThere(join(home, GCLOUD_FILE));
  }
}

async function read(path: string, name: string, setting: string): Promise<NamedText> {
  return { text: await readNamedFile(path, setting), name };
}

async function readIfThere(path: string): Promise<NamedText | undefined> {
  const text = await readTextFile(path);
  return text === undefined ? undefined : { text, name: path };
}

const PATH = "/computeMetadata/v1/instance/service-accounts/default/token";

/** The access token of the service account of this machine, from the metadata server of Compute Engine, GKE and Cloud Run. */
async function fromMetadataServer(origin: string, nowMs: () => number, signal: CancelSignal): Promise<AccessToken> {
  const url = `${origin}${PATH}?${new URLSearchParams({ scopes: SCOPE }).toString()}`;
  const reply = await callCloud({ url, headers: { "metadata-flavor": "Google" }, at: "metadata" }, signal);
  // Any other server that responds at this address must not be trusted.
  if (reply.headers.get("metadata-flavor") !== "Google") {
    throw new IdentityFailure("missing", `${origin} is not the metadata server of Google: its reply has no Metadata-Flavor: Google`);
  }
  if (reply.status === 404) throw new IdentityFailure("missing", "this machine has no service account: attach one to it");
  return readTokenReply(reply, "the metadata server", nowMs());
}

/** The address of the metadata server, which an environment variable of Google's libraries may override. */
function metadataOrigin(host: string | undefined): string {
  if (host === undefined) return "http://169.254.169.254";
  const url = URL.parse(/^https?:\/\//.test(host) ? host : `http://${host}`);
  if (!url) throw new IdentityFailure("missing", "GCE_METADATA_HOST must be a host, with or without a port");
  return url.origin;
}

const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const FROM = "Google's token endpoint";
const LIFETIME_SECONDS = 3_600;

/** Exchanges assertions that a service account has signed for access tokens (RFC 7523). */
class JwtGrant {
  readonly #variables: CloudVariables;
  readonly #clock: CloudClock;

  constructor(variables: CloudVariables, nowMs: () => number) {
    this.#variables = variables;
    this.#clock = new CloudClock({ nowMs });
  }

  get clockSkewMs(): number {
    return this.#clock.skewMs;
  }

  /** If a server with another clock rejects an assertion, it is signed again with the server's time. */
  async obtain(key: ServiceAccountKey, signal: CancelSignal): Promise<AccessToken> {
    const privateKey = readKey(key);
    let reply = await this.#request(key.email, privateKey, signal);
    if (reply.status !== 200 && this.#clock.correct(reply.serverMs)) reply = await this.#request(key.email, privateKey, signal);
    return readTokenReply(reply, FROM, this.#clock.localMs());
  }

  #request(email: string, privateKey: KeyObject, signal: CancelSignal): Promise<CloudReply> {
    const assertion = signedAssertion(email, privateKey, this.#clock.nowMs());
    const body = new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
    return callCloud({ ...endpointOf(GOOGLE_TOKEN_URL, "token", this.#variables), headers, body }, signal);
  }
}

function signedAssertion(email: string, privateKey: KeyObject, atMs: number): string {
  const iat = Math.floor(atMs / 1000);
  const claims = { iss: email, scope: SCOPE, aud: GOOGLE_TOKEN_URL, iat, exp: iat + LIFETIME_SECONDS };
  return signJwt({ alg: "RS256" }, claims, privateKey);
}

function readKey({ privateKey, email }: ServiceAccountKey): KeyObject {
  const key = parseKey(privateKey.reveal());
  if (key?.asymmetricKeyType !== "rsa") {
    throw new IdentityFailure("missing", `the private_key of ${email} is not an RSA key as PEM: copy the whole file`);
  }
  return key;
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
