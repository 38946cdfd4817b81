import { join } from "node:path";
import { variable, type MachineLookup } from "./aws-lookup.ts";
import { readTextFile } from "../read-text-file.ts";

export type Section = Readonly<Record<string, string>>;

/** The shared config and credentials files of the AWS command line and libraries. */
export interface SharedConfig {
  readonly profiles: ReadonlyMap<string, Section>;
  readonly ssoSessions: ReadonlyMap<string, Section>;
}

/** The locations of both files, for messages. */
export function describeFiles(lookup: MachineLookup): string {
  const { config, credentials } = pathsOf(lookup);
  return [config, credentials].filter((path) => path !== undefined).join(" and ") || "no file, because HOME is not set";
}

/** https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html */
export async function readSharedConfig(lookup: MachineLookup): Promise<SharedConfig> {
  const { config, credentials } = pathsOf(lookup);
  const profiles = new Map<string, Section>();
  const ssoSessions = new Map<string, Section>();
  for (const [title, section] of parseSections(await textOf(config))) {
    const [kind, name] = /^(profile|sso-session)\s+["']?([^"']+)["']?$/.exec(title)?.slice(1) ?? [];
    if (kind === "sso-session") ssoSessions.set(name!, section);
    else if (kind === "profile") profiles.set(name!, section);
    else if (title === "default" && !profiles.has(title)) profiles.set(title, section);
  }
  // If a profile is in both files, the credentials file takes precedence.
  for (const [name, section] of parseSections(await textOf(credentials))) profiles.set(name, { ...profiles.get(name), ...section });
  return { profiles, ssoSessions };
}

/** The sections of a file by their titles. */
function parseSections(text: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Record<string, string>>();
  let section: Record<string, string> | undefined;
  let isNested = false;
  for (const line of text.split(/\r?\n/)) {
    const content = line.split(/(?:^|\s)[;#]/, 1)[0]!.trim();
    const title = /^\[(.*)\]$/.exec(content)?.[1]?.trim();
    if (title !== undefined) {
      sections.set(title, (section = sections.get(title) ?? {}));
      isNested = false;
    }
    const [, name, value] = /^([^=]+?)\s*=\s*(.*)$/.exec(content) ?? [];
    if (!section || name === undefined || value === undefined) continue;
    // Indented settings of a service are skipped: they have nothing to do with credentials.
    isNested = value === "" || (isNested && /^\s/.test(line));
    if (!isNested) section[name] = value;
  }
  return sections;
}

function pathsOf(lookup: MachineLookup): { config: string | undefined; credentials: string | undefined } {
  const home = variable(lookup, "HOME");
  const inHome = (name: string): string | undefined => (home === undefined ? undefined : join(home, ".aws", name));
  return {
    config: variable(lookup, "AWS_CONFIG_FILE") ?? inHome("config"),
    credentials: variable(lookup, "AWS_SHARED_CREDENTIALS_FILE") ?? inHome("credentials"),
  };
}

async function textOf(path: string | undefined): Promise<string> {
  return (path !== undefined && (await readTextFile(path))) || "";
}
