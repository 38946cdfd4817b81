/**
 * `tollgate start` and its gateway processes. It is a separate program, so that a gateway does not load the other commands, and the other
 * commands do not load a gateway.
 */
// This import must be first: modules that are imported after it are interpreted during the start.
import { compileSoon } from "./commands/gateway/compile-later.ts";
import { runGateway } from "./commands/gateway/run-gateway.ts";
import { startGateway } from "./commands/gateway/start-gateway.ts";
import { GATEWAY_PROCESS } from "../main/processes/process-argument.ts";
import { runGatewayProcess } from "../main/processes/run-gateway-process.ts";
import { parseArguments } from "./parse-arguments.ts";
import { reportFailure } from "./report-failure.ts";

const NAME = "start";

async function main(args: readonly string[]): Promise<void> {
  try {
    if (args[0] === GATEWAY_PROCESS) return await runGatewayProcess(compileSoon);
    await runGateway(parseArguments(NAME, args.slice(1), startGateway));
  } catch (error) {
    process.exit(reportFailure(error, args, { name: NAME, ...startGateway }));
  }
}

// oxlint-disable-next-line unicorn/prefer-top-level-await -- Bun has bytecode for CommonJS alone, which has none
void main(process.argv.slice(2));
