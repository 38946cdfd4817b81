import { ConfigError } from "../config/config-error.ts";
import { CommandFailed, UsageError, type Description } from "./command.ts";
import { asJson, printable } from "./output.ts";

/** The command that was called, where there is one. */
interface Called extends Pick<Description, "operands"> {
  readonly name: string;
}

/** Says on stderr what went wrong. 1: the command failed; 2: it was called wrongly. */
export function reportFailure(error: unknown, words: readonly string[], called: Called | undefined): 1 | 2 {
  const inJson = words.includes("--json");
  process.stderr.write(inJson ? asJson(problemFor(error)) : `tollgate: ${printable(wordsFor(error, called))}\n`);
  return error instanceof UsageError ? 2 : 1;
}

/** The same for programs: a `code` that stays the same, and all that the platform said. */
function problemFor(error: unknown): object {
  const detail = messageOf(error);
  if (error instanceof UsageError) return { code: "called_wrongly", detail, param: null };
  if (error instanceof ConfigError) return { code: "invalid_config", detail, param: null };
  return { code: "failed", param: null, ...(error instanceof CommandFailed && error.problem), detail };
}

function wordsFor(error: unknown, called: Called | undefined): string {
  if (error instanceof UsageError) return `${error.message}\nTry: npx tollgate ${called === undefined ? "" : `${called.name} `}--help`;
  const hasOperands = called !== undefined && called.operands.length > 0;
  return `${messageOf(error)}${hasOperands ? listCommandHint(error) : ""}`;
}

/** The commands that show the ids of what there is. */
const LISTS: Readonly<Record<string, string>> = {
  unknown_account: "accounts list",
  unknown_key: "keys list",
  unknown_model: "models list",
  unknown_person: "people list",
  unknown_upstream: "upstreams list",
};

/** Where to look for an id that is not there. */
function listCommandHint(error: unknown): string {
  const code = error instanceof CommandFailed ? (error.problem.code ?? "") : "";
  return Object.hasOwn(LISTS, code) ? ` See: npx tollgate ${LISTS[code]}` : "";
}

/** What is none of ours is a mistake in the program, and whoever mends it wants to know where. */
function messageOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof CommandFailed) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
