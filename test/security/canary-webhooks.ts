import type { Scene } from "./canary-scenario.ts";
import type { RecordedReply } from "./recorded-platform.ts";

const newSecret = (name: string) => (reply: RecordedReply) => ({ [name]: reply.body["secret"] as string });

/** Webhooks: created, rotated, tested with a receiver that repeats everything it receives, and requested by wrong IDs. */
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
  await playChannels({ platform, detector }, `http://127.0.0.1:${receiver.port}`);
  await receiver.stop(true);
}

/** Chats, whose URL is a credential, and a pager with its key, which only the pager may receive. */
async function playChannels({ platform, detector }: Pick<Scene, "platform" | "detector">, origin: string): Promise<void> {
  const path = detector.invent("URL of a chat");
  const chat = { kind: "teams", name: "chat", url: `${origin}/${path}?sig=${path}`, allow_private: true };
  const { body } = await platform.call("POST", "/api/webhooks", chat);
  const at = `/api/webhooks/${body["id"] as string}`;
  await platform.call("POST", `${at}/test`);
  await platform.call("POST", `${at}/rotate-secret`, {});
  await platform.call("PATCH", at, { url: `ftp://hooks.example/${path}` });
  await platform.call("PATCH", at, { url: `https://hooks.example/${path}` });
  await platform.call("POST", "/api/webhooks", { ...chat, kind: "webhook" });
  const routingKey = detector.keep("routing key", "canary0123456789canary0123456789");
  const pager = { kind: "pagerduty", name: "pager", routing_key: routingKey, url: "https://127.0.0.1:9/v2/enqueue", allow_private: true };
  const made = await platform.call("POST", "/api/webhooks", pager);
  await platform.call("POST", `/api/webhooks/${made.body["id"] as string}/test`);
  await platform.call("POST", "/api/webhooks", { ...pager, kind: "slack" });
  await platform.call("POST", "/api/webhooks", { ...pager, routing_key: `${routingKey}x` });
}
