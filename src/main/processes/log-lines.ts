import { ConnectionLost } from "../../lib/ipc/ipc-connection.ts";
import type { ConnectedProcess, IpcPeer, OwnerService } from "../../lib/ipc/ipc-service.ts";
import type { TextOutput } from "../../lib/log/log.ts";

const NAME = "log";
/** A reader of the log may stop reading for a long time, such as a terminal after Ctrl-S. */
const WRITE_TIMEOUT_MS = 3_600_000;
const RETRY_MS = 100;

/**
 * Writes the log lines of gateway processes to the owner's output, so that there is one log. A batch is written as a whole, so that lines
 * are never mixed.
 */
export function receiveLogLines(output: TextOutput): OwnerService {
  return { name: NAME, calls: { write: (_: ConnectedProcess, text: unknown) => output(text as string) } };
}

/**
 * The log output of a gateway process. A batch that an owner may not have written is sent to the next owner; meanwhile lines are queued.
 */
export function sendLogLines(owner: IpcPeer): TextOutput {
  return async (text) => {
    for (;;) {
      try {
        return (await owner.call(`${NAME}.write`, text, WRITE_TIMEOUT_MS)) === true;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) return false;
        await Bun.sleep(RETRY_MS);
      }
    }
  };
}
