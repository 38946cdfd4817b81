import { ConnectionLost, type IpcConnection } from "../lib/ipc/ipc-connection.ts";
import type { IpcPeer, ProcessService } from "../lib/ipc/ipc-service.ts";
import { connectIpc } from "../lib/ipc/ipc-socket.ts";
import { byName, findHandler, REFUSED, type Hello, type Welcome } from "./messages.ts";

/** How often a connection attempt to an unavailable owner is repeated. */
const RETRY_MS = 100;
/**
 * How long a process waits for its welcome. An owner welcomes no process before every survivor of its predecessor has joined or was ended.
 */
const WELCOME_TIMEOUT_MS = 60_000;

interface OwnerConnectionOptions {
  /** The path of the unix socket. */
  readonly path: string;
  readonly hello: () => Omit<Hello, "statements">;
  /** Called if the owner refuses this process, which then has to end. It does not connect again. */
  readonly refused: () => void;
  readonly reportFailure: (thrown: unknown) => void;
}

/** A gateway process's connection to the owner. It reconnects, however long that takes; meanwhile calls throw `ConnectionLost`. */
export class OwnerConnection implements IpcPeer {
  readonly #options: OwnerConnectionOptions;
  #services: ReadonlyMap<string, ProcessService> = new Map();
  /** Set from the moment that the statement is sent to the owner: later changes are sent after the statement. */
  #connection: IpcConnection | undefined;
  #isClosed = false;
  #lostAtMs: number | undefined;

  constructor(options: OwnerConnectionOptions) {
    this.#options = options;
  }

  /** Connects for the first time. Throws `ConnectionLost` if no owner listens. */
  async connect(services: readonly ProcessService[]): Promise<void> {
    this.#services = byName(services);
    await this.#join();
  }

  /** How long the owner has been away; 0 if it is connected. */
  get awayMs(): number {
    return this.#lostAtMs === undefined ? 0 : performance.now() - this.#lostAtMs;
  }

  call(method: string, body: unknown, timeoutMs?: number): Promise<unknown> {
    return this.#connection?.call(method, body, timeoutMs) ?? Promise.reject(new ConnectionLost("the owner process is away"));
  }

  notify(method: string, body: unknown): void {
    this.#connection?.notify(method, body);
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.close();
  }

  async #join(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let isWelcome = false;
    const connection = await connectIpc(this.#options.path, {
      serve: (method, body) => findHandler(this.#services, method, ({ calls }) => calls)(body),
      notice: (method, body) => {
        if (method === REFUSED) return this.#refused();
        if (method !== "welcome") return this.#notice(method, body);
        isWelcome = true;
        this.#welcomed(body as Welcome);
        resolve();
      },
      closed: () => {
        reject(new ConnectionLost("the owner process has ended the connection"));
        this.#lost(isWelcome);
      },
    });
    const statements = Object.fromEntries([...this.#services].map(([name, service]) => [name, service.statement?.()]));
    const hello: Hello = { ...this.#options.hello(), statements };
    connection.notify("join", hello);
    this.#connection = connection;
    const timer = setTimeout(() => connection.close(), WELCOME_TIMEOUT_MS);
    return promise.finally(() => clearTimeout(timer));
  }

  /** Handled in the same turn as the message, because the notices after it build on its state. */
  #welcomed({ initial }: Welcome): void {
    this.#lostAtMs = undefined;
    for (const [name, service] of this.#services) service.connected?.(initial[name]);
  }

  #refused(): void {
    this.#isClosed = true;
    this.#options.refused();
  }

  #notice(method: string, body: unknown): void {
    try {
      findHandler(this.#services, method, ({ notices }) => notices)(body);
    } catch (error) {
      this.#options.reportFailure(error);
    }
  }

  /** If a connection was never welcomed, the attempt that opened it retries. */
  #lost(wasWelcome: boolean): void {
    this.#connection = undefined;
    this.#lostAtMs ??= performance.now();
    for (const service of this.#services.values()) service.disconnected?.();
    if (wasWelcome && !this.#isClosed) void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    while (!this.#isClosed) {
      try {
        return await this.#join();
      } catch (error) {
        if (!(error instanceof ConnectionLost)) this.#options.reportFailure(error);
        await Bun.sleep(RETRY_MS);
      }
    }
  }
}
