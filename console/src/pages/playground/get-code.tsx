import { useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Dialog, DialogBody } from "../../parts/dialog.tsx";
import { Loading } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { snippetsOf } from "../../snippets/snippet.ts";
import { useGatewayUrl } from "../../snippets/use-snippets.ts";

/** The request as code. The key is not included: the console never has the plaintext key. */
export function GetCode({
  body,
  disabled,
}: {
  readonly body: () => Readonly<Record<string, unknown>>;
  readonly disabled: boolean;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)} disabled={disabled}>
        Get code
      </Button>
      {isOpen && (
        <Dialog open wide onClose={() => setOpen(false)} title="Request as code" about="The code reads the key from OPENAI_API_KEY.">
          <DialogBody>
            <Snippets body={body()} />
          </DialogBody>
        </Dialog>
      )}
    </>
  );
}

function Snippets({ body }: { readonly body: Readonly<Record<string, unknown>> }): ReactNode {
  const baseUrl = useGatewayUrl();
  if (baseUrl === undefined) return <Loading />;
  const tabs = snippetsOf({ baseUrl, key: null, body }).map(({ id, label, text }) => ({
    id,
    label,
    content: <Code text={text} label={label} />,
  }));
  return <Tabs label="Languages" tabs={tabs} />;
}
