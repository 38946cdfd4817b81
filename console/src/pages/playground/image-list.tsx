import { ImageOff, X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../../parts/button.tsx";
import { bytes } from "../../parts/format.ts";
import type { Picture } from "./images.ts";

interface PictureListProps {
  readonly pictures: readonly Picture[];
  readonly onRemove: (picture: Picture) => void;
}

/** The pictures of a message, each with its size and the way to be rid of it. */
export function PictureList({ pictures, onRemove }: PictureListProps): ReactNode {
  if (pictures.length === 0) return null;
  return (
    <ul aria-label="Pictures" className="flex flex-wrap gap-2">
      {pictures.map((picture, at) => (
        <li key={`${at} ${picture.name}`} className="flex max-w-full items-center gap-2 rounded-md border border-line bg-surface p-1">
          <Preview picture={picture} />
          <div className="min-w-0 text-sm">
            <p className="max-w-40 truncate" title={picture.name}>
              {picture.name}
            </p>
            <p className="figures text-ink-3">{picture.bytes > 0 ? bytes(picture.bytes) : "elsewhere"}</p>
          </div>
          <IconButton small label={`Remove ${picture.name}`} onClick={() => onRemove(picture)}>
            <X size={14} aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

/** Nothing is fetched from elsewhere: such a picture the upstream alone will see. */
function Preview({ picture: { url } }: { readonly picture: Picture }): ReactNode {
  if (url.startsWith("data:image/")) return <img src={url} alt="" className="size-12 rounded-sm bg-sunken object-cover" />;
  return (
    <span className="flex size-12 items-center justify-center rounded-sm bg-sunken text-ink-3">
      <ImageOff size={16} aria-hidden />
    </span>
  );
}
