import type { Connection } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";

/** How long one address is tried alone before the next is tried beside it (RFC 8305). */
const HEAD_START_MS = 250;

/** The first connection that is made to one of these places. Throws what went wrong at the last where there is none. */
export function dialFirstReachable(places: readonly ConnectionPool[]): Promise<Connection> {
  if (places.length === 1) return places[0]!.dial();
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const untried = places.values();
  let failures = 0;
  let isMade = false;
  let headStart: Timer | undefined;
  const made = (connection: Connection): void => {
    clearTimeout(headStart);
    if (isMade) return connection.close();
    isMade = true;
    resolve(connection);
  };
  const failed = (error: unknown): void => {
    failures++;
    if (failures === places.length) reject(error);
    else tryNext();
  };
  const tryNext = (): void => {
    clearTimeout(headStart);
    const { value: place } = untried.next();
    if (place === undefined || isMade) return;
    headStart = setTimeout(tryNext, HEAD_START_MS);
    place.dial().then(made, failed);
  };
  tryNext();
  return promise;
}
