import { once } from "node:events";
import { connect, type Socket } from "node:net";

/**
 * A client with one connection and one request at a time, on a raw socket. So the gateway reads the same bytes in the same pieces in every
 * run.
 */
export class LockstepCaller {
  readonly #socket: Socket;
  readonly #head: string;
  #received = "";
  #isEnough: (received: string) => boolean = () => false;
  #enough: () => void = () => undefined;

  private constructor(socket: Socket, key: string) {
    this.#socket = socket;
    this.#head = `POST /v1/chat/completions HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}`;
    socket.on("data", (bytes) => {
      this.#received += bytes.toString("latin1");
      if (this.#isEnough(this.#received)) this.#enough();
    });
  }

  static async connect(baseUrl: string, key: string): Promise<LockstepCaller> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, "connect");
    return new LockstepCaller(socket, key);
  }

  ask(body: string): void {
    this.#received = "";
    this.#socket.write(`${this.#head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  /** Resolves with the received text when its end is as expected. */
  async hear(end: string): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#isEnough = (received) => received.endsWith(end);
      this.#enough = resolve;
      if (this.#isEnough(this.#received)) resolve();
    });
    const heard = this.#received;
    this.#received = "";
    return heard;
  }

  close(): void {
    this.#socket.destroy();
  }
}
