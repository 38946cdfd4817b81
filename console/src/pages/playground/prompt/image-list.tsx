import { ImageOff, X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../../../parts/button.tsx";
import { bytes } from "../../../parts/format/format.ts";
import type { AttachedImage } from "./images.ts";

interface ImageListProps {
  readonly images: readonly AttachedImage[];
  readonly onRemove: (image: AttachedImage) => void;
}

/** The images of a message, each with its size and a remove button. */
export function ImageList({ images, onRemove }: ImageListProps): ReactNode {
  if (images.length === 0) return null;
  return (
    <ul aria-label="Images" className="flex flex-wrap gap-2">
      {images.map((image, at) => (
        <li key={`${at} ${image.name}`} className="flex max-w-full items-center gap-2 rounded-md border border-line bg-surface p-1">
          <Preview image={image} />
          <div className="min-w-0 text-sm">
            <p className="max-w-40 truncate" title={image.name}>
              {image.name}
            </p>
            <p className="figures text-ink-3">{image.bytes > 0 ? bytes(image.bytes) : "external URL"}</p>
          </div>
          <IconButton small label={`Remove ${image.name}`} onClick={() => onRemove(image)}>
            <X size={14} aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

/** The console does not fetch external URLs: only the upstream loads such an image. */
function Preview({ image: { url } }: { readonly image: AttachedImage }): ReactNode {
  if (url.startsWith("data:image/")) return <img src={url} alt="" className="size-12 rounded-sm bg-sunken object-cover" />;
  return (
    <span className="flex size-12 items-center justify-center rounded-sm bg-sunken text-ink-3">
      <ImageOff size={16} aria-hidden />
    </span>
  );
}
