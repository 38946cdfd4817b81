/** Where the pieces of a reply go whose length nobody knows beforehand. */
export interface BodyWriter {
  /** What the caller has not taken yet of what was sent. */
  readonly unsentBytes: number;
  /** Whether it has taken all of it. */
  readonly hasRoom: boolean;
  /** Sends a piece, and gives its length in bytes. Without room it is kept until there is some. */
  write(piece: string): number;
  /** Resolves when there is room for more, or the caller has left. */
  room(): Promise<void>;
  /** The reply is whole. */
  end(): void;
  /** Cuts the connection, so that nothing cut short looks whole. */
  cut(): void;
}

/** A body that is made while it is sent. */
export interface StreamBody {
  /** Begins to send. Called once, when the head of the reply has left. */
  writeTo(writer: BodyWriter): void;
  /** Nobody takes it any more, or ever will. */
  cancel(): void;
}

export type ReplyBody = string | Uint8Array | StreamBody | null;

export interface ReplyInit {
  readonly status?: number;
  /** They are the reply's from here on. */
  readonly headers?: Record<string, string>;
}

/** What a caller is answered. As a `Response`, and a tenth of its price: there is one for each request. */
export class Reply {
  readonly status: number;
  /** By their names in lower case. Whoever answers may still add to them. */
  readonly headers: Record<string, string>;
  /** Each is a header of its own (RFC 6265 §3): they cannot be joined as others are. */
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

  /** What is not sent must not be made either. */
  cancel(): void {
    if (isStreamBody(this.body)) this.body.cancel();
  }
}

export function isStreamBody(body: ReplyBody): body is StreamBody {
  return body !== null && typeof body === "object" && "writeTo" in body;
}
