import { useState, type ReactNode } from "react";
import { Check, Copy } from "lucide-react";
import type { LoggedRequestInFull } from "../../../../../platform-client/types.ts";
import { Button } from "../../../parts/button.tsx";
import { useCopy } from "../../../parts/copy.tsx";
import { Menu } from "../../../parts/overlays/menu.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { toast } from "../../../parts/overlays/toasts.tsx";
import { useGatewayUrl } from "../../../snippets/use-snippets.ts";
import type { Bodies } from "./bodies-section.tsx";
import { isRepeatable, LANGUAGES, toCode, type Language } from "./request-code.ts";

interface CopyAsCodeProps {
  readonly request: LoggedRequestInFull;
  readonly bodies: Bodies;
}

/** Copies code that repeats the request. A stored prompt is loaded for it, which the audit log records as any other view. */
export function CopyAsCode({ request, bodies }: CopyAsCodeProps): ReactNode {
  const gatewayUrl = useGatewayUrl();
  const { isCopied, copy } = useCopy();
  const [error, setError] = useState<string>();
  const copyAs = async (language: Language): Promise<void> => {
    setError(undefined);
    const loaded = request.bodies ? (bodies.data ?? (await bodies.mutateAsync())) : undefined;
    const body = loaded?.request ?? null;
    await copy(toCode(language, { gatewayUrl: gatewayUrl!, body, model: request.model, isStream: request.stream }));
    if (!isRepeatable(body)) toast("Copied with an example prompt, because this one is not stored in full");
  };
  if (gatewayUrl === undefined) return null;
  return (
    <>
      <Menu
        label="Copy as"
        trigger={
          <Button busy={bodies.isPending}>
            {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
            <span aria-live="polite">{isCopied ? "Copied" : "Copy as"}</span>
          </Button>
        }
        items={LANGUAGES.map((language) => ({
          label: language,
          onSelect: () => void copyAs(language).catch((failure: Error) => setError(failure.message)),
        }))}
      />
      {error !== undefined && <Notice tone="bad">{error}</Notice>}
    </>
  );
}
