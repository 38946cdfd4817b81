import type { KeyboardEvent, PointerEvent, ReactNode } from "react";
import { classes } from "../classes.ts";

const KEY_STEP = 16;

interface ResizeHandleProps {
  readonly label: string;
  readonly width: number;
  readonly min: number;
  readonly max: number;
  /** The side of the resized element that the handle is on. */
  readonly side?: "left" | "right";
  /** Undefined for the default width. */
  readonly onResize: (width: number | undefined) => void;
  readonly className?: string;
}

/** A separator that is dragged, or moved with the arrow keys. A double click, or Home, restores the default width. */
export function ResizeHandle({ label, width, min, max, side = "right", onResize, className }: ResizeHandleProps): ReactNode {
  const sign = side === "right" ? 1 : -1;
  const resize = (to: number): void => onResize(Math.round(Math.min(max, Math.max(min, to))));
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    const handle = event.currentTarget;
    const startX = event.clientX;
    const drag = (moved: globalThis.PointerEvent): void => resize(width + sign * (moved.clientX - startX));
    const end = (): void => handle.removeEventListener("pointermove", drag);
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener("pointermove", drag);
    handle.addEventListener("lostpointercapture", end, { once: true });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps = event.key === "ArrowRight" ? sign : event.key === "ArrowLeft" ? -sign : 0;
    if (event.key === "Home") onResize(undefined);
    else if (steps !== 0) resize(width + steps * KEY_STEP);
    else return;
    event.preventDefault();
  };
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={Math.round(width)}
      aria-valuemin={min}
      aria-valuemax={max}
      onPointerDown={onPointerDown}
      onDoubleClick={() => onResize(undefined)}
      onKeyDown={onKeyDown}
      className={classes(
        "cursor-col-resize touch-none select-none after:absolute after:inset-y-1 after:left-1/2 after:w-px after:bg-line hover:after:bg-accent focus-visible:after:bg-accent",
        className,
      )}
    />
  );
}
