import { readFileSync } from "node:fs";
import { UsageError } from "./command.ts";
import { fileProblem } from "./file-problem.ts";

/**
 * Reads the secret in a file that an option names, or from stdin if the path is `-`: a command line stays in the shell's history and is
 * visible to other users. Errors do not repeat the path, because people paste the secret there.
 */
export function readSecretFile(path: string, name: string): string {
  const secret = readText(path, name).trim();
  if (secret === "") throw new UsageError(`${name}: ${path === "-" ? "stdin" : "the file"} is empty`);
  return secret;
}

function readText(path: string, name: string): string {
  if (path === "-" && process.stdin.isTTY) throw new UsageError(`${name} - reads stdin, which is a terminal here: pipe the secret in`);
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    const problem = fileProblem(error) ?? "cannot be read";
    throw new UsageError(`${name} takes the path of a file: ${path === "-" ? "stdin" : "the file"} ${problem}`);
  }
}
