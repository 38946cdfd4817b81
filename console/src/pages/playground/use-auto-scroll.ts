import { useEffect, useLayoutEffect, useRef, type RefObject } from "react";
import type { Run } from "./use-run.ts";

/** So near to the end it is still taken for the end. */
const NEAR_PX = 40;

/** Keeps the end of what grows in view, from when it is asked for. Whoever scrolls up meanwhile is let be, until they are back at the end. */
export function useFollow(run: Run | null): RefObject<HTMLDivElement | null> {
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
      // What stands below an answer comes with its end.
      requestAnimationFrame(follow);
    };
  }, [lanes, isRunning]);
  return box;
}

/** How much of it lies below what is seen. */
function below(box: HTMLElement | null): number {
  return box ? Math.ceil(box.getBoundingClientRect().bottom + 8 - innerHeight) : 0;
}
