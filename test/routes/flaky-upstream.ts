import { completion, events, GOOD_CHUNKS } from "../mock-upstream.ts";

/** A request as an upstream got it. */
export interface Asked {
  readonly credential: string;
  readonly body: Record<string, unknown>;
  readonly signal: AbortSignal;
}

export type Doing = (asked: Asked) => Response | Promise<Response>;

export const answers: Doing = ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion()));

export const hangs: Doing = ({ signal }) =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(new Response(null, { status: 500 }))));

/** Refuses with this status. */
export function refuses(status: number, headers: Record<string, string> = {}): Doing {
  return () => Response.json({ error: { message: `status ${status} of a test` } }, { status, headers });
}

/** An upstream in this process that does what it is told to do at the moment, and counts. */
export class FickleUpstream {
  readonly id: string;
  readonly requests: Asked[] = [];
  does: Doing;
  #server: Bun.Server<undefined>;

  constructor(id: string, does: Doing = answers) {
    this.id = id;
    this.does = does;
    this.#server = this.#listen(0);
  }

  get port(): number {
    return this.#server.port!;
  }

  get calls(): number {
    return this.requests.length;
  }

  /** Takes no connections until it is opened again. */
  async shut(): Promise<() => void> {
    const { port } = this;
    await this.#server.stop(true);
    return () => void (this.#server = this.#listen(port));
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  #listen(port: number): Bun.Server<undefined> {
    return Bun.serve({
      port,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      fetch: async (request) => {
        const body = (await request.json()) as Record<string, unknown>;
        const credential = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
        const asked = { credential, body, signal: request.signal };
        this.requests.push(asked);
        return this.does(asked);
      },
    });
  }
}
