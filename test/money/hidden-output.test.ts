/** A client that disconnects must pay for hidden reasoning. The attack is a prompt for "answer, END, padding", and a disconnect at END. */
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { READ_ON_CHARS } from "../../src/requests/disconnect-policy.ts";
import type { RecordedDialect } from "../streams/recorded-responses.ts";
import { TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { accountNow, creditIn, ledgerOf, priceOf, type LedgerRow } from "./ledger-of.ts";
import { chatBody } from "./post-chat.ts";
import { BILLED, startReasoningUpstream, type ReasoningCall } from "./reasoning-upstream.ts";

const DIALECTS: readonly RecordedDialect[] = ["openai", "responses", "anthropic", "gemini", "bedrock"];
const MAX_TOKENS = 20_000;

const AS_BILLED = {
  kind: "settle",
  prompt_tokens: BigInt(BILLED.promptTokens),
  completion_tokens: BigInt(BILLED.completionTokens),
  amount_nanos: priceOf(BILLED.promptTokens, BILLED.completionTokens),
  provenance: "measured",
} as const;

let upstream: Awaited<ReturnType<typeof startReasoningUpstream>>;

beforeAll(async () => {
  upstream = await startReasoningUpstream();
});

afterAll(() => upstream.stop());

class AttackedGateway {
  readonly gateway: RunningGateway;
  readonly #key: string;

  private constructor(gateway: RunningGateway, key: string) {
    this.gateway = gateway;
    this.#key = key;
  }

  static async start(env: Record<string, string>): Promise<AttackedGateway> {
    const upstreams = DIALECTS.map(
      (id) => `  - { id: ${id}, dialect: ${id}, base_url: "http://127.0.0.1:${upstream.port}/${id}/v1", allow_private: true }`,
    );
    const models = DIALECTS.map((id) => `  - { id: ${id}, routes: [{ upstream: ${id}, model: m }], price: ${TEST_PRICE} }`);
    const gateway = await startGateway({ yaml: `upstreams:\n${upstreams.join("\n")}\nmodels:\n${models.join("\n")}\n`, env });
    return new AttackedGateway(gateway, (await gateway.makeKey()).key);
  }

  /** Sends a request. The mock upstream holds its response until the test releases it. */
  async send(model: RecordedDialect, more: object): Promise<SentRequest> {
    const { hostname, port } = new URL(this.gateway.baseUrl);
    const body = chatBody(model, { max_tokens: MAX_TOKENS, ...more });
    const [calls, rows] = [upstream.calls.length, ledgerOf(this.gateway).length];
    const head = ["POST /v1/chat/completions HTTP/1.1", `host: ${hostname}`, `authorization: Bearer ${this.#key}`];
    const socket = connect(Number(port), hostname);
    socket.write(`${[...head, "content-type: application/json", `content-length: ${body.length}`].join("\r\n")}\r\n\r\n${body}`);
    await eventually(
      () => upstream.calls.length,
      (seen) => seen === calls + 1,
    );
    return new SentRequest(this.gateway, socket, upstream.calls[calls]!, body, rows);
  }

  /** The attack "answer, END, padding": the client disconnects at END. */
  async attack(model: RecordedDialect): Promise<SentRequest> {
    const sent = await this.send(model, { stream: true });
    sent.call.answer();
    await sent.untilReceived("END");
    await sent.leave();
    return sent;
  }
}

class SentRequest {
  readonly call: ReasoningCall;
  readonly body: string;
  readonly #gateway: RunningGateway;
  readonly #socket: Socket;
  readonly #rowsBefore: number;
  #received = "";

  constructor(gateway: RunningGateway, socket: Socket, call: ReasoningCall, body: string, rowsBefore: number) {
    this.call = call;
    this.body = body;
    this.#gateway = gateway;
    this.#socket = socket;
    this.#rowsBefore = rowsBefore;
    socket.on("data", (bytes) => (this.#received += bytes.toString("latin1")));
  }

  async untilReceived(text: string): Promise<void> {
    await eventually(
      () => this.#received,
      (received) => received.includes(text),
    );
  }

  /** Disconnects, and waits until the gateway has noticed. */
  async leave(): Promise<void> {
    this.#socket.destroy();
    await eventually(
      () => authenticatedConnections(this.#gateway),
      (open) => open === 0,
    );
  }

  /** The last ledger entry of the request. */
  async ended(): Promise<LedgerRow> {
    const ends = (): LedgerRow[] =>
      ledgerOf(this.#gateway)
        .slice(this.#rowsBefore)
        .filter(({ kind }) => kind === "settle" || kind === "release");
    return (await eventually(ends, (found) => found.length === 1))[0]!;
  }

  async logged({ request_id: id }: LedgerRow): Promise<Record<string, unknown> | undefined> {
    return eventually(
      () => this.#gateway.logLines().find((line) => line["request_id"] === id),
      (line) => line !== undefined,
    );
  }

  async untilCancelled(): Promise<void> {
    await eventually(
      () => this.call.isCancelled,
      (isCancelled) => isCancelled,
    );
  }
}

async function authenticatedConnections({ platformUrl, operatorToken }: RunningGateway): Promise<number> {
  const response = await fetch(`${platformUrl}/metrics`, { headers: { authorization: `Bearer ${operatorToken}` } });
  const found = /^tollgate_connections\{listener="gateway",state="authenticated"\} (\d+)$/m.exec(await response.text());
  return Number(found![1]);
}

describe("by default the call is read on until the upstream has counted it", () => {
  let attacked: AttackedGateway;

  beforeAll(async () => {
    attacked = await AttackedGateway.start({});
  });

  afterAll(() => attacked.gateway.stop());

  for (const dialect of DIALECTS) {
    test(`${dialect}: a client that disconnects at END pays what the provider bills`, async () => {
      const sent = await attacked.attack(dialect);
      sent.call.finish();
      expect(await sent.ended()).toMatchObject({ ...AS_BILLED, reason: "the client disconnected before the end" });
    });

    test(`${dialect}: so does one that disconnects before a JSON response, or while the model thinks`, async () => {
      for (const stream of [false, true]) {
        const sent = await attacked.send(dialect, { stream });
        await sent.leave();
        if (stream) sent.call.answer();
        sent.call.finish();
        const row = await sent.ended();
        expect(row).toMatchObject({ ...AS_BILLED, reason: "the client disconnected before the end" });
        expect(await sent.logged(row)).toMatchObject({ completion_tokens: BILLED.completionTokens, ...(!stream && { status: 499 }) });
      }
    });
  }

  test("an upstream that fails then is not called again, and the request costs nothing", async () => {
    const calls = upstream.calls.length;
    const sent = await attacked.send("openai", { stream: false });
    await sent.leave();
    sent.call.fail();
    expect(await sent.ended()).toMatchObject({ kind: "release", amount_nanos: 0n });
    expect(upstream.calls.length).toBe(calls + 1);
  });

  test("padding above the bound ends the call, and the held output is charged", async () => {
    const sent = await attacked.attack("openai");
    const padding = "x".repeat(512 * 1024);
    for (let sentChars = 0; sentChars <= READ_ON_CHARS; sentChars += padding.length) sent.call.pad(padding);
    await sent.untilCancelled();
    const charge = await sent.ended();
    expect(charge).toMatchObject({ kind: "settle", provenance: "estimated" });
    expect(charge.completion_tokens).toBeGreaterThanOrEqual(BigInt(MAX_TOKENS));
  });

  test("afterwards no hold is open, and the balance is the credit less the charges", async () => {
    const { creditNanos, heldNanos } = await accountNow(attacked.gateway);
    expect({ creditNanos, heldNanos }).toEqual({ creditNanos: creditIn(ledgerOf(attacked.gateway)), heldNanos: 0n });
  });
});

test("a shutdown settles a call that goes on, charges the text until then, and logs it", async () => {
  const attacked = await AttackedGateway.start({});
  const sent = await attacked.attack("openai");
  await attacked.gateway.end();
  expect(sent.call.isCancelled).toBe(true);
  expect(await sent.ended()).toMatchObject({ kind: "settle", reason: "the client disconnected", completion_tokens: 2n });
  expect(attacked.gateway.logLines().filter(({ completion_tokens: tokens }) => tokens === 2)).toHaveLength(1);
  await attacked.gateway.stop();
});

describe("with TOLLGATE_ON_DISCONNECT=hold the call is cancelled, and the held output is charged", () => {
  let attacked: AttackedGateway;

  beforeAll(async () => {
    attacked = await AttackedGateway.start({ TOLLGATE_ON_DISCONNECT: "hold" });
  });

  afterAll(() => attacked.gateway.stop());

  for (const dialect of DIALECTS) {
    test(`${dialect}: unless the upstream has counted it`, async () => {
      const sent = await attacked.attack(dialect);
      await sent.untilCancelled();
      const charge = { kind: "settle", completion_tokens: BigInt(MAX_TOKENS), provenance: "estimated", reason: "the client disconnected" };
      expect(await sent.ended()).toMatchObject(charge);
    });
  }
});

test("with TOLLGATE_ON_DISCONNECT=cancel the call is cancelled, and the received text is charged", async () => {
  const attacked = await AttackedGateway.start({ TOLLGATE_ON_DISCONNECT: "cancel" });
  try {
    const sent = await attacked.attack("openai");
    await sent.untilCancelled();
    const charge = { completion_tokens: 2n, prompt_tokens: BigInt(Math.ceil(sent.body.length / 4)), provenance: "estimated" };
    expect(await sent.ended()).toMatchObject(charge);
  } finally {
    await attacked.gateway.stop();
  }
});
