import type { Scene } from "./canary-scenario.ts";
import type { RecordedReply } from "./recorded-platform.ts";

const newSecret = (name: string) => (reply: RecordedReply) => ({ [name]: reply.body["secret"] as string });

/** Webhooks: made, rotated, tried at a receiver that says back all that it was sent, and asked for where they are not. */
export async function playWebhooks({ platform, detector }: Scene): Promise<void> {
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const message = JSON.stringify([...request.headers, await request.text()]);
      detector.record("what a receiver is sent", message);
      return new Response(message, { status: 500 });
    },
  });
  const wanted = { name: "canary", url: `http://127.0.0.1:${receiver.port}/`, allow_private: true };
  const named = { "idempotency-key": "canary-webhook" };
  const made = await platform.call("POST", "/api/webhooks", wanted, named, newSecret("signing secret"));
  await platform.call("POST", "/api/webhooks", wanted, named);
  const { id, secret } = made.body as { id: string; secret: string };
  await platform.call("POST", `/api/webhooks/${id}/rotate-secret`, {}, {}, newSecret("second signing secret"));
  await platform.call("POST", `/api/webhooks/${id}/rotate-secret`, {}, {}, newSecret("third signing secret"));
  const tried = await platform.call("POST", `/api/webhooks/${id}/test`);
  await platform.call("POST", `/api/webhooks/${id}/deliveries/${String(tried.body["id"])}/redeliver`);
  await platform.call("PATCH", `/api/webhooks/${id}`, { name: "changed" });
  await platform.call("GET", `/api/webhooks/${encodeURIComponent(secret)}`);
  await platform.call("POST", `/api/webhooks/${id}/deliveries/${encodeURIComponent(secret)}/redeliver`);
  await platform.call("GET", `/nowhere/${secret}`);
  await platform.call("PATCH", `/api/webhooks/${id}`, { [secret]: 1 });
  await platform.call("PATCH", `/api/webhooks/${id}`, { url: `https://hooks.example/?${secret}` });
  await platform.call("GET", `/api/webhooks/${id}`);
  const gone = await platform.call("POST", "/api/webhooks", wanted, {}, newSecret("secret of a removed webhook"));
  await platform.call("DELETE", `/api/webhooks/${gone.body["id"] as string}`);
  await receiver.stop(true);
}
