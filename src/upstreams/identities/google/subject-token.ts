import { readNamedFile } from "../read-text-file.ts";
import type { CancelSignal } from "../../../lib/async/cancellation.ts";
import { isObject } from "../../../lib/schema/schema.ts";
import { Secret } from "../../../lib/secret/secret.ts";
import { callCloud, type CloudPlace } from "../call-cloud.ts";
import { IdentityFailure } from "../credential-source.ts";
import { refusalIn } from "./token-reply.ts";

type Json = Readonly<Record<string, unknown>>;

/** The metadata service of Azure virtual machines, which Google documents as a source. */
const AZURE_METADATA = "http://169.254.169.254/metadata/identity/oauth2/token";

/** Obtains the proof of who the workload is, by the `credential_source` of a configuration. It is read again for each exchange. */
export async function obtainSubjectToken(source: Json, signal: CancelSignal): Promise<Secret> {
  const { file, url } = source;
  if (typeof file === "string") return inFormat(await readNamedFile(file, "the credential_source"), source["format"], `the file ${file}`);
  if (typeof url === "string") return fetchFrom(url, source, signal);
  throw new IdentityFailure("missing", `the credential_source of the Google credentials ${refusalOf(source)}`);
}

function refusalOf(source: Json): string {
  if (source["executable"] !== undefined) return "is a command, and the gateway starts no other programs. Use file or url";
  if (source["certificate"] !== undefined) return "is a certificate, which is not supported. Use file or url";
  return "has neither file nor url";
}

async function fetchFrom(url: string, source: Json, signal: CancelSignal): Promise<Secret> {
  const given = isObject(source["headers"]) ? Object.entries(source["headers"]) : [];
  const headers = Object.fromEntries(given.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  const reply = await callCloud({ url, headers, at: placeOf(url) }, signal);
  const name = `the credential_source at ${new URL(url).host}`;
  if (reply.status !== 200) throw refusalIn(reply, name);
  return inFormat(reply.text, source["format"], name);
}

/** Public addresses, this machine, and the metadata service of Azure: a doctored file must not steer the gateway into the private network. */
function placeOf(url: string): CloudPlace {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new IdentityFailure("missing", "the url of credential_source is not an address");
  if (parsed.origin + parsed.pathname === AZURE_METADATA) return "metadata";
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(parsed.hostname) ? "chosen" : "internet";
}

function inFormat(text: string, format: unknown, name: string): Secret {
  const { type = "text", subject_token_field_name: field } = isObject(format) ? format : {};
  const token = type === "json" ? fieldOf(text, field) : text.trim();
  if (typeof token !== "string" || token === "") throw new IdentityFailure("missing", `${name} has no subject token`);
  return new Secret(token);
}

function fieldOf(text: string, field: unknown): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) && typeof field === "string" ? body[field] : undefined;
  } catch {
    return undefined;
  }
}
