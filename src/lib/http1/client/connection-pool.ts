import type { Connection } from "./connection.ts";
import { dial, type DialTarget } from "./dial.ts";
import type { Origin } from "./origin.ts";

/** How long an idle connection is kept. */
export const KEPT_FOR_SECONDS = 30;
const KEPT_FOR_MS = KEPT_FOR_SECONDS * 1000;

/** How many are kept of one place. More are of use to nobody but in a moment that has passed. */
const MOST_KEPT = 64;

/** How often idle connections are looked at: those that were kept long enough are closed, and the others do not keep the process alive. */
const SWEEP_MS = 200;

/** An origin at one of its addresses, and the idle connections to it. */
export class ConnectionPool implements DialTarget {
  readonly origin: Origin;
  readonly address: string;
  /** Idle ones, the newest last. */
  readonly #kept: Connection[] = [];
  readonly #id: string;

  /**
   * The place that others have connections to, where it is the same. Two names at one address are two origins, as in every browser's
   * pool: a server that answers one of them late or twice must not reach the callers of the other.
   */
  static at(address: string, origin: Origin): ConnectionPool {
    const id = `${origin.isEncrypted ? "https" : "http"}://${origin.hostname}:${origin.port} ${address}`;
    return places.get(id) ?? new ConnectionPool(id, address, origin);
  }

  private constructor(id: string, address: string, origin: Origin) {
    this.#id = id;
    this.address = address;
    this.origin = origin;
  }

  dial(): Promise<Connection> {
    return dial(this);
  }

  /** An idle connection, the one that was used last: the others may be closed the sooner. */
  take(): Connection | undefined {
    for (let next = this.#kept.pop(); next; next = this.#kept.pop()) {
      idle.delete(next);
      if (performance.now() < next.usableUntilMs) {
        next.wake();
        return next;
      }
      next.close();
    }
    return undefined;
  }

  /** Keeps a connection for the next request, for so long at the most. */
  keep(connection: Connection, forMs: number): void {
    if (this.#kept.length >= MOST_KEPT) return connection.close();
    connection.keptAtMs = performance.now();
    connection.usableUntilMs = connection.keptAtMs + Math.min(forMs, KEPT_FOR_MS);
    this.#kept.push(connection);
    idle.add(connection);
    if (this.#kept.length === 1) places.set(this.#id, this);
    sweeping ??= setInterval(sweep, SWEEP_MS).unref();
  }

  /** A connection has ended. */
  forget(connection: Connection): void {
    if (!idle.delete(connection)) return;
    this.#kept.splice(this.#kept.indexOf(connection), 1);
    if (this.#kept.length === 0 && places.get(this.#id) === this) places.delete(this.#id);
  }
}

/** Those that have idle connections. */
const places = new Map<string, ConnectionPool>();

/** All idle connections, the oldest first. */
const idle = new Set<Connection>();

let sweeping: Timer | undefined;

function sweep(): void {
  const before = performance.now() - KEPT_FOR_MS;
  for (const connection of idle) {
    if (connection.keptAtMs > before) connection.rest();
    else connection.close();
  }
  if (idle.size > 0) return;
  clearInterval(sweeping);
  sweeping = undefined;
}
