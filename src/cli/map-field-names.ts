import type { Description, Option } from "./command.ts";
import type { Rejected } from "./platform-client.ts";

/** Replaces API fields in a message by option names: `caps.day must be …` becomes `--daily-cap must be …`. `typed` are the operands. */
export function mapFieldNames({ message, param }: Rejected, command: Description, typed: readonly string[] = []): string {
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

/** Other fields in the message: `allow_private: true` becomes `--allow-private yes`. A field of one word may be plain English, unless it is in backticks. */
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
