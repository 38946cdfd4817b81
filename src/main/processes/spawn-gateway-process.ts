import { withoutSettings } from "../../config.ts";
import { THIS_PROGRAM } from "../../lib/this-program.ts";
import type { StartedProgram } from "../../processes/supervised-process.ts";
import { decodeSettings } from "./gateway-settings.ts";
import type { ProcessArguments } from "./gateway-process.ts";
import { GATEWAY_PROCESS } from "./process-argument.ts";

/** The JSON that the program reads from its standard input: arguments would be visible to every user of the machine. */
interface ProcessInput {
  readonly dataFolder: string;
  readonly id: string;
  readonly settings: unknown;
  readonly settingsDigest: string;
}

/**
 * Starts this program again, as a gateway process. `socket` is the file descriptor of the unix socket that it listens on, if there is one.
 */
export function spawnGatewayProcess(input: ProcessInput, socket: number | undefined): StartedProgram {
  const { pid, exited } = Bun.spawn([...THIS_PROGRAM, GATEWAY_PROCESS, input.id], {
    env: withoutSettings(),
    // Log lines go through the owner; a crash is reported on stderr.
    stdio: [Buffer.from(JSON.stringify(input)), "ignore", "inherit", ...(socket === undefined ? [] : [socket])],
  });
  return { pid, exited };
}

/** Called in the program that was started. */
export async function readProcessInput(): Promise<ProcessArguments> {
  const input = (await Bun.stdin.json()) as ProcessInput;
  return { ...input, settings: decodeSettings(input.settings) };
}
