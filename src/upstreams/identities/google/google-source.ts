import { join } from "node:path";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import type { CloudVariables } from "../../../models/identities/cloud-variables.ts";
import type { GoogleIdentity } from "../../../models/identities/identity.ts";
import { readNamedFile, readTextFile } from "../read-text-file.ts";
import { IdentityFailure, type AccessToken, type CredentialSource, type Obtained } from "../credential-source.ts";
import { CloudClock } from "../cloud-clock.ts";
import { SYSTEM_CLOCK } from "../refreshed-credentials.ts";
import { federate } from "./federation.ts";
import { readGoogleFile } from "./google-file.ts";
import { JwtGrant } from "./jwt-grant.ts";
import { fromMetadataServer, metadataOrigin } from "./metadata-server.ts";

/** The file that gcloud writes, below the home directory. */
const GCLOUD_FILE = ".config/gcloud/application_default_credentials.json";

interface NamedText {
  readonly text: string;
  readonly name: string;
}

/** Access tokens of Google Cloud: of the identity's own credentials, or as Google's libraries find them on this machine. */
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
  async obtain(signal: CancelSignal): Promise<Obtained<AccessToken>> {
    const found = await this.#findFile();
    if (!found) return this.#fromMetadata(signal);
    const file = readGoogleFile(found.text, found.name);
    if (file.type === "service_account") {
      return { credentials: await this.#grant.obtain(file, signal), source: `the key of ${file.email} in ${found.name}` };
    }
    const credentials = await federate(file, this.#variables, this.#nowMs, this.#awsClock, signal);
    return { credentials, source: `workload identity federation by ${found.name}` };
  }

  async #fromMetadata(signal: CancelSignal): Promise<Obtained<AccessToken>> {
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
