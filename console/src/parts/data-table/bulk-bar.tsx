import { useCallback, useMemo, useRef, useState, type ReactNode } from "react";
import { Button } from "../button.tsx";
import { count } from "../format/format.ts";

/** Rows that are selected for an action, by their keys. */
export interface Selection {
  readonly keys: ReadonlySet<string>;
  readonly toggle: (key: string) => void;
  readonly select: (keys: Iterable<string>) => void;
  readonly clear: () => void;
}

export function useSelection(): Selection {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef(keys);
  latest.current = keys;
  const toggle = useCallback((key: string) => {
    const next = new Set(latest.current);
    if (!next.delete(key)) next.add(key);
    setKeys(next);
  }, []);
  const select = useCallback((chosen: Iterable<string>) => setKeys(new Set(chosen)), []);
  const clear = useCallback(() => setKeys(new Set()), []);
  return useMemo(() => ({ keys, toggle, select, clear }), [keys, toggle, select, clear]);
}

/** The actions on selected rows. It floats at the bottom of the window, so that no row moves. */
export function BulkBar({ selection, children }: { readonly selection: Selection; readonly children: ReactNode }): ReactNode {
  if (selection.keys.size === 0) return null;
  return (
    <div
      role="region"
      aria-label="Selected rows"
      className="sticky bottom-4 z-20 mx-auto flex w-fit max-w-full flex-wrap items-center gap-2 rounded-lg bg-raised px-3 py-2 shadow-over"
    >
      <span role="status" className="font-medium">
        {count(selection.keys.size)} selected
      </span>
      {children}
      <Button small weight="quiet" onClick={selection.clear}>
        Clear selection
      </Button>
    </div>
  );
}
