import { ConnectionLost, RemoteError } from "../../src/lib/ipc/ipc-connection.ts";
import type { ConnectedProcess, IpcPeer, OwnerService, ProcessService } from "../../src/lib/ipc/ipc-service.ts";

/** A message in transit. Its body is JSON, as on a socket. */
type Deliver = () => void;

const copyOf = (body: unknown): unknown => JSON.parse(JSON.stringify(body ?? null)) as unknown;

/** One direction of a connection: messages arrive in order, each in a later turn of the event loop. */
class Wire {
  #waiting: Deliver[] = [];
  #isCut = false;

  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  send(deliver: Deliver): void {
    if (this.#isCut) return;
    this.#waiting.push(deliver);
    if (this.#waiting.length === 1) setImmediate(() => this.#arrive());
  }

  cut(): void {
    this.#isCut = true;
    this.#waiting = [];
  }

  #arrive(): void {
    const arrived = this.#waiting;
    this.#waiting = [];
    for (const deliver of arrived) if (!this.#isCut) deliver();
  }
}

type Serve = (method: string, body: unknown) => unknown;

/** Sends over one wire to the peer's `serve` and `notice`, and receives replies over the other. */
class LinkedPeer implements IpcPeer {
  readonly #there: Wire;
  readonly #back: Wire;
  readonly #serve: Serve;
  readonly #notice: (method: string, body: unknown) => void;
  readonly #pending = new Set<(error: Error) => void>();
  #isLost = false;

  constructor(there: Wire, back: Wire, serve: Serve, notice: (method: string, body: unknown) => void) {
    this.#there = there;
    this.#back = back;
    this.#serve = serve;
    this.#notice = notice;
  }

  get isIdle(): boolean {
    return this.#pending.size === 0 && this.#there.isIdle;
  }

  call(method: string, body: unknown): Promise<unknown> {
    if (this.#isLost) return Promise.reject(new ConnectionLost("the link is cut"));
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const sent = copyOf(body);
    this.#pending.add(reject);
    const settled = (settle: () => void): void => {
      this.#pending.delete(reject);
      settle();
    };
    const answer = async (): Promise<void> => {
      try {
        const reply = copyOf(await this.#serve(method, sent));
        this.#back.send(() => settled(() => resolve(reply)));
      } catch (error) {
        const { name, message } = error as Error;
        this.#back.send(() => settled(() => reject(new RemoteError(name, message))));
      }
    };
    this.#there.send(() => void answer());
    return promise;
  }

  notify(method: string, body: unknown): void {
    if (this.#isLost) return;
    const sent = copyOf(body);
    this.#there.send(() => this.#notice(method, sent));
  }

  lose(): void {
    this.#isLost = true;
    for (const reject of this.#pending) reject(new ConnectionLost("the link was cut before the reply"));
    this.#pending.clear();
  }
}

/** The parts of a connection while it lasts. */
interface Connection {
  readonly wires: readonly Wire[];
  readonly toOwner: LinkedPeer;
  readonly toProcess: LinkedPeer;
  /** Whether the process has learnt that the owner has accepted it. */
  isAccepted: boolean;
}

interface Linked {
  readonly service: ProcessService;
  connection: Connection | undefined;
}

/**
 * An owner service and the process services of any number of gateway processes, without sockets: messages are copied through JSON, arrive
 * in order and in a later turn of the event loop. Messages in transit are lost when a connection ends.
 */
export class LinkedServices {
  #owner: OwnerService;
  readonly #processes = new Map<string, Linked>();

  constructor(owner: OwnerService) {
    this.#owner = owner;
  }

  /** Creates and connects the service of a process. The service receives the peer through which it calls the owner (`name.method`). */
  async start<S extends ProcessService>(processId: string, toService: (owner: IpcPeer) => S): Promise<S> {
    const service = this.add(processId, toService);
    await this.reconnect(processId);
    return service;
  }

  /** Creates the service of a process that is not connected. */
  add<S extends ProcessService>(processId: string, toService: (owner: IpcPeer) => S): S {
    const peer: IpcPeer = {
      call: (method, body) =>
        this.#acceptedOf(processId)?.toOwner.call(method, body) ?? Promise.reject(new ConnectionLost("not connected")),
      notify: (method, body) => this.#acceptedOf(processId)?.toOwner.notify(method, body),
    };
    const service = toService(peer);
    this.#processes.set(processId, { service, connection: undefined });
    return service;
  }

  /** Connects a process again, or for the first time. */
  reconnect(processId: string): Promise<void> {
    return this.#connect([processId]);
  }

  /** Ends the connection. All messages in transit in both directions are lost. Both sides are notified. */
  disconnect(processId: string): void {
    if (this.#cut(processId)) this.#owner.disconnected?.(processId);
  }

  /** The process ends, and none of its methods are called any more. */
  end(processId: string): void {
    const linked = this.#processes.get(processId);
    if (!linked) return;
    const { connection } = linked;
    this.#processes.delete(processId);
    if (connection) {
      close(connection);
      this.#owner.disconnected?.(processId);
    }
    this.#owner.ended?.(processId);
  }

  /** The owner ends: all connections are lost, and its service is not notified. */
  loseOwner(): void {
    for (const id of this.#processes.keys()) this.#cut(id);
  }

  /** Starts a new owner. Every remaining process sends its statement before the first process is connected. */
  async replaceOwner(owner: OwnerService): Promise<void> {
    this.loseOwner();
    this.#owner = owner;
    await this.#connect([...this.#processes.keys()]);
  }

  /** Resolves when no message is in transit and no call is unanswered. */
  async idle(): Promise<void> {
    do {
      await nextTurn();
    } while ([...this.#processes.values()].some(isBusy));
  }

  async #connect(processIds: readonly string[]): Promise<void> {
    const owner = this.#owner;
    const statements = processIds.map((id) => copyOf(this.#processes.get(id)?.service.statement?.()));
    // Events in a process between its statement and the acceptance are not in the statement.
    await nextTurn();
    if (owner !== this.#owner) return;
    for (const [at, id] of processIds.entries()) this.#accept(id, statements[at]);
    await nextTurn();
  }

  #accept(processId: string, statement: unknown): void {
    const linked = this.#processes.get(processId);
    if (!linked || linked.connection) return;
    const [up, down] = [new Wire(), new Wire()];
    const { service } = linked;
    const owner = this.#owner;
    const toProcess = new LinkedPeer(
      down,
      up,
      (method, body) => handlerOf(service, "calls", method)(body),
      (method, body) => handlerOf(service, "notices", method)(body),
    );
    const process: ConnectedProcess = {
      id: processId,
      call: (method, body) => toProcess.call(method, body),
      notify: (method, body) => toProcess.notify(method, body),
    };
    const toOwner = new LinkedPeer(
      up,
      down,
      (method, body) => handlerOf(owner, "calls", method)(process, body),
      (method, body) => handlerOf(owner, "notices", method)(process, body),
    );
    const connection: Connection = { wires: [up, down], toOwner, toProcess, isAccepted: false };
    linked.connection = connection;
    // The first message, even if the owner sends others from within `connected`.
    down.send(() => {
      connection.isAccepted = true;
      service.connected?.(told);
    });
    const told = copyOf(owner.connected?.(process, statement));
  }

  /** The connection of a process to the owner. */
  #acceptedOf(processId: string): Connection | undefined {
    const connection = this.#processes.get(processId)?.connection;
    return connection?.isAccepted ? connection : undefined;
  }

  /** Disconnects a process. Returns whether it was connected. */
  #cut(processId: string): boolean {
    const linked = this.#processes.get(processId);
    if (!linked?.connection) return false;
    const { connection, service } = linked;
    linked.connection = undefined;
    close(connection);
    if (connection.isAccepted) service.disconnected?.();
    return true;
  }
}

function isBusy({ connection }: Linked): boolean {
  return connection !== undefined && !(connection.toOwner.isIdle && connection.toProcess.isIdle);
}

function close({ wires, toOwner, toProcess }: Connection): void {
  for (const wire of wires) wire.cut();
  toOwner.lose();
  toProcess.lose();
}

type Handler = (...from: unknown[]) => unknown;

function handlerOf(service: OwnerService | ProcessService, kind: "calls" | "notices", method: string): Handler {
  const prefix = `${service.name}.`;
  const handler = method.startsWith(prefix) ? service[kind]?.[method.slice(prefix.length)] : undefined;
  if (!handler) throw new Error(`${service.name} has no ${method}`);
  return handler as Handler;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
