/** Code that verifies a message's signature; the same as in docs/alerts.md. */
export const VERIFY_SNIPPETS = [
  {
    id: "python",
    label: "Python",
    text: `import base64, hashlib, hmac, json, time

def verify(headers, body: bytes, secret: str):
    """Returns the message; body must be the raw request body, before any parsing."""
    message_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        raise ValueError("signed too long ago, or in the future")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
    if not any(hmac.compare_digest(expected, each) for each in headers["webhook-signature"].split(" ")):
        raise ValueError("not signed with this secret")
    return json.loads(body)`,
  },
  {
    id: "typescript",
    label: "TypeScript",
    text: `import { createHmac, timingSafeEqual } from "node:crypto";

/** Returns the message; \`body\` must be the raw request body, before any parsing. */
export function verify(headers: Headers, body: string, secret: string): { type: string; timestamp: string; data: Record<string, unknown> } {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headers.get(name) ?? "");
  const isNew = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300;
  if (!isNew) throw new Error("signed too long ago, or in the future");
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = Buffer.from(\`v1,\${createHmac("sha256", key).update(\`\${id}.\${timestamp}.\${body}\`).digest("base64")}\`);
  const isSigned = signatures!.split(" ").some((each) => {
    const given = Buffer.from(each);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned) throw new Error("not signed with this secret");
  return JSON.parse(body);
}`,
  },
] as const;
