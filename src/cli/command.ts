/** One command: the description that help, completion and parsing use, and its implementation. */
export interface Command {
  /** One imperative sentence: "List keys." */
  readonly summary: string;
  /** Further explanation, in whole sentences. */
  readonly details?: string;
  /** At least one command line that works when pasted, without the program's name. */
  readonly examples: readonly [string, ...string[]];
  /** The positional arguments, in order. */
  readonly operands: readonly Operand[];
  readonly options: Readonly<Record<string, Option>>;
  /** A secret read from stdin: a command line stays in the shell's history and is visible to other users. */
  readonly stdin?: StandardInput;
  /** Fields of the request that the implementation fills in. */
  readonly fillsIn?: readonly string[];
  /** Fields of the request that it always sets. */
  readonly sets?: Readonly<Record<string, unknown>>;
  /** The call of the platform API that it makes, such as `GET /api/keys/{id}`. */
  readonly call?: string;
  run(invocation: Invocation): Promise<void>;
}

/** A command without its implementation. */
export type Description = Omit<Command, "run">;

export interface StandardInput {
  readonly field: string;
  /** The field for several values, given one per line. */
  readonly fieldOfSeveral?: string;
  /** Its name in messages, such as "the credential". */
  readonly what: string;
  /** The flag that enables it. If there is none, it is always read. */
  readonly onlyWith?: string;
}

export interface Operand {
  /** As the help shows it: `ACCOUNT`. */
  readonly name: string;
  readonly meaning: string;
  readonly choices?: readonly string[];
  /** Only trailing operands can be optional. */
  readonly isOptional?: true;
  /** The field of the request. If there is none, the operand is part of the path. */
  readonly field?: string;
  readonly read?: Reader;
  /** It names a file whose text is the field. Messages use the file name. */
  readonly isFile?: true;
}

export interface Option {
  readonly meaning: string;
  /** Its short form: `-f`. */
  readonly letter?: string;
  /** The placeholder of its value in the help, such as `DOLLARS`. An option without a placeholder is a flag. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** The message if it is missing. Only a required option has one. */
  readonly required?: string;
  /** Its field in the platform API: `caps.day`. */
  readonly field?: string;
  /** It is a query parameter even if the other fields are in the body. */
  readonly isInQuery?: true;
  /** The option names of nested fields: `max_price.input_per_million` is `max-input-price`. */
  readonly parts?: Readonly<Record<string, string>>;
  readonly read?: Reader;
  /** It is repeatable, and this combines the values. */
  readonly gather?: (values: readonly unknown[]) => unknown;
}

/** Parses an argument into a value of the platform API. Throws `UsageError`, whose message uses `name`. */
export type Reader = (text: string, name: string) => unknown;

/** The parsed arguments, validated against the command's description. */
export interface Invocation {
  /** The command's own words: `keys list`. */
  readonly name: string;
  readonly json: boolean;
  readonly operands: readonly string[];
  /** The value of each given option; the empty string for a flag. */
  readonly options: Readonly<Record<string, string>>;
  /** The values of each repeatable option. */
  readonly repeated: Readonly<Record<string, readonly string[]>>;
}

/** The command line is invalid. */
export class UsageError extends Error {}

/** An error, for programs. The platform's problems have more fields. */
interface Problem {
  readonly code?: string;
  readonly param?: string | null;
}

/** The command line is valid, but the command failed. */
export class CommandFailed extends Error {
  readonly problem: Problem;

  constructor(message: string, { problem = {}, ...options }: ErrorOptions & { readonly problem?: Problem } = {}) {
    super(message, options);
    this.problem = problem;
  }
}
