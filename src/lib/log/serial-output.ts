import type { TextOutput } from "./log.ts";

/** An output for several writers: a text is written only after the previous text was written, so that two texts never mix. */
export function serialOutput(output: TextOutput): TextOutput {
  let last: Promise<unknown> = Promise.resolve();
  return (text) => {
    const written = last.then(() => output(text));
    last = written.catch(() => undefined);
    return written;
  };
}
