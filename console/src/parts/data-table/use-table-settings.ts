import { useEffect, useMemo, useState } from "react";
import { clampWidth } from "./data-column.ts";

/** The user's settings of a table, by column. Stored in this browser. */
interface StoredSettings {
  readonly shown: Readonly<Record<string, boolean>>;
  readonly widths: Readonly<Record<string, number>>;
}

export interface TableSettings extends StoredSettings {
  /** Columns without space at the moment. */
  readonly omitted: readonly string[];
  readonly setOmitted: (columns: readonly string[]) => void;
  readonly setShown: (column: string, isShown: boolean) => void;
  /** Undefined for the default width. */
  readonly setWidth: (column: string, width: number | undefined) => void;
  readonly reset: () => void;
}

const DEFAULTS: StoredSettings = { shown: {}, widths: {} };

/** The columns and widths of the table with this name. */
export function useTableSettings(name: string): TableSettings {
  const item = `tollgate-table-${name}`;
  const [chosen, setChosen] = useState(() => readChosen(item));
  const [omitted, setOmitted] = useState<readonly string[]>([]);
  useEffect(() => writeChosen(item, chosen), [item, chosen]);
  return useMemo(
    () => ({
      ...chosen,
      omitted,
      setOmitted,
      setShown: (column, isShown) => setChosen((known) => ({ ...known, shown: { ...known.shown, [column]: isShown } })),
      setWidth: (column, width) => setChosen((known) => ({ ...known, widths: withWidth(known.widths, column, width) })),
      reset: () => setChosen(DEFAULTS),
    }),
    [chosen, omitted],
  );
}

function withWidth(widths: StoredSettings["widths"], column: string, width: number | undefined): StoredSettings["widths"] {
  const { [column]: _, ...others } = widths;
  return width === undefined ? others : { ...others, [column]: clampWidth(width) };
}

function readChosen(item: string): StoredSettings {
  try {
    const { shown, widths } = JSON.parse(localStorage.getItem(item) ?? "{}") as Partial<Record<keyof StoredSettings, unknown>>;
    return { shown: entriesOf(shown, "boolean"), widths: entriesOf(widths, "number") };
  } catch {
    // The browser blocks storage, or the stored value is not valid.
    return DEFAULTS;
  }
}

function entriesOf<T>(given: unknown, type: "boolean" | "number"): Record<string, T> {
  const entries = typeof given === "object" && given !== null ? Object.entries(given) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, T] => typeof entry[1] === type));
}

function writeChosen(item: string, chosen: StoredSettings): void {
  try {
    if (chosen === DEFAULTS) localStorage.removeItem(item);
    else localStorage.setItem(item, JSON.stringify(chosen));
  } catch {
    // The choice is lost when the page is reloaded.
  }
}
