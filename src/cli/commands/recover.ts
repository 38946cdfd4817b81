import { loadClientConfig, SETTINGS } from "../../config.ts";
import { CannotMigrate } from "../../stores/cannot-migrate.ts";
import { DatabaseInUse, FolderInUse } from "../../stores/folder-lock.ts";
import { describeDamage } from "../../stores/integrity/folder-damaged.ts";
import type { Recovery } from "../../stores/recover-folder.ts";
import { CommandFailed, type Command } from "../command.ts";
import { asJson, printable, writeStdout } from "../output.ts";
import { TOLLGATE } from "../../lib/this-program.ts";

const ACCEPT = "accept-loss";

export const recoverData: Command = {
  summary: "Check the data folder of a stopped gateway for damage, and recover what can be read.",
  details: `It reads the database, its WAL, the ledger journal and the journals of gateway processes in ${SETTINGS.data}, and prints what is
damaged and what is lost. Nothing is changed without --accept-loss. A backup of the folder loses less, if there is one: restore it instead.`,
  examples: ["recover", "recover --accept-loss"],
  operands: [],
  options: {
    [ACCEPT]: {
      meaning: "keep only verified data, so that the gateway can start; the damaged files are copied into a separate folder",
    },
  },
  async run({ json, options }) {
    const { dataFolder } = loadClientConfig();
    const recovery = await recover(dataFolder, options[ACCEPT] !== undefined);
    const { findings, losses, movedTo } = recovery;
    if (json) await writeStdout(asJson({ data: dataFolder, findings, losses, moved_to: movedTo ?? null }));
    else await writeStdout(printable(report(dataFolder, recovery)));
    if (findings.length > 0 && movedTo === undefined) {
      throw new CommandFailed(`the data is damaged. To continue without the lost data: ${TOLLGATE} recover --${ACCEPT}`, {
        problem: { code: "data_damaged" },
      });
    }
  },
};

async function recover(dataFolder: string, acceptsLoss: boolean): Promise<Recovery> {
  // Loaded lazily: the other commands are clients and need no stores in memory.
  const { recoverFolder } = await import("../../stores/recover-folder.ts");
  const { ProcessesRunning } = await import("../../stores/ledger/processes/open-ledger.ts");
  try {
    return await recoverFolder(dataFolder, acceptsLoss, Date.now());
  } catch (error) {
    if (error instanceof FolderInUse || error instanceof DatabaseInUse) throw new CommandFailed(`${error.message}. Stop it first.`);
    if (error instanceof ProcessesRunning) throw new CommandFailed(`${error.message}. Start the gateway again, or end them first.`);
    if (error instanceof CannotMigrate) throw new CommandFailed(`${error.message}.`);
    // For example, the folder does not exist, or the disk has no space for the copies.
    if (error instanceof Error && "code" in error) throw new CommandFailed(error.message);
    throw error;
  }
}

function report(dataFolder: string, recovery: Recovery): string {
  if (recovery.findings.length === 0) return `The data in ${dataFolder} is not damaged.\n`;
  const outcome = recovery.movedTo === undefined ? "" : `The damaged files are in ${recovery.movedTo}. The gateway can be started.\n`;
  return `${describeDamage(recovery)}\n${outcome}`;
}
