import type { Picture } from "./images.ts";

/** What models commonly take. */
export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

/** The gateway takes bodies of 20 MiB by default; in base64 a picture is a third longer. */
const MAX_PICTURE_BYTES = 15_000_000;

/** Those of some files that can be shown to a model, and what is wrong with the others. */
export function sortPictures(files: readonly File[]): { readonly fit: readonly File[]; readonly problems: readonly string[] } {
  const problems = files.flatMap((file) => problemOf(file) ?? []);
  return { fit: files.filter((file) => problemOf(file) === undefined), problems };
}

function problemOf({ name, type, size }: File): string | undefined {
  if (!(PICTURE_TYPES as readonly string[]).includes(type)) return `${name} is not a PNG, JPEG, WebP or GIF picture.`;
  return size > MAX_PICTURE_BYTES ? `${name} is larger than 15 MB.` : undefined;
}

export async function readPicture(file: File): Promise<Picture> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(new Error(`${file.name} cannot be read.`)));
    reader.readAsDataURL(file);
  });
  return { name: file.name, url, bytes: file.size };
}
