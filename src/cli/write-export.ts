import { CommandFailed } from "./command.ts";
import { printable, writeChunk } from "./output.ts";

/** Writes a streamed export to stdout. Resolves to whether the export had any content. Throws `CommandFailed` if the stream is cut off. */
export async function writeExport(chunks: AsyncIterable<Uint8Array>): Promise<boolean> {
  let hasWritten = false;
  try {
    for await (const chunk of process.stdout.isTTY ? withoutControls(chunks) : chunks) {
      hasWritten ||= chunk.length > 0;
      if (!(await writeChunk(chunk))) break;
    }
    return hasWritten;
  } catch (error) {
    throw new CommandFailed("the connection to the gateway was lost: the export is incomplete", {
      cause: error,
      problem: { code: "broken_off" },
    });
  }
}

/** For a terminal: removes control characters, which any client can have sent, except line breaks. */
async function* withoutControls(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const utf8 = new TextDecoder();
  for await (const chunk of chunks) yield printable(utf8.decode(chunk, { stream: true }).replaceAll("\r", ""));
}
