import { ConfigError } from "../config/config-error.ts";
import { CommandFailed, UsageError, type Description } from "./command.ts";
import { asJson, printable } from "./output.ts";
import { TOLLGATE } from "../lib/this-program.ts";

/** The command that was called, if there is one. */
interface CalledCommand extends Pick<Description, "operands"> {
  readonly name: string;
}

/** Prints the error on stderr. Returns the exit code: 1 if the command failed, 2 if the command line is invalid. */
export function reportFailure(error: unknown, args: readonly string[], called: CalledCommand | undefined): 1 | 2 {
  const inJson = args.includes("--json");
  process.stderr.write(inJson ? asJson(problemFor(error)) : `tollgate: ${printable(textFor(error, called))}\n`);
  return error instanceof UsageError ? 2 : 1;
}

/** The error for programs: a stable `code`, and all fields of the platform's problem. */
function problemFor(error: unknown): object {
  const detail = messageOf(error);
  if (error instanceof UsageError) return { code: "called_wrongly", detail, param: null };
  if (error instanceof ConfigError) return { code: "invalid_config", detail, param: null };
  return { code: "failed", param: null, ...(error instanceof CommandFailed && error.problem), detail };
}

function textFor(error: unknown, called: CalledCommand | undefined): string {
  if (error instanceof UsageError) return `${error.message}\nTry: ${TOLLGATE} ${called === undefined ? "" : `${called.name} `}--help`;
  const hasOperands = called !== undefined && called.operands.length > 0;
  return `${messageOf(error)}${hasOperands ? listCommandHint(error) : ""}`;
}

/** The commands that list the valid IDs. */
const LISTS: Readonly<Record<string, string>> = {
  unknown_account: "accounts list",
  unknown_instance: "instances",
  unknown_key: "keys list",
  unknown_model: "models list",
  unknown_person: "people list",
  unknown_upstream: "upstreams list",
};

/** The command that lists the valid IDs, after an unknown one. */
function listCommandHint(error: unknown): string {
  const code = error instanceof CommandFailed ? (error.problem.code ?? "") : "";
  return Object.hasOwn(LISTS, code) ? ` See: ${TOLLGATE} ${LISTS[code]}` : "";
}

/** Any other error is a bug, and is printed with its stack. */
function messageOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof CommandFailed) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
