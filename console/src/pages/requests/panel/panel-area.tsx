import { useState, useSyncExternalStore, type CSSProperties, type ReactNode } from "react";
import { classes } from "../../../parts/classes.ts";
import { ResizeHandle } from "../../../parts/data-table/resize-handle.tsx";

const DEFAULT_WIDTH = 480;
const [MIN_WIDTH, MAX_WIDTH] = [360, 1000];
/** Of the window. */
const MAX_SHARE = 0.6;
const ITEM = "tollgate-request-panel";

/** The list and the open request beside it. The edge between them can be moved; its place is stored in this browser. */
export function PanelArea({ list, panel }: { readonly list: ReactNode; readonly panel: ReactNode | undefined }): ReactNode {
  const [chosen, setWidth] = useState(readWidth);
  // What a narrow window leaves of it is where the edge is, and moves from.
  const width = Math.min(chosen, Math.floor(useWindowWidth() * MAX_SHARE));
  const resize = (given: number | undefined): void => {
    setWidth(given ?? DEFAULT_WIDTH);
    writeWidth(given);
  };
  const isOpen = panel !== undefined;
  return (
    <div
      style={{ "--panel": `${width}px` } as CSSProperties}
      className={classes(isOpen && "xl:grid xl:grid-cols-[minmax(0,1fr)_var(--panel)] xl:gap-5")}
    >
      <div className={classes("min-w-0", isOpen && "max-xl:hidden")}>{list}</div>
      {isOpen && (
        <div className="relative min-w-0">
          <ResizeHandle
            label="Width of the request"
            side="left"
            width={width}
            min={MIN_WIDTH}
            max={MAX_WIDTH}
            onResize={resize}
            className="absolute inset-y-0 -left-4 w-3 max-xl:hidden"
          />
          {panel}
        </div>
      )}
    </div>
  );
}

function useWindowWidth(): number {
  return useSyncExternalStore(onResized, () => innerWidth);
}

function onResized(notify: () => void): () => void {
  addEventListener("resize", notify);
  return () => removeEventListener("resize", notify);
}

function readWidth(): number {
  try {
    const stored = Number(localStorage.getItem(ITEM) ?? DEFAULT_WIDTH);
    return stored >= MIN_WIDTH && stored <= MAX_WIDTH ? stored : DEFAULT_WIDTH;
  } catch {
    return DEFAULT_WIDTH;
  }
}

function writeWidth(width: number | undefined): void {
  try {
    if (width === undefined) localStorage.removeItem(ITEM);
    else localStorage.setItem(ITEM, String(width));
  } catch {
    // Storage is blocked: the width lasts until the page is reloaded.
  }
}
