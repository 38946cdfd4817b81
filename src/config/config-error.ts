/** The process environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Invalid settings, with a message for the operator. The process does not start until they are fixed. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
