/** `tollgate start`: a program of its own, so that a gateway has none of the other commands in its memory, nor they a gateway. */
// oxlint-disable-next-line import/no-unassigned-import -- it has to be there before all that follows
import "./commands/gateway/compile-later.ts";
import { runGateway } from "./commands/gateway/run-gateway.ts";
import { startGateway } from "./commands/gateway/start-gateway.ts";
import { parseArguments } from "./parse-arguments.ts";
import { reportFailure } from "./report-failure.ts";

const NAME = "start";

async function main(words: readonly string[]): Promise<void> {
  try {
    await runGateway(parseArguments(NAME, words.slice(1), startGateway));
  } catch (error) {
    process.exit(reportFailure(error, words, { name: NAME, ...startGateway }));
  }
}

// oxlint-disable-next-line unicorn/prefer-top-level-await -- Bun has bytecode for CommonJS alone, which has none
void main(process.argv.slice(2));
