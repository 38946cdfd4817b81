import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

export type Direction = "to_server" | "to_client";

const DIRECTIONS: readonly Direction[] = ["to_server", "to_client"];

/**
 * A network between a client and a server that can be partitioned, in one direction or in both. Data sent in a blocked direction is held
 * until the partition heals: then it arrives, because TCP retransmits it, or the connection is reset. The end of a connection is held like
 * its bytes, so a server does not notice that a client is gone.
 */
export class PartitionProxy {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #blocked = new Set<Direction>();
  #targetPort: number;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer({ noDelay: true }, (client) => {
      const link = new Link(client, this.#targetPort, this.#blocked, () => this.#links.delete(link));
      this.#links.add(link);
    });
  }

  static async start(targetPort: number): Promise<PartitionProxy> {
    const proxy = new PartitionProxy(targetPort);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  block(...directions: readonly Direction[]): void {
    for (const direction of directions) this.#blocked.add(direction);
  }

  /** Ends the partition. The held data arrives, or connections with held data are reset. */
  heal(lost: "arrives" | "is_reset"): void {
    this.#blocked.clear();
    for (const link of this.#links)
      if (lost === "arrives" || !link.hasLost) link.flush();
      else link.reset();
  }

  /** Resets all connections. */
  cut(): void {
    for (const link of this.#links) link.reset();
  }

  /** Leads to another server from now on, like the address of a database after a failover. */
  redirect(targetPort: number): void {
    this.#targetPort = targetPort;
    this.cut();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The end of a connection, in one direction. */
const END = Symbol("end");

/** A connection of a client, and the connection to the server, which is opened when the first bytes arrive. */
class Link {
  readonly #client: Socket;
  readonly #targetPort: number;
  readonly #blocked: ReadonlySet<Direction>;
  readonly #ended: () => void;
  readonly #waiting: Record<Direction, (Uint8Array | typeof END)[]> = { to_server: [], to_client: [] };
  #server: Socket | undefined;

  constructor(client: Socket, targetPort: number, blocked: ReadonlySet<Direction>, ended: () => void) {
    this.#client = client;
    this.#targetPort = targetPort;
    this.#blocked = blocked;
    this.#ended = ended;
    this.#follow(client, "to_server");
  }

  get hasLost(): boolean {
    return DIRECTIONS.some((direction) => this.#waiting[direction].length > 0);
  }

  flush(): void {
    for (const direction of DIRECTIONS) {
      for (const sent of this.#waiting[direction].splice(0)) this.#deliver(direction, sent);
    }
  }

  reset(): void {
    this.#client.destroy();
    this.#server?.destroy();
    this.#ended();
  }

  #follow(from: Socket, direction: Direction): void {
    from.on("data", (bytes) => this.#send(direction, Buffer.from(bytes)));
    from.on("error", () => undefined);
    from.on("close", () => this.#send(direction, END));
  }

  #send(direction: Direction, sent: Uint8Array | typeof END): void {
    if (this.#blocked.has(direction)) this.#waiting[direction].push(sent);
    else this.#deliver(direction, sent);
  }

  #deliver(direction: Direction, sent: Uint8Array | typeof END): void {
    if (sent === END) return this.reset();
    if (direction === "to_client") return void (this.#client.destroyed || this.#client.write(sent));
    this.#server ??= this.#connect();
    if (!this.#server.destroyed) this.#server.write(sent);
  }

  #connect(): Socket {
    const server = connect({ port: this.#targetPort, host: "127.0.0.1", noDelay: true });
    this.#follow(server, "to_client");
    return server;
  }
}
