/** A relay like most gateways in TypeScript: a server with Request and Response, and fetch. It checks and counts nothing. */
const upstream = process.argv[2]!;

const relay = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const { messages, ...rest } = (await request.json()) as { messages: unknown };
    const body = JSON.stringify({ ...rest, messages });
    const answer = await fetch(`${upstream}/chat/completions`, { method: "POST", body, headers: { "content-type": "application/json" } });
    return new Response(answer.body, { status: answer.status, headers: { "content-type": answer.headers.get("content-type") ?? "" } });
  },
});
process.stdout.write(`${JSON.stringify({ port: relay.port })}\n`);
