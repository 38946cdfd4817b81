import { fstatSync, write } from "node:fs";
import { promisify } from "node:util";
import type { TextOutput } from "../../../lib/log/log.ts";

const RETRY_MS = 50;

const writeBytes = promisify(write);

/**
 * A writer for stdout or stderr that never blocks the event loop. Bun writes to a pipe only while it has space, but blocks on a terminal that
 * was stopped (Ctrl-S), and every request with it. Terminals and files are therefore written from the thread pool.
 */
export function outputWriter(output: NodeJS.WriteStream & { fd: number }): TextOutput {
  const stats = fstatSync(output.fd);
  return stats.isFIFO() || stats.isSocket() ? pipeWriter(output) : (text) => writeFile(output.fd, text);
}

function pipeWriter(output: NodeJS.WriteStream): TextOutput {
  // The reader of the log may close the pipe (`| head`); the gateway continues.
  output.on("error", () => undefined);
  return (text) => new Promise((resolve) => output.write(text, (error) => resolve(!error)));
}

/** A full disk may have space again later: text that could not be written is lost, and the next text is attempted again. */
async function writeFile(descriptor: number, text: string): Promise<boolean> {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(await writeSome(descriptor, rest));
    } catch {
      return false;
    }
  }
  return true;
}

/** Returns the number of bytes written. EAGAIN: a terminal may be shared with a program that made it non-blocking. */
async function writeSome(descriptor: number, bytes: Uint8Array): Promise<number> {
  try {
    return (await writeBytes(descriptor, bytes)).bytesWritten;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    await Bun.sleep(RETRY_MS);
    return 0;
  }
}
