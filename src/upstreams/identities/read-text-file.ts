import { readFile } from "node:fs/promises";
import { IdentityFailure } from "./credential-source.ts";

/** The text of a file; undefined if the file does not exist. */
export async function readTextFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new IdentityFailure("missing", `${path} cannot be read (${code}): give the user of the gateway access to it`);
  }
}

/** The text of a file that a setting names. */
export async function readNamedFile(path: string, setting: string): Promise<string> {
  const text = await readTextFile(path);
  if (text === undefined) throw new IdentityFailure("missing", `${path} does not exist: ${setting} names it`);
  return text;
}
