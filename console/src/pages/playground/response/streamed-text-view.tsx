import { useLayoutEffect, useRef, type ReactNode } from "react";
import { classes } from "../../../parts/classes.ts";
import type { StreamedText } from "./streamed-text.ts";

interface StreamedTextViewProps {
  readonly of: StreamedText;
  readonly label: string;
  readonly isCode?: boolean;
}

/**
 * Shows text during its stream. It is untrusted model output, so it goes into one text node, which is appended to once per frame, without
 * React: the cost does not grow with the length.
 */
export function StreamedTextView({ of, label, isCode = false }: StreamedTextViewProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const node = document.createTextNode(of.text);
    box.current!.replaceChildren(node);
    let [waiting, frame] = ["", 0];
    const show = (): void => {
      node.appendData(waiting);
      [waiting, frame] = ["", 0];
    };
    const stop = of.listen((chunk) => {
      waiting += chunk;
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
