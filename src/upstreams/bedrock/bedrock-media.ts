import { isObject, type Path } from "../../lib/schema/schema.ts";
import { readDataUrl, type DataUrl } from "../data-url.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import type { Block } from "./block.ts";

const IMAGE_FORMATS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/jpg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};

const DOCUMENT_FORMATS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "text/plain": "txt",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
};

const MAX_NAME_CHARS = 200;

/** Creates unique names for the documents of one request: the API rejects a name that is used twice. */
export class DocumentNames {
  readonly #used = new Set<string>();

  /** The file name without its extension, reduced to the characters that the API accepts. */
  nameFor(filename: unknown): string {
    const stem = typeof filename === "string" ? filename.slice(0, 2 * MAX_NAME_CHARS).replace(/\.\w{1,5}$/, "") : "";
    const usable = stem
      .replaceAll(/[^\w\s()[\]-]/g, "-")
      .replaceAll(/\s+/g, " ")
      .trim();
    const name = /[A-Za-z\d]/.test(usable) ? usable.slice(0, MAX_NAME_CHARS - 10).trim() : "document";
    let unique = name;
    for (let count = 2; this.#used.has(unique); count++) unique = `${name} (${count})`;
    this.#used.add(unique);
    return unique;
  }
}

/** An image, as bytes. The API does not fetch URLs, and neither does the gateway: that would be an SSRF hole. */
export function imageBlock(image: unknown, path: Path): Block {
  const url = isObject(image) ? image["url"] : image;
  const place = isObject(image) ? [...path, "url"] : path;
  const { mediaType, base64 } = dataIn(url, place);
  if (!Object.hasOwn(IMAGE_FORMATS, mediaType)) throw wrongValue(place, "must be a JPEG, PNG, GIF or WebP for this model");
  return { image: { format: IMAGE_FORMATS[mediaType], source: { bytes: base64 } } };
}

/** A file, as bytes. All URLs are rejected, including `s3:` URLs, which the upstream would read with the operator's permissions. */
export function documentBlock(file: unknown, path: Path, names: DocumentNames): Block {
  const { file_id: fileId, file_data: data, filename } = isObject(file) ? file : {};
  if (fileId != null && fileId !== "") throw unsupportedParameter([...path, "file_id"], "is not supported by this model: send file_data");
  const place = [...path, "file_data"];
  const { mediaType, base64 } = dataIn(data, place);
  const format = Object.hasOwn(DOCUMENT_FORMATS, mediaType) ? DOCUMENT_FORMATS[mediaType] : undefined;
  if (format === undefined && !mediaType.startsWith("text/")) {
    throw wrongValue(place, "must be a PDF, text, or a document of Word or Excel for this model");
  }
  return { document: { format: format ?? "txt", name: names.nameFor(filename), source: { bytes: base64 } } };
}

function dataIn(url: unknown, path: Path): DataUrl {
  const read = typeof url === "string" ? readDataUrl(url) : undefined;
  if (!read || !isBase64(read.base64)) throw wrongValue(path, "must be a data: URL in base64 for this model, which fetches no addresses");
  return read;
}

export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z\d+/]+={0,2}$/.test(text);
}
