import type { Connection } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";

/** Delay before the next address is dialled in parallel (Happy Eyeballs, RFC 8305). */
const ATTEMPT_DELAY_MS = 250;

/** The first connection that is established to one of these pools' addresses. Throws the error of the last attempt if all fail. */
export function dialFirstReachable(pools: readonly ConnectionPool[]): Promise<Connection> {
  if (pools.length === 1) return pools[0]!.dial();
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const untried = pools.values();
  let failures = 0;
  let isConnected = false;
  let delay: Timer | undefined;
  const connected = (connection: Connection): void => {
    clearTimeout(delay);
    if (isConnected) return connection.close();
    isConnected = true;
    resolve(connection);
  };
  const failed = (error: unknown): void => {
    failures++;
    if (failures === pools.length) reject(error);
    else tryNext();
  };
  const tryNext = (): void => {
    clearTimeout(delay);
    const { value: pool } = untried.next();
    if (pool === undefined || isConnected) return;
    delay = setTimeout(tryNext, ATTEMPT_DELAY_MS);
    pool.dial().then(connected, failed);
  };
  tryNext();
  return promise;
}
