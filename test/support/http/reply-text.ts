import { isStreamBody, type Reply } from "../../../src/lib/http1/server/reply.ts";
import { RecordingWriter } from "./recording-writer.ts";

/** The body of a reply, as a reader receives it that reads everything. */
export async function textOf({ body }: Reply): Promise<string> {
  if (!isStreamBody(body)) return body === null ? "" : Buffer.from(body).toString();
  const writer = new RecordingWriter();
  body.writeTo(writer);
  await writer.ended;
  return writer.text;
}
