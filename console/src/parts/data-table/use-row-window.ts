import { useLayoutEffect, useState, type RefObject } from "react";
import { windowOf, type RowWindow } from "./row-window.ts";

/** The rows of a table's body to render. The page scrolls, or any element around the table: `body` is measured where it is. */
export function useRowWindow(body: RefObject<HTMLElement | null>, rowHeight: number, count: number): RowWindow {
  const [seen, setSeen] = useState<RowWindow>({ start: 0, end: 0 });
  useLayoutEffect(() => {
    const measure = (): void => {
      if (!body.current) return;
      const next = windowOf(-body.current.getBoundingClientRect().top, innerHeight, rowHeight, count);
      setSeen((known) => (known.start === next.start && known.end === next.end ? known : next));
    };
    measure();
    // What is above the table may change its height.
    const sizes = new ResizeObserver(measure);
    sizes.observe(document.body);
    addEventListener("scroll", measure, { passive: true, capture: true });
    addEventListener("resize", measure);
    return () => {
      sizes.disconnect();
      removeEventListener("scroll", measure, { capture: true });
      removeEventListener("resize", measure);
    };
  }, [body, rowHeight, count]);
  return { start: Math.min(seen.start, count), end: Math.min(seen.end, count) };
}
