/** A model provider that repeats the received credential in its responses in every possible way. */
export interface EchoingUpstream {
  readonly baseUrl: string;
  /** The models of the upstream. Each fails in a different way. */
  readonly models: readonly string[];
  stop(): Promise<void>;
}

type Reply = (credential: string) => Response;

const JSON_ERROR =
  (status: number): Reply =>
  (credential) =>
    Response.json(errorWith(credential), { status, headers: headersWith(credential) });

const REPLIES: Readonly<Record<string, Reply>> = {
  "bad-request": JSON_ERROR(400),
  unauthorized: JSON_ERROR(401),
  forbidden: JSON_ERROR(403),
  unprocessable: JSON_ERROR(422),
  busy: JSON_ERROR(429),
  broken: JSON_ERROR(500),
  unavailable: JSON_ERROR(503),
  "too-large": (credential) => Response.json({ error: { message: `Request too large for ${credential}` } }, { status: 429 }),
  nested: (credential) => Response.json({ detail: [{ loc: ["header"], input: { authorization: credential } }] }, { status: 422 }),
  html: (credential) => new Response(`<h1>${Bun.escapeHTML(credential)}</h1>`, { status: 400, headers: { "content-type": "text/html" } }),
  address: (credential) => new Response(`no such key: ${encodeURIComponent(credential)}`, { status: 400 }),
  elsewhere: (credential) =>
    new Response(null, { status: 302, headers: { location: `https://evil.example/?key=${encodeURIComponent(credential)}` } }),
  "error-in-success": (credential) =>
    Response.json({ error: { message: `bad key ${credential}`, type: "context_length_exceeded", param: credential } }),
  "no-answer": (credential) => new Response(`{"choices": ${credential}`, { headers: { "content-type": "application/json" } }),
  "error-in-stream": (credential) => streamOf([chunk("Hello"), JSON.stringify(errorWith(credential))]),
  "junk-in-stream": (credential) => streamOf([chunk("Hello"), `{"choices": ${credential}`]),
};

export function startEchoingUpstream(): EchoingUpstream {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const credential = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
      if (new URL(request.url).pathname === "/v1/models") return JSON_ERROR(401)(credential);
      const { model } = (await request.json()) as { model: string };
      return REPLIES[model]!(credential);
    },
  });
  return { baseUrl: `http://127.0.0.1:${server.port}/v1`, models: Object.keys(REPLIES), stop: () => server.stop(true) };
}

function errorWith(credential: string): object {
  const message = `Incorrect API key provided: ${credential}. You sent "Authorization: Bearer ${credential}".`;
  return { error: { message, type: credential, param: credential, code: credential } };
}

function headersWith(credential: string): Record<string, string> {
  return {
    "x-request-id": credential,
    "retry-after": credential,
    "www-authenticate": `Bearer realm="${credential}"`,
    "set-cookie": `key=${credential}`,
  };
}

function chunk(content: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  return JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices });
}

function streamOf(events: readonly string[]): Response {
  const text = events.map((event) => `data: ${event}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}
