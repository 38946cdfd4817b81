import { useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { Code } from "../../parts/code.tsx";
import { Dialog, DialogBody } from "../../parts/overlays/dialog.tsx";
import { SelectField } from "../../parts/inputs/field.tsx";
import { Loading } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { snippetsOf } from "../../snippets/snippet.ts";
import { useGatewayUrl } from "../../snippets/use-snippets.ts";

interface GetCodeProps {
  readonly models: readonly string[];
  readonly bodyFor: (model: string, at: number) => Readonly<Record<string, unknown>>;
}

/** The request to each model as code. The key is not included: the console never has the plaintext key. */
export function GetCode({ models, bodyFor }: GetCodeProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  // One of them may have been removed since.
  const shown = Math.min(at, models.length - 1);
  return (
    <>
      <Button onClick={() => setOpen(true)} disabled={models.length === 0}>
        Get code
      </Button>
      {isOpen && (
        <Dialog open wide onClose={() => setOpen(false)} title="Request as code" about="The code reads the key from OPENAI_API_KEY.">
          <DialogBody>
            {models.length > 1 && (
              <SelectField
                label="Model"
                choices={models.map((model, index) => ({ value: String(index), label: model }))}
                value={String(shown)}
                onChange={({ target }) => setAt(Number(target.value))}
              />
            )}
            <Snippets body={bodyFor(models[shown]!, shown)} />
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
