import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from "react";

/** The actions of a page on a table. */
export interface TableHandle {
  /** Focuses a row, and scrolls to it. If the table is hidden, this waits until it is visible. */
  readonly focus: (key: string) => void;
  /** Scrolls to a row, as far as needed. */
  readonly show: (key: string) => void;
}

interface RowFocus extends TableHandle {
  /** The row that has, or gets, the focus. */
  readonly active: number | undefined;
  readonly onFocus: (event: { readonly target: Element }) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

interface FocusedTable {
  readonly body: RefObject<HTMLElement | null>;
  readonly keys: (index: number) => string | undefined;
  readonly count: number;
  readonly rowHeight: number;
}

/** The focus and the keyboard control of the rows. Most rows are not in the document. */
export function useRowFocus(table: FocusedTable): RowFocus {
  const [activeKey, setActiveKey] = useState<string>();
  const wanted = useRef<string>(undefined);
  const latest = useRef(table);
  latest.current = table;
  const { body, keys, count } = table;
  const active = useMemo(() => indexOf(activeKey, keys, count), [activeKey, keys, count]);
  useEffect(() => {
    const target = wanted.current === undefined ? null : body.current?.querySelector<HTMLElement>(rowSelector(wanted.current));
    const focusable = target?.querySelector<HTMLElement>("a, button");
    if (!focusable?.checkVisibility()) return;
    wanted.current = undefined;
    scrollToRow(indexOf(activeKey, keys, count), latest.current);
    focusable.focus({ preventScroll: true });
  });
  const [, renderAgain] = useState(0);
  const focus = useCallback((key: string) => {
    wanted.current = key;
    setActiveKey(key);
    // Renders even if the row was already the active row.
    renderAgain((times) => times + 1);
  }, []);
  const show = useCallback((key: string) => scrollToRow(indexOf(key, latest.current.keys, latest.current.count), latest.current), []);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const row = (event.target as Element).closest<HTMLElement>("[data-row]")?.dataset["row"];
    const at = indexOf(row, keys, count);
    const to = at === undefined ? undefined : targetOf(event.key, at, Math.floor(innerHeight / table.rowHeight) - 4);
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const key = keys(Math.min(count - 1, Math.max(0, to)));
    if (key !== undefined) focus(key);
  };
  const onFocus = (event: { readonly target: Element }): void =>
    setActiveKey(event.target.closest<HTMLElement>("[data-row]")?.dataset["row"]);
  return { active, focus, show, onFocus, onKeyDown };
}

function targetOf(key: string, at: number, page: number): number | undefined {
  switch (key) {
    case "ArrowDown":
      return at + 1;
    case "ArrowUp":
      return at - 1;
    case "PageDown":
      return at + page;
    case "PageUp":
      return at - page;
    case "Home":
      return 0;
    case "End":
      return Number.MAX_SAFE_INTEGER;
    default:
      return undefined;
  }
}

function indexOf(key: string | undefined, keys: (index: number) => string | undefined, count: number): number | undefined {
  if (key === undefined) return undefined;
  for (let at = 0; at < count; at++) if (keys(at) === key) return at;
  return undefined;
}

/** The height of the elements that stay at the top of the window: the header of the table, and on small screens the header of the page. */
const ABOVE_PX = 88;

function scrollToRow(index: number | undefined, { body, rowHeight }: FocusedTable): void {
  if (index === undefined || !body.current) return;
  const top = body.current.getBoundingClientRect().top + index * rowHeight;
  if (top < ABOVE_PX) scrollBy({ top: top - ABOVE_PX });
  else if (top + rowHeight > innerHeight) scrollBy({ top: top + rowHeight - innerHeight + rowHeight / 2 });
}

function rowSelector(key: string): string {
  return `[data-row="${CSS.escape(key)}"]`;
}
