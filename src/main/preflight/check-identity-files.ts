import { createPrivateKey } from "node:crypto";
import { Cancellation } from "../../lib/async/cancellation.ts";
import type { CloudVariables } from "../../models/identities/cloud-variables.ts";
import type { AwsIdentity, GoogleIdentity } from "../../models/identities/identity.ts";
import { identityOf, type UpstreamSettings } from "../../models/upstream-settings.ts";
import { describeFiles, readSharedConfig } from "../../upstreams/identities/aws/shared-config.ts";
import { readNamedFile } from "../../upstreams/identities/read-text-file.ts";
import { IdentityFailure } from "../../upstreams/identities/credential-source.ts";
import { readGoogleFile } from "../../upstreams/identities/google/google-file.ts";

/** The problems with local files and profiles that identities refer to, each as a sentence. No server is called. */
export async function checkIdentityFiles(upstreams: readonly UpstreamSettings[], variables: CloudVariables): Promise<string[]> {
  const problems = await Promise.all(upstreams.map((upstream) => problemOf(upstream, variables)));
  return problems.filter((problem) => problem !== undefined);
}

async function problemOf(upstream: UpstreamSettings, variables: CloudVariables): Promise<string | undefined> {
  const identity = identityOf(upstream);
  try {
    if (identity?.kind === "google") await readGoogleCredentials(identity);
    if (identity?.kind === "aws") await findProfile(identity, variables);
    return undefined;
  } catch (error) {
    if (error instanceof IdentityFailure) return `the upstream ${upstream.id}: ${error.message}`;
    throw error;
  }
}

async function readGoogleCredentials({ credentials, credentialsFile }: GoogleIdentity): Promise<void> {
  if (credentials) return readGoogleText(credentials.reveal(), "google.credentials");
  if (credentialsFile === undefined) return;
  readGoogleText(await readNamedFile(credentialsFile, "google.credentials_file"), `${credentialsFile} (google.credentials_file)`);
}

function readGoogleText(text: string, name: string): void {
  const file = readGoogleFile(text, name);
  if (file.type !== "service_account") return;
  try {
    createPrivateKey(file.privateKey.reveal());
  } catch {
    throw new IdentityFailure("missing", `${name} has a private_key that cannot be read as PEM`);
  }
}

async function findProfile({ profile }: AwsIdentity, variables: CloudVariables): Promise<void> {
  if (profile === undefined) return;
  const lookup = { variables, signal: new Cancellation() };
  const { profiles } = await readSharedConfig(lookup);
  if (!profiles.has(profile))
    throw new IdentityFailure("missing", `the profile ${profile} (aws.profile) is not in ${describeFiles(lookup)}`);
}
