import { ConnectionLost, type IpcConnection } from "../lib/ipc/ipc-connection.ts";
import type { IpcPeer, ProcessService } from "../lib/ipc/ipc-service.ts";
import { connectIpc } from "../lib/ipc/ipc-socket.ts";
import { byName, findHandler, REFUSED, type Hello, type Welcome } from "./messages.ts";

/** How often a connection to an owner that is away is tried again. */
const RETRY_MS = 100;
/** An owner welcomes nobody before every survivor of its predecessor has joined or was ended. */
const WELCOME_TIMEOUT_MS = 60_000;

interface OwnerConnectionOptions {
  /** The path of the unix socket. */
  readonly path: string;
  readonly hello: () => Omit<Hello, "statements">;
  /** The owner has no place for this process: it is to end. It does not connect again. */
  readonly refused: () => void;
  readonly reportFailure: (thrown: unknown) => void;
}

/** A gateway process's connection to the owner. It connects again, for as long as it takes; meanwhile calls throw `ConnectionLost`. */
export class OwnerConnection implements IpcPeer {
  readonly #options: OwnerConnectionOptions;
  #services: ReadonlyMap<string, ProcessService> = new Map();
  /** Set from the statement to the owner on: whatever changes after it is sent behind it. */
  #connection: IpcConnection | undefined;
  #isClosed = false;
  #lostAtMs: number | undefined;

  constructor(options: OwnerConnectionOptions) {
    this.#options = options;
  }

  /** Connects for the first time. Throws `ConnectionLost` where no owner listens. */
  async connect(services: readonly ProcessService[]): Promise<void> {
    this.#services = byName(services);
    await this.#join();
  }

  /** For how long the owner has been away; 0 where it is there. */
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

  /** In the same turn as the message: the notices behind it build on its state. */
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

  /** A connection that was never welcomed is tried again by the attempt that it belongs to. */
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
