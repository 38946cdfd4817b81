/** The process environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Invalid settings, with a message for the operator. The process does not start until they are fixed. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  /** Each problem separately: a file may have several. */
  readonly problems: readonly string[];

  constructor(message: string, problems: readonly string[] = [message]) {
    super(message);
    this.problems = problems;
  }
}
