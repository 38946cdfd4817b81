import { useLayoutEffect, useRef, type ReactNode } from "react";
import { classes } from "../../parts/classes.ts";
import type { GrowingText } from "./streamed-text.ts";

interface GrowingProps {
  readonly of: GrowingText;
  readonly label: string;
  readonly isCode?: boolean;
}

/**
 * Shows text while it grows. It is a model's own: text and nothing else, in one node that is only ever added to, once a frame. React has
 * no part in that, however long it gets.
 */
export function Growing({ of, label, isCode = false }: GrowingProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const node = document.createTextNode(of.text);
    box.current!.replaceChildren(node);
    let [waiting, frame] = ["", 0];
    const show = (): void => {
      node.appendData(waiting);
      [waiting, frame] = ["", 0];
    };
    const stop = of.listen((piece) => {
      waiting += piece;
      frame ||= requestAnimationFrame(show);
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [of]);
  return (
    <div
      ref={box}
      role="group"
      aria-label={label}
      tabIndex={isCode ? 0 : undefined}
      className={classes(
        "break-words whitespace-pre-wrap empty:hidden",
        isCode && "max-h-96 overflow-y-auto rounded-md bg-sunken p-3 font-mono text-sm",
      )}
    />
  );
}
