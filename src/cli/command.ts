/** What a command was called with. */
export interface Invocation {
  readonly json: boolean;
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly operands: readonly string[];
}

export interface Command {
  readonly summary: string;
  /** Option names and what they mean. Each takes a value. */
  readonly options: Readonly<Record<string, string>>;
  /** What must follow, in order. */
  readonly operands: readonly string[];
  run(invocation: Invocation): Promise<void>;
}

/** The command line itself is wrong. */
export class UsageError extends Error {}

/** The command was understood and could not be carried out. */
export class CommandFailed extends Error {}
