import { logFailure } from "../../lib/log/log.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { readProcessInput } from "./spawn-gateway-process.ts";

/** How long a gateway process waits for its owner. An owner that is not back by then was not started again, so the process ends. */
const OWNER_AWAY_MS = 60_000;
const CHECK_EVERY_MS = 1000;

/** Runs a gateway process until its owner ends it, or has been away for too long. `started` is called when the process serves requests. */
export async function runGatewayProcess(started: () => void): Promise<void> {
  const gateway = new GatewayProcess(await readProcessInput());
  process.on("unhandledRejection", (reason) => logFailure(gateway.log, "unhandled promise rejection", reason));
  // A terminal sends Ctrl-C, and a hang-up when it is closed, to all processes that were started in it. This process ignores both, because
  // the owner decides.
  process.on("SIGINT", () => undefined);
  process.on("SIGHUP", () => undefined);
  process.on("SIGTERM", () => void gateway.drain());
  setInterval(() => void (gateway.ownerAwayMs > OWNER_AWAY_MS && !gateway.isBusy && gateway.close()), CHECK_EVERY_MS).unref();
  await gateway.start();
  started();
  await gateway.ended;
  process.exit(0);
}
