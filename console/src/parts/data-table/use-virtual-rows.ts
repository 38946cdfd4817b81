import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from "react";

export const ROW_HEIGHT = 34;
/** The number of rows that are rendered above and below the visible rows, so that a scroll shows rows before the next render. */
const OVERSCAN = 12;
/** The height of the elements that stay at the top of the window: the header of the table, and on small screens the header of the page. */
const ABOVE_PX = 88;

/** The actions of a page on a table. */
export interface TableHandle {
  /** Focuses a row, and scrolls to it. If the table is hidden, this waits until it is visible. */
  readonly focus: (key: string) => void;
  /** Scrolls to a row, as far as needed. */
  readonly show: (key: string) => void;
}

interface VirtualRows extends TableHandle {
  /** The rows to render: those near the window, and the row that has, or gets, the focus. */
  readonly rendered: readonly number[];
  readonly lastVisible: number;
  readonly onFocus: (event: { readonly target: Element }) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

/** The rendered rows of a table's body, with the focus and the keyboard control of all rows. Most rows are not in the document. */
export function useVirtualRows<Row>(body: RefObject<HTMLElement | null>, rows: readonly Row[], keyOf: (row: Row) => string): VirtualRows {
  const [activeKey, setActiveKey] = useState<string>();
  const wanted = useRef<string>(undefined);
  const indexOf = useCallback(
    (key: string | undefined) => (key === undefined ? -1 : rows.findIndex((row) => keyOf(row) === key)),
    [rows, keyOf],
  );
  const active = useMemo(() => indexOf(activeKey), [indexOf, activeKey]);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    scrollMargin: usePageTop(body),
    scrollPaddingStart: ABOVE_PX,
    scrollPaddingEnd: ROW_HEIGHT / 2,
    rangeExtractor(range) {
      const shown = defaultRangeExtractor(range);
      // If the active row were removed, the focus would be lost.
      return active < 0 ? shown : [...new Set([...shown, active])].toSorted((a, b) => a - b);
    },
  });
  const showRow = useRef<TableHandle["show"]>(undefined);
  showRow.current = (key) => {
    const at = indexOf(key);
    if (at >= 0) virtual.scrollToIndex(at);
  };
  useEffect(() => {
    const target = wanted.current === undefined ? null : body.current?.querySelector<HTMLElement>(rowSelector(wanted.current));
    const focusable = target?.querySelector<HTMLElement>("a, button");
    if (!focusable?.checkVisibility()) return;
    showRow.current!(wanted.current!);
    wanted.current = undefined;
    focusable.focus({ preventScroll: true });
  });
  const [, renderAgain] = useState(0);
  const focus = useCallback((key: string) => {
    wanted.current = key;
    setActiveKey(key);
    // Renders even if the row was already the active row.
    renderAgain((times) => times + 1);
  }, []);
  const show = useCallback((key: string) => showRow.current!(key), []);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const at = indexOf((event.target as Element).closest<HTMLElement>("[data-row]")?.dataset["row"]);
    const to = at < 0 ? undefined : targetOf(event.key, at, Math.floor(innerHeight / ROW_HEIGHT) - 4);
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const row = rows[Math.min(rows.length - 1, Math.max(0, to))];
    if (row !== undefined) focus(keyOf(row));
  };
  const onFocus = (event: { readonly target: Element }): void =>
    setActiveKey(event.target.closest<HTMLElement>("[data-row]")?.dataset["row"]);
  const rendered = virtual.getVirtualItems().map(({ index }) => index);
  return { rendered, lastVisible: virtual.range?.endIndex ?? 0, focus, show, onFocus, onKeyDown };
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

function rowSelector(key: string): string {
  return `[data-row="${CSS.escape(key)}"]`;
}

/** How far the top of an element is below the top of the page. The content above it may change its height. */
function usePageTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => {
      if (element.current?.checkVisibility()) setTop(Math.round(element.current.getBoundingClientRect().top + scrollY));
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(document.body);
    return () => sizes.disconnect();
  }, [element]);
  return top;
}
