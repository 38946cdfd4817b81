import { shorten, type ChannelMessage } from "./channel-message.ts";

/** The octets of UTF-8 in one encoded word: a line with its header and one word has at most 76 characters (RFC 2047 §2). */
const WORD_BYTES = 39;
/** The characters of base64 in a line (RFC 2045 §6.8). */
const LINE_CHARS = 76;
const MAX_SUBJECT = 200;

/** An e-mail by RFC 5322. The texts have no line breaks, so none can begin a header; the body is base64, so no line of it begins with a dot. */
export function formatForEmail(message: ChannelMessage, from: string, to: readonly string[]): string {
  const { id, title, summary, facts, timestamp, link } = message;
  const domain = from.slice(from.lastIndexOf("@") + 1);
  const lines = [summary, "", ...facts.map(([name, value]) => `${name}: ${value}`), "", timestamp, ...(link === undefined ? [] : [link])];
  return [
    `From: Tollgate <${from}>`,
    // Each on a line of its own: a line has at most 998 characters.
    `To: ${to.map((address) => `<${address}>`).join(",\r\n ")}`,
    `Subject: ${encodeHeader(shorten(`[Tollgate] ${title}`, MAX_SUBJECT))}`,
    `Date: ${new Date(timestamp).toUTCString().replace("GMT", "+0000")}`,
    // The same for each attempt, so that a mailbox can tell duplicates.
    `Message-ID: <${id}@${domain}>`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: base64",
    // No vacation notice shall answer (RFC 3834).
    "Auto-Submitted: auto-generated",
    "",
    ...chunksOf(Buffer.from(`${lines.join("\r\n")}\r\n`).toString("base64"), LINE_CHARS),
    "",
  ].join("\r\n");
}

/** ASCII as it is, other text as encoded words, on lines of their own (RFC 2047 §2). */
function encodeHeader(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes("=?") && text.length <= LINE_CHARS - "Subject: ".length) return text;
  const words: string[] = [];
  let word = "";
  for (const character of text) {
    if (Buffer.byteLength(word + character) > WORD_BYTES) {
      words.push(word);
      word = "";
    }
    word += character;
  }
  return [...words, word].map((each) => `=?utf-8?B?${Buffer.from(each).toString("base64")}?=`).join("\r\n ");
}

function chunksOf(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}
