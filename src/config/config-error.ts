/** The process environment, as it was given. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that cannot be used, in words for the operator. Nothing listens before they are mended. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
