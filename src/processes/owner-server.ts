import { ConnectionLost, type IpcConnection, type IpcHandlers } from "../lib/ipc/ipc-connection.ts";
import type { ConnectedProcess, OwnerService } from "../lib/ipc/ipc-service.ts";
import { listenIpc, type IpcServer } from "../lib/ipc/ipc-socket.ts";
import { byName, findHandler, REFUSED, type Hello, type Welcome } from "./messages.ts";

interface OwnerServerOptions {
  /** The path of the unix socket. */
  readonly path: string;
  readonly services: readonly OwnerService[];
  /**
   * The processes that outlived the previous owner. No process is welcomed before each survivor has joined, or `forget` was called for it.
   */
  readonly survivors: readonly string[];
  /** Whether this owner has started or adopted a process. Other processes are refused, and end, because nobody supervises them. */
  readonly mayJoin: (processId: string) => boolean;
  readonly monotonicMs: () => number;
  readonly joined: (hello: Hello) => void;
  readonly left: (processId: string) => void;
  /** Called if a handler of a notice has failed, because the sender receives no error. */
  readonly reportFailure: (thrown: unknown) => void;
}

/** The owner's side of all connections: welcomes gateway processes, and passes their messages to the services. */
export class OwnerServer {
  readonly #options: OwnerServerOptions;
  readonly #services: ReadonlyMap<string, OwnerService>;
  readonly #sessions = new Map<string, Session>();
  /** The survivors that have not ended. */
  readonly #survivors: Set<string>;
  readonly #awaited: Set<string>;
  /** Sessions that joined before all survivors had joined. */
  #waiting: { readonly session: Session; readonly hello: Hello }[] = [];
  readonly #welcomed = Promise.withResolvers<void>();
  readonly #server: IpcServer;

  constructor(options: OwnerServerOptions) {
    this.#options = options;
    this.#services = byName(options.services);
    this.#survivors = new Set(options.survivors);
    this.#awaited = new Set(options.survivors);
    this.#server = listenIpc(options.path, (connection) => this.#accept(connection));
    this.#welcomeAll();
  }

  /** The survivors that have not joined yet. */
  get awaited(): readonly string[] {
    return [...this.#awaited];
  }

  /** Resolves when each survivor has joined or was forgotten. */
  get settled(): Promise<void> {
    return this.#welcomed.promise;
  }

  find(processId: string): ConnectedProcess | undefined {
    return this.#sessions.get(processId);
  }

  /** The time since the last message of a connected process. */
  silenceMs(processId: string): number | undefined {
    const session = this.#sessions.get(processId);
    return session && this.#options.monotonicMs() - session.receivedAtMs;
  }

  /** Called when a survivor has ended. */
  forget(processId: string): void {
    this.#survivors.delete(processId);
    this.#awaited.delete(processId);
    this.#welcomeAll();
  }

  /** Called when a process has ended and its journal is in the ledger. */
  ended(processId: string): void {
    this.#sessions.get(processId)?.close();
    for (const service of this.#services.values()) service.ended?.(processId);
  }

  close(): void {
    this.#server.close();
    for (const session of this.#sessions.values()) session.close();
  }

  #accept(connection: IpcConnection): IpcHandlers {
    const session = new Session(connection);
    return {
      serve: async (method, body) => {
        this.#received(session);
        if (!session.isWelcome) await session.welcomed.promise;
        if (session.isClosed) throw new ConnectionLost("the connection has ended, or was replaced");
        return findHandler(this.#services, method, ({ calls }) => calls)(session, body);
      },
      notice: (method, body) => {
        this.#received(session);
        if (method === "join") this.#join(session, body as Hello);
        else if (session.isWelcome) this.#notice(session, method, body);
        else void session.welcomed.promise.then(() => this.#notice(session, method, body));
      },
      closed: () => this.#left(session),
    };
  }

  #received(session: Session): void {
    session.receivedAtMs = this.#options.monotonicMs();
  }

  #notice(session: Session, method: string, body: unknown): void {
    if (session.isClosed) return;
    try {
      findHandler(this.#services, method, ({ notices }) => notices)(session, body);
    } catch (error) {
      this.#options.reportFailure(error);
    }
  }

  #join(session: Session, hello: Hello): void {
    session.id = hello.id;
    if (!this.#options.mayJoin(hello.id)) return session.refuse();
    this.#awaited.delete(hello.id);
    this.#waiting.push({ session, hello });
    this.#welcomeAll();
  }

  /** Handles all statements before sending the first initial state, which depends on them. */
  #welcomeAll(): void {
    if (this.#awaited.size > 0) return;
    const waiting = this.#waiting.splice(0).filter(({ session }) => !session.isClosed);
    const welcomes = waiting.map(({ session, hello }) => ({ session, hello, initial: this.#connect(session, hello) }));
    for (const { session, hello, initial } of welcomes) {
      session.welcome({ initial });
      this.#options.joined(hello);
    }
    this.#welcomed.resolve();
  }

  #connect(session: Session, { id, statements }: Hello): Record<string, unknown> {
    const earlier = this.#sessions.get(id);
    if (earlier) {
      earlier.close();
      this.#left(earlier);
    }
    this.#sessions.set(id, session);
    const initial: Record<string, unknown> = {};
    for (const service of this.#services.values()) initial[service.name] = service.connected?.(session, statements[service.name]);
    return initial;
  }

  #left(session: Session): void {
    session.isClosed = true;
    this.#awaitAgain(session);
    if (this.#sessions.get(session.id) !== session) return;
    this.#sessions.delete(session.id);
    for (const service of this.#services.values()) service.disconnected?.(session.id);
    this.#options.left(session.id);
  }

  /** A survivor whose connection ended before its welcome has to send its statement again. */
  #awaitAgain(session: Session): void {
    if (!this.#waiting.some((each) => each.session === session)) return;
    this.#waiting = this.#waiting.filter((each) => each.session !== session);
    const isThere = this.#waiting.some(({ hello }) => hello.id === session.id);
    if (!isThere && this.#survivors.has(session.id)) this.#awaited.add(session.id);
  }
}

/** A connection of a gateway process. Until the process is welcomed, messages in both directions are queued, in order. */
class Session implements ConnectedProcess {
  readonly #connection: IpcConnection;
  readonly #held: (() => void)[] = [];
  id = "";
  readonly welcomed = Promise.withResolvers<void>();
  isWelcome = false;
  isClosed = false;
  receivedAtMs = 0;

  constructor(connection: IpcConnection) {
    this.#connection = connection;
  }

  welcome(welcome: Welcome): void {
    this.#connection.notify("welcome", welcome);
    this.isWelcome = true;
    for (const send of this.#held.splice(0)) send();
    this.welcomed.resolve();
  }

  refuse(): void {
    this.#connection.notify(REFUSED, null);
    this.#connection.close();
  }

  async call(method: string, body: unknown, timeoutMs?: number): Promise<unknown> {
    if (!this.isWelcome) await this.welcomed.promise;
    return this.#connection.call(method, body, timeoutMs);
  }

  notify(method: string, body: unknown): void {
    if (this.isWelcome) this.#connection.notify(method, body);
    else this.#held.push(() => this.#connection.notify(method, body));
  }

  close(): void {
    this.#connection.close();
  }
}
