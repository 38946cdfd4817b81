/** One command: everything that its help, its completion and its parsing need, and what it does. */
export interface Command {
  /** One sentence: what it does. */
  readonly summary: string;
  /** What else one has to know to use it well, in whole sentences. */
  readonly details?: string;
  /** Command lines that work when pasted, without the program's name. At least one. */
  readonly examples: readonly [string, ...string[]];
  /** What must follow, in order. */
  readonly operands: readonly Operand[];
  readonly options: Readonly<Record<string, Option>>;
  /** A secret that it reads from the standard input: a command line stays in the shell's history, and others can see it run. */
  readonly stdin?: StandardInput;
  /** Fields of the request that it fills in itself, as it goes on. */
  readonly fillsIn?: readonly string[];
  /** Fields of the request that it always sets. */
  readonly sets?: Readonly<Record<string, unknown>>;
  /** The call of the platform API that it makes, such as `GET /api/keys/{id}`. */
  readonly call?: string;
  run(invocation: Invocation): Promise<void>;
}

/** What a command declares of itself. */
export type Description = Omit<Command, "run">;

export interface StandardInput {
  readonly field: string;
  /** The field for several of them, each on a line of its own. */
  readonly fieldOfSeveral?: string;
  /** What it is, for messages: "the credential". */
  readonly what: string;
  /** The flag that asks for it. Without one it is always read. */
  readonly onlyWith?: string;
}

export interface Operand {
  /** As the help shows it: `ACCOUNT`. */
  readonly name: string;
  readonly meaning: string;
  readonly choices?: readonly string[];
  /** The last ones may be left out. */
  readonly isOptional?: true;
  /** What the platform API calls it, where it is a field of the request. Without it, it is a step of the path. */
  readonly field?: string;
  readonly read?: Reader;
  /** It names a file, whose text is the field: messages go by the name that was typed. */
  readonly isFile?: true;
}

export interface Option {
  readonly meaning: string;
  /** A letter that stands for it: `-f`. */
  readonly letter?: string;
  /** What its value is, as the help shows it: `DOLLARS`. An option without one stands alone. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** What to say where it is missing. Only a required option has it. */
  readonly required?: string;
  /** What the platform API calls it: `caps.day`. */
  readonly field?: string;
  /** It goes with the address of the call, also where the others are in its body. */
  readonly isInQuery?: true;
  /** What it calls the fields within its own: `max_price.input_per_million` is `max-input-price`. */
  readonly parts?: Readonly<Record<string, string>>;
  readonly read?: Reader;
  /** It may be given several times, and this makes one value of what they were read as. */
  readonly gather?: (values: readonly unknown[]) => unknown;
}

/** Turns a word of the command line into what the platform API takes. Throws `UsageError`; `name` is for its message. */
export type Reader = (text: string, name: string) => unknown;

/** What a command was called with. All of it has been checked against the command's description. */
export interface Invocation {
  /** The command's own words: `keys list`. */
  readonly name: string;
  readonly json: boolean;
  readonly operands: readonly string[];
  /** What each option was given. A flag that was given is an empty text. */
  readonly options: Readonly<Record<string, string>>;
  /** What those were given that may be given several times. */
  readonly repeated: Readonly<Record<string, readonly string[]>>;
}

/** The command line itself is wrong. */
export class UsageError extends Error {}

/** What is wrong, for programs. The platform's own problems have more fields than these. */
export interface Problem {
  readonly code?: string;
  readonly param?: string | null;
}

/** The command was understood and could not be carried out. */
export class CommandFailed extends Error {
  readonly problem: Problem;

  constructor(message: string, { problem = {}, ...options }: ErrorOptions & { readonly problem?: Problem } = {}) {
    super(message, options);
    this.problem = problem;
  }
}
