import { useEffect, useState, type RefObject } from "react";

/** The width of an element in whole pixels; 0 before it is known. */
export function useWidth(of: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(of.current!);
    return () => observer.disconnect();
  }, [of]);
  return width;
}
