import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { randomBase62 } from "../lib/text/base62.ts";
import { Secret } from "../lib/secret/secret.ts";

/** The secret in a file that only its owner can read. If there is no file, creates it with a random secret. */
export function loadOrCreateSecret(path: string, prefix = ""): Secret {
  return readSecret(path) ?? writeSecret(path, new Secret(prefix + randomBase62(43)));
}

/** The secret in a file, or undefined if there is no file. */
export function readSecret(path: string): Secret | undefined {
  try {
    const text = readFileSync(path, "utf8").trim();
    if (text === "") throw new Error(`${path} is empty. Restore it from a backup, or remove it so that a new secret is generated.`);
    return new Secret(text);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Writes a secret to a file. Every key's hash depends on such a secret, so it is fsynced before it is first used. It is renamed into place
 * when it is complete: a process that is killed here must not leave an empty file, which the next start would report as a lost secret.
 */
export function writeSecret(path: string, secret: Secret): Secret {
  const unnamed = `${path}.new`;
  rmSync(unnamed, { force: true });
  const file = openSync(unnamed, "wx", 0o600);
  writeSync(file, `${secret.reveal()}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(unnamed, path);
  return secret;
}
