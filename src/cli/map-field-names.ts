import type { Description } from "./command.ts";
import type { Refused } from "./platform-client.ts";

/** `caps.day must be …` is `--daily-cap must be …` to whoever typed that. `typed` are the operands. */
export function mapFieldNames({ message, param }: Refused, command: Description, typed: readonly string[] = []): string {
  return nameOthers(nameCulprit(message, param, command, typed), command);
}

/** The field at fault, where the message begins with it. */
function nameCulprit(
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
  if (option === undefined) return message;
  if (option.value === "JSON") return `--${name}: ${message}`;
  const part = option.parts?.[within ?? ""];
  return `${part === undefined ? "" : `${part} of `}--${name}${rest}`;
}

/** Other fields that the message speaks of: `allow_private: true` is `--allow-private yes`. One word alone may be plain English, unless it is in backticks. */
function nameOthers(refusal: string, { options }: Description): string {
  return Object.entries(options).reduce((message, [name, { field }]) => {
    if (field === undefined) return message;
    const words = message.replaceAll(`\`${field}\``, `--${name}`);
    if (!/^[a-z]+_[a-z_]+$/.test(field)) return words;
    return words.replaceAll(new RegExp(`(?<!["\\w.-])${field}\\b(: true\\b)?`, "g"), (_, yes?: string) => `--${name}${yes ? " yes" : ""}`);
  }, refusal);
}
