import type { TextOutput } from "./log.ts";

const NEWLINE = 0x0a;
/** Longer than any line of a log. A line that is longer is truncated. */
const MAX_LINE_BYTES = 1024 * 1024;
const EMPTY = new Uint8Array();
const LINE_END = Uint8Array.of(NEWLINE);

/**
 * Copies the log lines of child processes to one output, as they are. Only complete lines are written: those of several processes never mix. No more
 * is read of a child while its last lines are being written: behind a slow reader the child's pipe is full, and its own log drops and counts.
 */
export class LogPump {
  readonly #output: TextOutput;
  #dropped = 0;

  /** The output must be shared by way of `serialOutput`, where somebody else writes to it. */
  constructor(output: TextOutput) {
    this.#output = output;
  }

  /** Lines that the output has lost, and lines of which a part was. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Copies a stream until it ends. A last line without an end is completed. */
  async copy(stream: AsyncIterable<Uint8Array>): Promise<void> {
    const lines = new CompleteLines();
    for await (const chunk of stream) await this.#write(lines.read(chunk));
    await this.#write(lines.end());
    this.#dropped += lines.truncated;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    if (!(await this.#output(text))) this.#dropped += text.split("\n").length - 1;
  }
}

/** Divides a stream at the ends of lines, and not at those of its chunks. */
class CompleteLines {
  truncated = 0;
  /** The beginning of a line whose end has not arrived. */
  #partial: Uint8Array[] = [];
  #partialBytes = 0;
  #isSkipping = false;

  /** The lines that are complete with this chunk. */
  read(chunk: Uint8Array): Uint8Array {
    const rest = this.#isSkipping ? this.#skip(chunk) : chunk;
    const end = rest.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const lines = this.#take(rest.subarray(0, end));
      this.#keep(rest.slice(end));
      return lines;
    }
    this.#keep(rest.slice());
    return this.#partialBytes > MAX_LINE_BYTES ? this.#truncate() : EMPTY;
  }

  /** The last line, where it has no end. */
  end(): Uint8Array {
    return this.#partialBytes === 0 ? EMPTY : this.#take(LINE_END);
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#partial.push(bytes);
    this.#partialBytes += bytes.length;
  }

  #take(last: Uint8Array): Uint8Array {
    const lines = this.#partialBytes === 0 ? last : Buffer.concat([...this.#partial, last]);
    this.#partial = [];
    this.#partialBytes = 0;
    return lines;
  }

  #truncate(): Uint8Array {
    this.truncated++;
    this.#isSkipping = true;
    return this.#take(LINE_END);
  }

  /** The bytes after the end of a truncated line. */
  #skip(chunk: Uint8Array): Uint8Array {
    const end = chunk.indexOf(NEWLINE) + 1;
    this.#isSkipping = end === 0;
    return end === 0 ? EMPTY : chunk.subarray(end);
  }
}
