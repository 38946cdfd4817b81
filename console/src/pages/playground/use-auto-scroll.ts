import { useEffect, useLayoutEffect, useRef, type RefObject } from "react";
import type { Run } from "./use-run.ts";

/** This close to the end counts as the end. */
const NEAR_PX = 40;

/** Keeps the end of the stream in view. Scrolling up pauses this until the user is back at the end. */
export function useAutoScroll(run: Run | null): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(false);
  const lanes = run?.lanes;
  const isRunning = run !== null && !run.isOver;
  useLayoutEffect(() => {
    isFollowing.current = lanes !== undefined;
  }, [lanes]);
  useEffect(() => {
    if (!isRunning) return;
    let lastY = scrollY;
    const follow = (): void => {
      if (isFollowing.current && below(box.current) > 0) scrollBy({ top: below(box.current), behavior: "instant" });
    };
    const onScroll = (): void => {
      if (below(box.current) <= NEAR_PX) isFollowing.current = true;
      else if (scrollY < lastY) isFollowing.current = false;
      lastY = scrollY;
    };
    const growth = new ResizeObserver(follow);
    growth.observe(box.current!);
    addEventListener("scroll", onScroll, { passive: true });
    return () => {
      growth.disconnect();
      removeEventListener("scroll", onScroll);
      // The footer of a response appears when it ends.
      requestAnimationFrame(follow);
    };
  }, [lanes, isRunning]);
  return box;
}

/** The height below the viewport. */
function below(box: HTMLElement | null): number {
  return box ? Math.ceil(box.getBoundingClientRect().bottom + 8 - innerHeight) : 0;
}
