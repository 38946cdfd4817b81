import { fstatSync, write } from "node:fs";
import { promisify } from "node:util";
import type { TextOutput } from "../../../lib/log/log.ts";

const AGAIN_MS = 50;

const writeTo = promisify(write);

/**
 * Puts text out by the standard output or the standard error, and keeps nobody waiting where it is not taken. Bun writes to a pipe when there is room in
 * it, but waits for a terminal that was stopped (Ctrl-S), and all requests with it: so that is written by a thread of its own, as
 * are files.
 */
export function putOut(output: NodeJS.WriteStream & { fd: number }): TextOutput {
  const stats = fstatSync(output.fd);
  return stats.isFIFO() || stats.isSocket() ? putIntoPipe(output) : (text) => putIntoFile(output.fd, text);
}

function putIntoPipe(output: NodeJS.WriteStream): TextOutput {
  // Whoever read the log may go away (`| head`); the gateway stays.
  output.on("error", () => undefined);
  return (text) => new Promise((resolve) => output.write(text, (error) => resolve(!error)));
}

/** A disk that is full may have room again later: what could not be written is lost, and the next is tried. */
async function putIntoFile(descriptor: number, text: string): Promise<boolean> {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(await written(descriptor, rest));
    } catch {
      return false;
    }
  }
  return true;
}

/** A terminal may be shared with a program that has told it not to wait. */
async function written(descriptor: number, bytes: Uint8Array): Promise<number> {
  try {
    return (await writeTo(descriptor, bytes)).bytesWritten;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    await Bun.sleep(AGAIN_MS);
    return 0;
  }
}
