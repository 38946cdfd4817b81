import type { AttachedImage } from "./images.ts";

/** The image types that models commonly support. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const;

/** The gateway takes bodies of 20 MiB by default; base64 makes an image a third longer. */
const MAX_IMAGE_BYTES = 15_000_000;

/** Separates supported images from other files, with a problem for each of those. */
export function sortImages(files: readonly File[]): { readonly fit: readonly File[]; readonly problems: readonly string[] } {
  const problems = files.flatMap((file) => problemOf(file) ?? []);
  return { fit: files.filter((file) => problemOf(file) === undefined), problems };
}

function problemOf({ name, type, size }: File): string | undefined {
  if (!(IMAGE_TYPES as readonly string[]).includes(type)) return `${name} is not a PNG, JPEG, WebP or GIF image.`;
  return size > MAX_IMAGE_BYTES ? `${name} is larger than 15 MB.` : undefined;
}

export async function readImage(file: File): Promise<AttachedImage> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(new Error(`${file.name} cannot be read.`)));
    reader.readAsDataURL(file);
  });
  return { name: file.name, url, bytes: file.size };
}
