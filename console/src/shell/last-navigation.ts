import type { RouterHistory } from "@tanstack/react-router";

let isReturn = false;

/** Records the kind of each navigation. */
export function watchNavigation(history: RouterHistory): void {
  history.subscribe(({ action: { type } }) => {
    isReturn = type !== "PUSH" && type !== "REPLACE";
  });
}

/** Whether the last navigation was the browser's Back or Forward. People then expect the page as they left it. */
export function isReturning(): boolean {
  return isReturn;
}
