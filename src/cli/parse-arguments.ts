import { parseArgs, type ParseArgsConfig } from "node:util";
import { UsageError, type Command, type Invocation, type Operand } from "./command.ts";
import { suggestOption } from "./suggest.ts";
import { messageOf } from "../lib/text/message-of.ts";

/** Parses the arguments after a command's name, and validates them against its description. Throws `UsageError`. */
export function parseArguments(name: string, args: readonly string[], command: Command): Invocation {
  const { values, positionals } = parseOrExplain(args.map(hideSign), command);
  const { json, ...given } = values;
  const operands = positionals.map(showSign);
  const [several, single] = split(Object.entries(given), ([option]) => command.options[option]?.gather !== undefined);
  const options = Object.fromEntries(single.map(([option, texts]) => [option, onlyOne(option, texts)]));
  const repeated = Object.fromEntries(several.map(([option, texts]) => [option, [texts].flat().map((text) => showSign(String(text)))]));
  checkOperands(operands, command.operands);
  checkOptions({ ...options, ...repeated }, command);
  return { name, json: json !== undefined, operands, options, repeated };
}

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

function parseOrExplain(args: string[], command: Command): { values: Values; positionals: string[] } {
  // All options are declared as repeatable: if an option were repeated, the parser would silently use its last value.
  const options: NonNullable<ParseArgsConfig["options"]> = { json: { type: "boolean", multiple: true } };
  for (const [option, { value, letter }] of Object.entries(command.options)) {
    options[option] = { type: value === undefined ? "boolean" : "string", multiple: true, ...(letter !== undefined && { short: letter }) };
  }
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(explain(error, command));
  }
}

/** Tollgate's message for the error, with a suggestion. Node's message has advice that does not apply here. */
function explain(error: unknown, { options }: Command): string {
  const message = messageOf(error);
  const [given = "", name = ""] = /--([\w-]+)/.exec(message) ?? /-(\w)/.exec(message) ?? [];
  const isKnown = given.startsWith("--") && (name === "json" || Object.hasOwn(options, name));
  if (!isKnown) {
    const meant = suggestOption(name, [...Object.keys(options), "json"]);
    return `unknown option ${given}${meant === undefined ? "" : `: did you mean --${meant}?`}`;
  }
  const value = options[name]?.value;
  return value === undefined ? `--${name} takes no value` : `--${name} needs a value: --${name} ${value}`;
}

function split<T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((each) => !isFirst(each))];
}

function onlyOne(option: string, values: Values[string]): string {
  const [value, ...more] = [values].flat();
  if (more.length > 0) throw new UsageError(`--${option} is given more than once`);
  return typeof value === "string" ? showSign(value) : "";
}

const HIDDEN_SIGN = "\0";

/** An argument such as -5 is an amount. Node would parse it as an option, so the sign is hidden from it. */
function hideSign(arg: string): string {
  return arg.replace(/^-(?=\.?\d)/, HIDDEN_SIGN);
}

function showSign(arg: string): string {
  return arg.replace(HIDDEN_SIGN, "-");
}

function checkOperands(given: readonly string[], wanted: readonly Operand[]): void {
  const needed = wanted.filter((operand) => !operand.isOptional);
  if (given.length < needed.length || given.length > wanted.length) throw new UsageError(wantedOperands(wanted));
  given.forEach((text, at) => checkChoice(text, wanted[at]!.name, wanted[at]!.choices));
}

function wantedOperands(operands: readonly Operand[]): string {
  const [first, second] = operands;
  if (!first) return "this command takes no arguments";
  if (first.isOptional) return `expected ${operands.map(({ name }) => name).join(" and ")}, or nothing`;
  return second ? `expected ${operands.map(({ name }) => name).join(" and ")}` : `expected one ${first.name}`;
}

function checkOptions(given: Readonly<Record<string, string | readonly string[]>>, command: Command): void {
  for (const [name, { required, choices }] of Object.entries(command.options)) {
    const texts = [given[name] ?? []].flat();
    if (required !== undefined && texts.every((text) => text === "")) throw new UsageError(required);
    for (const text of texts) checkChoice(text, `--${name}`, choices);
  }
}

function checkChoice(text: string, name: string, choices: readonly string[] | undefined): void {
  if (choices === undefined || choices.includes(text)) return;
  throw new UsageError(`${name} must be one of ${choices.join(", ")}, not ${JSON.stringify(text)}`);
}
