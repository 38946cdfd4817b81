import { logFailure } from "../../lib/log/log.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { readProcessInput } from "./spawn-gateway-process.ts";

/** An owner that is not back by then was not started again: a process that nobody needs ends. */
const OWNER_AWAY_MS = 60_000;
const CHECK_EVERY_MS = 1000;

/** Runs a gateway process until its owner ends it, or stays away. `started` is called when it serves requests. */
export async function runGatewayProcess(started: () => void): Promise<void> {
  const gateway = new GatewayProcess(await readProcessInput());
  process.on("unhandledRejection", (reason) => logFailure(gateway.log, "unhandled promise rejection", reason));
  // A terminal sends Ctrl-C to all processes that were started in it, and so does its end: the owner decides.
  process.on("SIGINT", () => undefined);
  process.on("SIGHUP", () => undefined);
  process.on("SIGTERM", () => void gateway.drain());
  setInterval(() => void (gateway.ownerAwayMs > OWNER_AWAY_MS && !gateway.isBusy && gateway.close()), CHECK_EVERY_MS).unref();
  await gateway.start();
  started();
  await gateway.ended;
  process.exit(0);
}
