import { CommandFailed, UsageError, type Command, type Invocation, type Operand, type Option, type Description } from "./command.ts";
import { asJson, printable, writeStdout } from "./output.ts";
import { readSecretInput } from "./secret-input.ts";
import { callPlatform, PlatformRejected, type PlatformResponse } from "./platform-client.ts";

/** A command that makes one call of the platform API and prints the response. Its options are the fields of the request. */
export interface PlatformCommand<Reply> extends Omit<Command, "run" | "call" | "operands" | "options"> {
  readonly operands?: readonly Operand[];
  readonly options?: Readonly<Record<string, Option>>;
  /** `PATCH /api/keys/{id}`. Operands without a `field` fill the braces, in order. */
  readonly call: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /api/${string}`;
  /** The endpoint needs no credential. */
  readonly isPublic?: true;
  /** Adds fields that no option sets. */
  readonly complete?: (fields: Fields, invocation: Invocation) => Fields;
  /** Adds information from the HTTP status to the reply. */
  readonly shape?: (reply: Reply, status: number) => Reply;
  /** The reply as text, for people. */
  readonly print: (reply: Reply, invocation: Invocation) => string;
  /** A failure that the reply reports, such as a failed test. The command then fails, after printing. */
  readonly verdict?: (reply: Reply) => string | undefined;
}

/** The fields of a request by their paths in the platform API. */
export type Fields = Readonly<Record<string, unknown>>;

export function platformCommand<Reply>(described: PlatformCommand<Reply>): Command {
  const { operands = [], options = {}, isPublic, complete, shape, print, verdict, ...rest } = described;
  const command: Description = { ...rest, operands, options };
  return {
    ...command,
    async run(invocation) {
      const given = readFields(command, invocation);
      const fields = { ...(complete ? complete(given, invocation) : given), ...(await readStdin(command, invocation)) };
      const { status, body } = await callForCommand(command, invocation, fields, isPublic);
      const shown = shape ? shape(body as Reply, status) : (body as Reply);
      await writeStdout(invocation.json ? asJson(shown) : printable(print(shown, invocation)));
      const wrong = verdict?.(shown);
      if (wrong !== undefined) throw new CommandFailed(wrong);
    },
  };
}

/** Makes the call that a command describes. The message of a rejection names options, not API fields. */
export async function callForCommand(
  command: Description,
  invocation: Pick<Invocation, "operands">,
  fields: Fields,
  isPublic = false,
): Promise<PlatformResponse> {
  const [method, template] = command.call!.split(" ") as [string, string];
  const { inQuery, inBody } = splitFields(command, method, fields);
  const path = `${fillPath(template, command.operands, invocation.operands)}${toQuery(inQuery)}`;
  if (method === "PATCH" && Object.keys(inBody).length === 0) throw new UsageError("give at least one option to change");
  const hasBody = method !== "GET" && takesBody(method, inBody);
  const body = hasBody ? toBody(inBody) : undefined;
  return withOptionNames(command, () => callPlatform({ method, path, isPublic, body }), invocation.operands);
}

/** Rewrites the message of a rejection to name the command's options, and the operands as they were typed. */
export async function withOptionNames<T>(command: Description, call: () => Promise<T>, typed: readonly string[] = []): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof PlatformRejected
      ? new CommandFailed(mapFieldNames(error, command, typed), { cause: error, problem: error.problem })
      : error;
  }
}

/** The given options and operands, by field. */
export function readFields(command: Description, invocation: Invocation): Fields {
  const fields: Record<string, unknown> = { ...command.sets };
  command.operands.forEach(({ name, field, read = asIs }, at) => {
    const text = invocation.operands[at];
    if (field !== undefined && text !== undefined) fields[field] = read(text, name);
  });
  for (const [name, { field, read = asIs, gather }] of Object.entries(command.options)) {
    const texts = gather ? invocation.repeated[name] : invocation.options[name];
    if (field === undefined || texts === undefined) continue;
    const values = [texts].flat().map((text) => read(text, `--${name}`));
    fields[field] = gather ? gather(values) : values[0];
  }
  return fields;
}

async function readStdin({ stdin }: Description, { options }: Invocation): Promise<Fields> {
  if (stdin === undefined || (stdin.onlyWith !== undefined && options[stdin.onlyWith] === undefined)) return {};
  const lines = (await readSecretInput(stdin.what)).split(/\s*\n\s*/);
  return lines.length > 1 && stdin.fieldOfSeveral !== undefined ? { [stdin.fieldOfSeveral]: lines } : { [stdin.field]: lines.join("\n") };
}

function asIs(text: string): string {
  return text;
}

function fillPath(template: string, operands: readonly Operand[], given: readonly string[]): string {
  const steps = given.flatMap((text, at) => {
    const { name, field, read = asIs } = operands[at]!;
    return field === undefined ? [String(read(text, name))] : [];
  });
  return template.replaceAll(/\{\w+\}/g, () => encodeURIComponent(steps.shift()!));
}

function splitFields({ options }: Description, method: string, fields: Fields): { inQuery: Fields; inBody: Fields } {
  if (method === "GET") return { inQuery: fields, inBody: {} };
  const named = new Set(Object.values(options).flatMap(({ field, isInQuery }) => (isInQuery && field !== undefined ? field : [])));
  const [inQuery, inBody] = [true, false].map((isWanted) => Object.entries(fields).filter(([name]) => named.has(name) === isWanted));
  return { inQuery: Object.fromEntries(inQuery!), inBody: Object.fromEntries(inBody!) };
}

export function toQuery(fields: Fields): string {
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]));
  return query.size === 0 ? "" : `?${query.toString()}`;
}

function takesBody(method: string, fields: Fields): boolean {
  return method !== "DELETE" || Object.keys(fields).length > 0;
}

/** `{"caps.day": "5"}` is `{"caps": {"day": "5"}}`. */
function toBody(fields: Fields): object {
  const body: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(fields)) {
    const steps = path.split(".");
    const last = steps.pop()!;
    let at = body;
    for (const step of steps) at = (at[step] ??= {}) as Record<string, unknown>;
    at[last] = value;
  }
  return body;
}

/** Replaces API fields in a message by option names: `caps.day must be …` becomes `--daily-cap must be …`. `typed` are the operands. */
function mapFieldNames({ message, param }: PlatformRejected, command: Description, typed: readonly string[] = []): string {
  return mapOtherFields(mapInvalidField(message, param, command, typed), command);
}

/** The invalid field, if the message starts with it. */
function mapInvalidField(
  message: string,
  param: string | undefined,
  { operands, options, stdin }: Description,
  typed: readonly string[],
): string {
  if (param === undefined || !message.startsWith(param)) return message;
  const rest = message.slice(param.length);
  const [, field, within] = /^([^[]*)(?:\[\d+\]\.?(.*))?$/.exec(param)!;
  const at = operands.findIndex((each) => each.field === field);
  if (at >= 0) return `${operands[at]!.isFile ? typed[at] : operands[at]!.name}${rest}`;
  if (stdin && [stdin.field, stdin.fieldOfSeveral].includes(field) && stdin.onlyWith !== undefined)
    return `${stdin.what}, by --${stdin.onlyWith},${rest}`;
  const [name, option] = Object.entries(options).find(([, each]) => each.field === field) ?? [];
  if (option === undefined) return hasOwnOptions(field!, Object.entries(options)) ? `--${field}-*${rest}` : message;
  if (option.value === "JSON") return `--${name}: ${message}`;
  const part = option.parts?.[within ?? ""];
  return `${part === undefined ? "" : `${part} of `}--${name}${rest}`;
}

/** Whether all fields of an object have options that start with its name, such as `--aws-region` of `aws.region`. */
function hasOwnOptions(object: string, options: readonly [name: string, option: Option][]): boolean {
  const own = options.filter(([, { field }]) => field?.startsWith(`${object}.`));
  return own.length > 0 && own.every(([name]) => name.startsWith(`${object}-`));
}

/**
 * Other fields in the message: `allow_private: true` becomes `--allow-private yes`. A field name of one word is mapped only in backticks,
 * because it may be plain English.
 */
function mapOtherFields(original: string, { options }: Description): string {
  return Object.entries(options).reduce((message, [name, { field }]) => {
    if (field === undefined) return message;
    const words = message.replaceAll(`\`${field}\``, `--${name}`);
    if (!/[._]/.test(field)) return words;
    return words.replaceAll(
      new RegExp(`(?<!["\\w.-])${field.replaceAll(".", "\\.")}\\b(: true\\b)?`, "g"),
      (_, yes?: string) => `--${name}${yes ? " yes" : ""}`,
    );
  }, original);
}
