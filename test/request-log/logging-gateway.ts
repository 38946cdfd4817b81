import { startGateway, type RunningGateway, type StartOptions } from "../support/gateway/start-gateway.ts";

/** The response that a client has received. */
export interface CapturedReply {
  readonly requestId: string;
  readonly status: number;
  readonly text: string;
}

export interface AskOptions {
  readonly stream?: boolean;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The metrics of the request log. */
export interface LogCounts {
  readonly queued: number;
  readonly written: number;
  /** By reason, without reasons that did not occur. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly isInTrouble: boolean;
}

/** A gateway with the built-in echo model, its first key, and access to the state of its request log. */
export class LoggingGateway {
  readonly gateway: RunningGateway;
  readonly #key: string;

  static async start(options: StartOptions = {}): Promise<LoggingGateway> {
    return new LoggingGateway(await startGateway(options));
  }

  private constructor(gateway: RunningGateway) {
    this.gateway = gateway;
    this.#key = gateway.firstKey!;
  }

  /** Calls the echo model, and waits for the complete response. */
  async ask(words: string, { stream = false, key = this.#key, headers = {} }: AskOptions = {}): Promise<CapturedReply> {
    const response = await fetch(`${this.gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: words }], stream }),
    });
    return { requestId: response.headers.get("x-request-id")!, status: response.status, text: await response.text() };
  }

  async counts(): Promise<LogCounts> {
    const { platformUrl, operatorToken } = this.gateway;
    const response = await fetch(`${platformUrl}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } });
    const text = await response.text();
    const valueOf = (name: string): number => Number(new RegExp(`^tollgate_request_log_${name} (\\d+)$`, "m").exec(text)?.[1]);
    return {
      queued: valueOf("queued"),
      written: valueOf("written_total"),
      dropped: Object.fromEntries(
        [...text.matchAll(/^tollgate_request_log_dropped_total\{reason="(\w+)"\} ([1-9]\d*)$/gm)].map(([, reason, count]) => [
          reason,
          Number(count),
        ]),
      ),
      isInTrouble: valueOf("unwritable") === 1,
    };
  }

  /** The log events about the request log, in order. */
  events(): unknown[] {
    return this.gateway
      .logLines()
      .map(({ event }) => event)
      .filter((event) => String(event).startsWith("request_log_"));
  }
}
