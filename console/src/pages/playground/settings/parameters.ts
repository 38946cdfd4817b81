/** The parameters in the form, as text. Empty ones are not sent. */
export interface Parameters {
  readonly temperature: string;
  readonly topP: string;
  readonly maxTokens: string;
  readonly seed: string;
  /** One stop sequence per line. */
  readonly stop: string;
  readonly reasoningEffort: string;
}

export const NO_PARAMETERS: Parameters = {
  temperature: "",
  topP: "",
  maxTokens: "",
  seed: "",
  stop: "",
  reasoningEffort: "",
};

export const REASONING_EFFORTS = [
  { value: "", label: "Not set" },
  ...["none", "minimal", "low", "medium", "high", "xhigh"].map((value) => ({ value, label: value })),
];

type Name = keyof Parameters;

/** The field name and parser of each parameter. A parser returns undefined for invalid text. */
const FIELDS: readonly { readonly name: Name; readonly field: string; readonly read: (typed: string) => unknown }[] = [
  { name: "temperature", field: "temperature", read: readNumber },
  { name: "topP", field: "top_p", read: readNumber },
  { name: "maxTokens", field: "max_tokens", read: readWhole },
  { name: "seed", field: "seed", read: readWhole },
  { name: "stop", field: "stop", read: readLines },
  { name: "reasoningEffort", field: "reasoning_effort", read: (typed) => typed },
];

function readNumber(typed: string): number | undefined {
  return /^-?\d*\.?\d+$/.test(typed.trim()) ? Number(typed) : undefined;
}

function readWhole(typed: string): number | undefined {
  const value = readNumber(typed);
  return Number.isSafeInteger(value) ? value : undefined;
}

function readLines(typed: string): string[] {
  return typed.split("\n").filter((line) => line !== "");
}

/** The set parameters as request fields. */
export function parameterFields(parameters: Parameters): Record<string, unknown> {
  const set = FIELDS.filter(({ name }) => parameters[name].trim() !== "");
  return Object.fromEntries(set.map(({ name, field, read }) => [field, read(parameters[name])]));
}

/** The validation error of a parameter. */
export function problemOfParameter(parameters: Parameters, name: Name): string | undefined {
  const { read } = FIELDS.find((field) => field.name === name)!;
  if (parameters[name].trim() === "" || read(parameters[name]) !== undefined) return undefined;
  return read === readWhole ? "Must be an integer." : "Must be a number.";
}

export function hasProblem(parameters: Parameters): boolean {
  return FIELDS.some(({ name }) => problemOfParameter(parameters, name) !== undefined);
}

/** Reads parameters from request fields. Values that the form cannot show stay in `rest`, unchanged. */
export function readParameters(fields: Readonly<Record<string, unknown>>): { parameters: Parameters; rest: Record<string, unknown> } {
  const rest = { ...fields };
  const parameters: Record<Name, string> = { ...NO_PARAMETERS };
  for (const { name, field, read } of FIELDS) {
    const typed = typedOf(fields[field]);
    if (typed === undefined || JSON.stringify(read(typed)) !== JSON.stringify(fields[field])) continue;
    parameters[name] = typed;
    delete rest[field];
  }
  return { parameters, rest };
}

function typedOf(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "string") return String(value);
  if (Array.isArray(value)) return value.join("\n");
  return undefined;
}
