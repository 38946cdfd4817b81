import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { RunningGateway } from "./start-gateway.ts";

const CHECK_EVERY_MS = 100;

interface Target {
  readonly port: number;
  isReady: boolean;
  /** The number of accepted connections. */
  accepted: number;
}

/**
 * A TCP load balancer. It connects each client to the next gateway whose `/readyz` is 200, or to the one after it if the connection is
 * refused. It never sends anything twice: if a connection breaks later, it also breaks for the client.
 */
export class LoadBalancer {
  readonly #server: Server;
  readonly #targets = new Map<RunningGateway, Target>();
  #turn = 0;
  #isStopped = false;
  #checking: Promise<void> = Promise.resolve();

  static async start(): Promise<LoadBalancer> {
    const balancer = new LoadBalancer();
    await new Promise<void>((resolve) => balancer.#server.listen(0, "127.0.0.1", resolve));
    balancer.#checking = balancer.#check();
    return balancer;
  }

  private constructor() {
    this.#server = createServer((client) => this.#forward(client));
  }

  /** The base URL for model clients. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** The gateway receives connections after its first successful check. */
  add(gateway: RunningGateway): void {
    this.#targets.set(gateway, { port: Number(new URL(gateway.baseUrl).port), isReady: false, accepted: 0 });
  }

  remove(gateway: RunningGateway): void {
    this.#targets.delete(gateway);
  }

  isReady(gateway: RunningGateway): boolean {
    return this.#targets.get(gateway)?.isReady ?? false;
  }

  acceptedBy(gateway: RunningGateway): number {
    return this.#targets.get(gateway)?.accepted ?? 0;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#server.close();
    await this.#checking;
  }

  #forward(client: Socket): void {
    client.pause();
    client.on("error", () => client.destroy());
    const targets = [...this.#targets.values()];
    const turn = this.#turn++;
    const rotated = targets.map((_, at) => targets[(at + turn) % targets.length]!);
    this.#connect(client, [...rotated.filter((target) => target.isReady), ...rotated.filter((target) => !target.isReady)]);
  }

  #connect(client: Socket, [target, ...others]: readonly Target[]): void {
    if (!target) {
      client.destroy();
      return;
    }
    const gateway = connect(target.port, "127.0.0.1");
    const tryNext = (): void => this.#connect(client, others);
    gateway.once("error", tryNext);
    gateway.once("connect", () => {
      target.accepted++;
      gateway.off("error", tryNext);
      gateway.on("error", () => client.destroy());
      client.on("close", () => gateway.destroy());
      client.pipe(gateway);
      gateway.pipe(client);
    });
  }

  async #check(): Promise<void> {
    while (!this.#isStopped) {
      await Promise.all([...this.#targets.values()].map(async (target) => void (target.isReady = await isReady(target))));
      await Bun.sleep(CHECK_EVERY_MS);
    }
  }
}

async function isReady({ port }: Target): Promise<boolean> {
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}/readyz`, { keepalive: false });
    return status === 200;
  } catch {
    return false;
  }
}
