import { Menu as Base } from "@base-ui/react/menu";
import { Ellipsis } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { classes } from "../classes.ts";
import { IconButton } from "../button.tsx";

export interface MenuItem {
  readonly label: string;
  readonly onSelect?: () => void;
  /** The URL of a file to download. */
  readonly download?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

/** A menu of further actions. */
export function Menu({
  label,
  items,
  trigger,
}: {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly trigger?: ReactElement;
}): ReactNode {
  return (
    <Base.Root>
      <Base.Trigger
        render={
          trigger ?? (
            <IconButton label={label}>
              <Ellipsis size={16} aria-hidden />
            </IconButton>
          )
        }
      />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50 outline-none">
          <Base.Popup className="max-h-[min(24rem,var(--available-height))] max-w-80 min-w-44 overflow-y-auto rounded-md bg-raised p-1 shadow-over outline-none">
            {items.map((item, at) => (
              <Item key={at} {...item} />
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function Item({ label, onSelect, download, danger, disabled = false }: MenuItem): ReactNode {
  const look = classes(
    "flex h-8 cursor-default items-center rounded-sm px-2.5 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-selected",
    danger && "text-bad",
  );
  if (download !== undefined) {
    return (
      <Base.LinkItem href={download} download closeOnClick className={look}>
        {label}
      </Base.LinkItem>
    );
  }
  return (
    <Base.Item disabled={disabled} onClick={onSelect} className={look}>
      <span className="truncate">{label}</span>
    </Base.Item>
  );
}
