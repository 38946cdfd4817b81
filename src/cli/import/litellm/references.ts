/**
 * The variable that a value is read from: `os.environ/NAME` is LiteLLM's way to say it, `${NAME}` that of the tools which
 * fill in a file before LiteLLM sees it, and ours.
 */
export function variableIn(text: string): string | undefined {
  const [, name, filledIn] = /^(?:os\.environ\/([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\})$/.exec(text.trim()) ?? [];
  return name ?? filledIn;
}

const REFERENCE = /\$\{([A-Za-z_]\w*)(:-[^}]*)?\}/;

/** Whether our parser would put something from the environment into this text. There is no way to write it as it is. */
export function isFilledIn(text: string): boolean {
  return REFERENCE.test(text);
}

/** The variable that a text of our file has in it. */
export function referenceIn(text: string): string | undefined {
  return REFERENCE.exec(text)?.[1];
}

/** An address that this one could come to: `origin` for a variable at its beginning, a word for one elsewhere. */
export function sampleOf(baseUrl: string, origin: string): string {
  return baseUrl.replace(REFERENCE, baseUrl.startsWith("${") ? origin : "sample");
}
