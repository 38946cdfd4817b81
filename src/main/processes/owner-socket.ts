import { rmSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../../config/config-error.ts";
import { SETTINGS } from "../../config.ts";
import { MAX_SOCKET_PATH_BYTES } from "../../lib/net/unix-socket.ts";

const NAME = "owner.sock";

/**
 * The path of the socket between the owner process and its gateway processes. Throws `ConfigError` if the data folder's path is too long.
 */
export function ownerSocketIn(dataFolder: string): string {
  const path = join(dataFolder, NAME);
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_SOCKET_PATH_BYTES) return path;
  throw new ConfigError(
    `${SETTINGS.processes} needs a socket in the data folder, and ${path} has ${bytes} bytes, more than the ${MAX_SOCKET_PATH_BYTES} of a socket's path. ${SETTINGS.data} chooses a folder with a shorter path.`,
  );
}

/** An owner that was killed leaves its socket behind. */
export function removeOwnerSocket(dataFolder: string): void {
  rmSync(join(dataFolder, NAME), { force: true });
}
