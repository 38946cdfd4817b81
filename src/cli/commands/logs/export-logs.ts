import { CommandFailed, type Command, type Description } from "../../command.ts";
import { choice } from "../../options.ts";
import { printable, putPiece } from "../../output.ts";
import { readPlatform } from "../../platform-client.ts";
import { inItsWords, readFields, toQuery } from "../../platform-command.ts";
import { FILTER_OPTIONS, withErrors } from "./filter-options.ts";

const command: Description = {
  summary: "Prints requests as a file, oldest first, however many they are.",
  details: `In CSV the first line names the columns, and an apostrophe stands before text that a spreadsheet would take for a formula. It
fails, with exit code 1, where the file breaks off.`,
  examples: ["logs export > requests.csv", "logs export --format jsonl --since 7d --account default > requests.jsonl"],
  operands: [],
  options: {
    format: choice("format", ["csv", "jsonl"], "csv, if not given; jsonl is a line of JSON for each, as is --json"),
    ...FILTER_OPTIONS,
  },
  call: "GET /api/requests/export",
};

export const exportLogs: Command = {
  ...command,
  async run(invocation) {
    const given = withErrors(readFields(command, invocation), invocation);
    const fields = { ...(invocation.json && { format: "jsonl" }), ...given };
    const pieces = await inItsWords(command, () => readPlatform(`/api/requests/export${toQuery(fields)}`));
    try {
      for await (const piece of process.stdout.isTTY ? shown(pieces) : pieces) if (!(await putPiece(piece))) return;
    } catch (error) {
      throw new CommandFailed("the gateway broke off: what was printed is not whole", { cause: error, problem: { code: "broken_off" } });
    }
  },
};

/** For a terminal: of the control characters in it, which anybody can have sent, only the ends of lines are left. */
async function* shown(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const utf8 = new TextDecoder();
  for await (const piece of pieces) yield printable(utf8.decode(piece, { stream: true }).replaceAll("\r", ""));
}
