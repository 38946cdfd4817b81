/**
 * What would make a terminal do more than show text. Much of what is printed was written by somebody else: the name of a
 * member's key must not be able to move the cursor, set the title, or turn the reading direction around.
 */
const UNPRINTABLE = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, "\ufffd");
}

/** One line of JSON. What a terminal must not see is escaped, which to a program is the same. */
export function asJson(value: unknown): string {
  return `${JSON.stringify(value).replaceAll(UNPRINTABLE, escapeChar)}\n`;
}

function escapeChar(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Prints a result. Done when it is handed over, so that an exit right after it cuts nothing off. */
export async function writeStdout(text: string): Promise<void> {
  await writeChunk(text);
}

/** The same for one piece of many. False where whoever reads it has seen enough (`| head`), which is no failure. */
export function writeChunk(piece: string | Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = (): void => resolve(false);
    process.stdout.once("error", leave);
    process.stdout.write(piece, (error) => {
      // Where it fails this comes first, and nobody else listens for the event.
      if (!error) process.stdout.off("error", leave);
      resolve(!error);
    });
  });
}

/** How wide the terminal is. Undefined where the reader is a file or another program, which get everything in full. */
export function terminalWidth(): number | undefined {
  // A terminal that does not know its width says 0.
  return (process.stdout.isTTY && process.stdout.columns) || undefined;
}
