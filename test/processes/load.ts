import { chatBody } from "../money/post-chat.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";

const WORKERS = 8;

export interface LoadOptions {
  readonly gateway: Pick<RunningGateway, "baseUrl">;
  readonly key: string;
  readonly model: string;
  /** Whether connections are used for more than one request. */
  readonly keepalive: boolean;
}

/** Clients that send one request after the other until they are stopped. */
export class Load {
  answered = 0;
  /** Connections that were reset before a reply. */
  reset = 0;
  readonly failed: string[] = [];
  #isOver = false;
  readonly #options: LoadOptions;
  readonly #workers: Promise<unknown>;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#workers = Promise.all(Array.from({ length: WORKERS }, () => this.#work()));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#workers;
  }

  async #work(): Promise<void> {
    while (!this.#isOver) {
      const response = await this.#post();
      const text = await response.text();
      if (response.status === 200) this.answered++;
      else this.failed.push(text);
    }
  }

  /** Retries once, like clients do. */
  async #post(): Promise<Response> {
    const { gateway, key, model, keepalive } = this.#options;
    const init = {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: chatBody(model),
      keepalive,
    };
    try {
      return await fetch(`${gateway.baseUrl}/chat/completions`, init);
    } catch {
      this.reset++;
      return fetch(`${gateway.baseUrl}/chat/completions`, init);
    }
  }
}
