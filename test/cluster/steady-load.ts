import { chatBody } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { isLong } from "../support/long.ts";

const WORKERS = 6;
/** The pause between two requests of a client: without it the clients use the whole machine. */
const PAUSE_MS = isLong ? 0 : 15;

/** Clients that send one request after the other, each on its own connection, and never retry. */
export class SteadyLoad {
  /** The IDs of all completed requests. */
  readonly completed: string[] = [];
  readonly failed: string[] = [];
  readonly #url: string;
  readonly #key: string;
  readonly #model: string;
  /** The number of requests that each worker has finished. */
  readonly #ended: number[] = Array.from({ length: WORKERS }, () => 0);
  readonly #workers: Promise<unknown>;
  #isOver = false;

  constructor(baseUrl: string, key: string, model: string) {
    this.#url = `${baseUrl}/chat/completions`;
    this.#key = key;
    this.#model = model;
    this.#workers = Promise.all(Array.from({ length: WORKERS }, (_, at) => this.#work(at)));
  }

  /** Waits until this many more requests are completed, including all requests that are in flight now. */
  async continues(count = 50): Promise<void> {
    const before = this.completed.length;
    const ended = [...this.#ended];
    await eventually(
      () =>
        [this.completed.length - before, this.#ended.filter((requests, at) => requests > ended[at]!).length, this.failed.length] as const,
      ([completed, workers, failed]) => (completed >= count && workers === WORKERS) || failed > 0,
    );
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#workers;
  }

  async #work(worker: number): Promise<void> {
    while (!this.#isOver) {
      try {
        const response = await postTo(this.#url, this.#key, chatBody(this.#model, { max_tokens: 10 }));
        const text = await response.text();
        if (response.status === 200) this.completed.push(response.headers.get("x-request-id")!);
        else this.failed.push(`${response.status} ${text}`);
      } catch (error) {
        this.failed.push(String(error));
      }
      this.#ended[worker]!++;
      await Bun.sleep(PAUSE_MS);
    }
  }
}

/** Posts on a new connection. */
export function postTo(url: string, key: string, body: string): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
    keepalive: false,
  });
}
