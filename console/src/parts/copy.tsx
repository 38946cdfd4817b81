import { Check, Copy } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { IconButton, Button } from "./button.tsx";

interface Copying {
  /** True for two seconds after a copy. */
  readonly isCopied: boolean;
  readonly copy: (text: string) => Promise<void>;
}

export function useCopy(onCopied?: () => void): Copying {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (text: string): Promise<void> => {
    if (!(await writeText(text))) return;
    setCopied(true);
    onCopied?.();
  };
  return { isCopied, copy };
}

/** The Clipboard API exists only in secure contexts and may be denied. Over plain HTTP, `execCommand` is the fallback. */
async function writeText(text: string): Promise<boolean> {
  if (!navigator.clipboard) return copyWithCommand(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copyWithCommand(text),
  );
}

/** Returns whether the text was copied. */
function copyWithCommand(text: string): boolean {
  const box = document.createElement("textarea");
  box.value = text;
  // The element is added inside an open dialog, because the dialog's focus trap would take the focus back from any other place.
  (document.querySelector("[role=dialog]") ?? document.body).append(box);
  box.select();
  const isCopied = document.execCommand("copy");
  box.remove();
  return isCopied;
}

export function CopyIcon({
  text,
  label,
  onCopied,
}: {
  readonly text: string;
  readonly label: string;
  readonly onCopied?: () => void;
}): ReactNode {
  const { isCopied, copy } = useCopy(onCopied);
  return (
    <IconButton label={isCopied ? "Copied" : label} onClick={() => void copy(text)} small>
      {isCopied ? <Check size={14} className="text-good" aria-hidden /> : <Copy size={14} aria-hidden />}
    </IconButton>
  );
}

export function CopyButton({
  text,
  children,
  primary = false,
  onCopied,
}: {
  readonly text: string;
  readonly children: ReactNode;
  readonly primary?: boolean;
  readonly onCopied?: () => void;
}): ReactNode {
  const { isCopied, copy } = useCopy(onCopied);
  return (
    <Button onClick={() => void copy(text)} weight={primary ? "primary" : "plain"}>
      {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      <span aria-live="polite">{isCopied ? "Copied" : children}</span>
    </Button>
  );
}
