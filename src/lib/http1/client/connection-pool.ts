import type { Connection } from "./connection.ts";
import { dial, type DialTarget, type TunnelProxy } from "./dial.ts";
import type { Origin } from "./origin.ts";

/** Idle timeout of pooled connections. */
export const IDLE_SECONDS = 30;
const IDLE_MS = IDLE_SECONDS * 1000;

/** The most idle connections per pool. More would only help with a burst that is over. */
const MAX_IDLE = 64;

/** How often idle connections are checked: expired ones are closed, and the others stop keeping the process alive. */
const SWEEP_MS = 200;

/** The connection pool of an origin at one of its IP addresses or, if a proxy resolves names, of the origin's name. */
export class ConnectionPool implements DialTarget {
  readonly origin: Origin;
  readonly proxy: TunnelProxy | undefined;
  readonly address: string;
  /** The idle connections, newest last. */
  readonly #idle: Connection[] = [];
  readonly #id: string;

  /**
   * The shared pool for an origin and address. Two names at one address are two origins, as in every browser's pool: a late or duplicate
   * response of one origin must not reach the callers of the other.
   */
  static at(address: string, origin: Origin, proxy?: TunnelProxy): ConnectionPool {
    const via = proxy ? ` via ${proxy.hostname}:${proxy.port}` : "";
    const id = `${origin.isEncrypted ? "https" : "http"}://${origin.hostname}:${origin.port} ${address}${via}`;
    return pools.get(id) ?? new ConnectionPool(id, address, origin, proxy);
  }

  private constructor(id: string, address: string, origin: Origin, proxy: TunnelProxy | undefined) {
    this.#id = id;
    this.address = address;
    this.origin = origin;
    this.proxy = proxy;
  }

  dial(): Promise<Connection> {
    return dial(this);
  }

  /** The idle connection that was used last, so that the others can expire. */
  take(): Connection | undefined {
    for (let next = this.#idle.pop(); next; next = this.#idle.pop()) {
      idle.delete(next);
      if (performance.now() < next.usableUntilMs) {
        next.ref();
        return next;
      }
      next.close();
    }
    return undefined;
  }

  /** Stores a connection for the next request, for at most this long. */
  keep(connection: Connection, forMs: number): void {
    if (this.#idle.length >= MAX_IDLE) return connection.close();
    connection.idleSinceMs = performance.now();
    connection.usableUntilMs = connection.idleSinceMs + Math.min(forMs, IDLE_MS);
    this.#idle.push(connection);
    idle.add(connection);
    if (this.#idle.length === 1) pools.set(this.#id, this);
    sweeping ??= setInterval(sweep, SWEEP_MS).unref();
  }

  /** Removes a connection that has ended. */
  forget(connection: Connection): void {
    if (!idle.delete(connection)) return;
    this.#idle.splice(this.#idle.indexOf(connection), 1);
    if (this.#idle.length === 0 && pools.get(this.#id) === this) pools.delete(this.#id);
  }
}

/** The pools that have idle connections. */
const pools = new Map<string, ConnectionPool>();

/** All idle connections, oldest first. */
const idle = new Set<Connection>();

let sweeping: Timer | undefined;

function sweep(): void {
  const before = performance.now() - IDLE_MS;
  for (const connection of idle) {
    if (connection.idleSinceMs > before) connection.unref();
    else connection.close();
  }
  if (idle.size > 0) return;
  clearInterval(sweeping);
  sweeping = undefined;
}
