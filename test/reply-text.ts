import { isPoured, type Reply } from "../src/http/reply.ts";

/** The body of a reply that is there before it is sent. */
export function textOf({ body }: Reply): string {
  if (isPoured(body)) throw new Error("this body is made while it is sent");
  return body === null ? "" : Buffer.from(body).toString();
}
