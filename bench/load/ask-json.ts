import { Connection, type Listener } from "./connection.ts";

export interface JsonAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** From the written request to the last byte of the response. */
  readonly us: number;
}

/** Sends a request and returns the complete response. Throws if the connection is lost. */
export function askJson(connection: Connection, request: Buffer): Promise<JsonAnswer> {
  return new Promise((resolve, reject) => {
    const start = Bun.nanoseconds();
    connection.ask(request, new WholeAnswer((status, body) => resolve({ status, body, us: (Bun.nanoseconds() - start) / 1000 }), reject));
  });
}

/** Collects the pieces of a response. */
export class WholeAnswer implements Listener {
  readonly #onWhole: (status: number, body: Buffer) => void;
  readonly #onFailure: (error: Error) => void;
  #status = 0;
  #body: Buffer | undefined;

  constructor(onWhole: (status: number, body: Buffer) => void, onFailure: (error: Error) => void) {
    this.#onWhole = onWhole;
    this.#onFailure = onFailure;
  }

  onHead(status: number): void {
    this.#status = status;
  }

  onBody(bytes: Buffer): void {
    this.#body = this.#body ? Buffer.concat([this.#body, bytes]) : bytes;
  }

  onEnd(): void {
    this.#onWhole(this.#status, this.#body ?? Buffer.alloc(0));
  }

  onLost(why: string): void {
    this.#onFailure(new Error(why));
  }
}
