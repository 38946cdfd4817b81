/** Writes a reply body whose length is not known in advance. */
export interface BodyWriter {
  /** The number of bytes that were written but not yet accepted by the kernel. */
  readonly unsentBytes: number;
  /** Whether there are no such bytes, so that the writer accepts more. */
  readonly isDrained: boolean;
  /** Writes a chunk, and returns its length in bytes. It is buffered while the writer is not drained. */
  write(chunk: string): number;
  /** Resolves when the writer is drained, or the client has disconnected. */
  drained(): Promise<void>;
  /** Completes the reply. */
  end(): void;
  /** Closes the connection, so that a truncated reply does not look complete. */
  abort(): void;
}

/** A body that is produced while it is written. */
export interface StreamBody {
  /** Starts writing. Called once, after the head of the reply. */
  writeTo(writer: BodyWriter): void;
  /** Called when the client has disconnected, or the body will not be written. */
  cancel(): void;
}

export type ReplyBody = string | Uint8Array | StreamBody | null;

interface ReplyInit {
  readonly status?: number;
  /** The headers; the reply takes ownership of them. */
  readonly headers?: Record<string, string>;
}

/** A reply to a client. A plain object instead of a `Response`, which costs ten times as much; every request has one. */
export class Reply {
  readonly status: number;
  /** The headers by lower-case name. Handlers may still add headers. */
  readonly headers: Record<string, string>;
  /** Each cookie becomes a separate Set-Cookie header (RFC 6265 §3), because these headers cannot be joined. */
  readonly cookies: string[] = [];
  readonly body: ReplyBody;

  constructor(body: ReplyBody, { status = 200, headers = {} }: ReplyInit = {}) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  static json(value: unknown, { status, headers }: ReplyInit = {}): Reply {
    const body = JSON.stringify(value);
    return new Reply(body, {
      ...(status !== undefined && { status }),
      headers: { "content-type": "application/json;charset=utf-8", ...headers },
    });
  }

  /** Stops producing a body that will not be written. */
  cancel(): void {
    if (isStreamBody(this.body)) this.body.cancel();
  }
}

export function isStreamBody(body: ReplyBody): body is StreamBody {
  return body !== null && typeof body === "object" && "writeTo" in body;
}
