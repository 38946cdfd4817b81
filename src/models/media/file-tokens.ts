/** The tokens of a file, and how they were derived. */
export interface FileTokens {
  readonly tokens: number;
  readonly by: "size" | "bound";
}

/**
 * 100 pages of at most 3,000 tokens each: https://platform.claude.com/docs/en/build-with-claude/pdf-support. A PDF of 5 KB can have them, all
 * drawn by the same objects, and compressed objects hide how many there are. So no smaller number follows from the bytes of a PDF, nor
 * from those of an office document, which is compressed too.
 */
export const MOST_TOKENS_OF_A_FILE: FileTokens = { tokens: 300_000, by: "bound" };

/** Media types of text, beside `text/…`. */
const TEXT_TYPE = /^(?:text\/.+|application\/(?:.+\+)?(?:json|jsonl|x-ndjson|xml|yaml|x-yaml|toml|javascript|sql))$/;

/** Control characters that text does not have. Compressed formats have them in their first bytes. */
// oxlint-disable-next-line no-control-regex
const BINARY = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;

/** Servers that detect the type by content treat a file as a PDF if this is within its first 1,024 bytes. */
const PDF = "%PDF";
const PDF_WITHIN = 1_024 + PDF.length;

/**
 * The tokens of a file of this declared type, of which these bytes are the first. Text has a token for each byte, because no text has more
 * tokens than bytes. It has no lower bound: only the context window of the model ends it.
 */
export function fileTokens(head: Buffer, allBytes: number, mediaType: string): FileTokens {
  const isPdf = head.subarray(0, PDF_WITHIN).includes(PDF);
  if (isPdf || !TEXT_TYPE.test(mediaType) || BINARY.test(head.toString("latin1"))) return MOST_TOKENS_OF_A_FILE;
  return { tokens: Math.max(1, allBytes), by: "size" };
}
