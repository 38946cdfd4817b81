import { hashKeyed } from "../lib/secret/checked-secret.ts";
import { Secret } from "../lib/secret/secret.ts";
import { ConfigError } from "./config-error.ts";
import type { ConfigDeclarations, FileCopy } from "./config-file.ts";

/** The digest of a file's declarations, independent of its path and age. It is keyed, so that credentials cannot be guessed from it. */
export function digestOfCopy({ declarations }: FileCopy, hashSecret: Secret): string {
  return Buffer.from(hashKeyed(JSON.stringify(["copy of a config file", declarations.reveal()]), hashSecret)).toString("hex");
}

/** The copy as text, from which another process reads the same file. */
export function writeCopy({ path, createdSeconds, declarations }: FileCopy): Secret {
  return new Secret(JSON.stringify({ path, created_seconds: createdSeconds, declarations: declarations.reveal() }));
}

/** Throws `ConfigError` if this version cannot read a copy that another version has written. */
export async function readCopy(content: Secret | undefined): Promise<ConfigDeclarations> {
  if (!content) throw new ConfigError("it was encrypted with another secret");
  const copy = JSON.parse(content.reveal()) as { path: string; created_seconds: number; declarations: string };
  // Loaded lazily: a gateway without a config file does not need a YAML parser. JSON is YAML.
  const { parseConfigFile } = await import("./config-file.ts");
  return parseConfigFile(copy.declarations, copy.path, undefined, copy.created_seconds);
}
