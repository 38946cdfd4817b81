/**
 * Characters that would control a terminal. Much of the output was written by other people: the name of a member's key must not move the
 * cursor, set the title, or reverse the reading direction.
 */
const UNPRINTABLE = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, "\ufffd");
}

/** One line of JSON. Control characters are escaped, which does not change the meaning for a program. */
export function asJson(value: unknown): string {
  return `${JSON.stringify(value).replaceAll(UNPRINTABLE, escapeChar)}\n`;
}

function escapeChar(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Writes to stdout. Resolves when the text is written, so that an exit right after it loses nothing. */
export async function writeStdout(text: string): Promise<void> {
  await writeChunk(text);
}

/** Writes one chunk of many. Resolves to false once the reader has closed the pipe (`| head`), which is not a failure. */
export function writeChunk(chunk: string | Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const close = (): void => resolve(false);
    process.stdout.once("error", close);
    process.stdout.write(chunk, (error) => {
      // After a failure, this callback runs before the event, which needs a listener.
      if (!error) process.stdout.off("error", close);
      resolve(!error);
    });
  });
}

/** Writes a remark to stderr, which is not a failure: a line of JSON with --json. */
export function reportStatus(code: string, detail: string, json: boolean): void {
  process.stderr.write(json ? asJson({ code, detail, param: null }) : `tollgate: ${detail}\n`);
}

/** The width of the terminal. Undefined for a file or a pipe, which receive the complete text. */
export function terminalWidth(): number | undefined {
  // A terminal that does not know its width reports 0.
  return (process.stdout.isTTY && process.stdout.columns) || undefined;
}
