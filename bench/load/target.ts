/** The target of requests. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  readonly tls?: boolean;
}

const MESSAGES = [
  { role: "system", content: "You are a helpful assistant." },
  { role: "user", content: "Say something nice about gateways, in at most two sentences." },
];

/** The bytes of a JSON request. */
export function jsonRequest(target: Target): Buffer {
  return request(target, { model: target.model, messages: MESSAGES, max_tokens: 100 });
}

/** The bytes of a streaming request. The mock finds the mark in its text, however a gateway changes the rest. */
export function streamRequest(target: Target, mark?: number): Buffer {
  const messages = mark === undefined ? MESSAGES : [...MESSAGES, { role: "user", content: `[mark ${mark}]` }];
  return request(target, { model: target.model, messages, max_tokens: 2000, stream: true, stream_options: { include_usage: true } });
}

function request(target: Target, body: object): Buffer {
  const json = JSON.stringify(body);
  const headers = { host: `${target.host}:${target.port}`, "content-type": "application/json", ...target.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${target.path} HTTP/1.1\r\n${lines.join("")}content-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`);
}
