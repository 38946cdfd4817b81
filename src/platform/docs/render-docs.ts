import { html, Html } from "./html.ts";
import type { OpenApiContent, OpenApiDocument, OpenApiOperation, OpenApiParameter, OpenApiSecurityScheme } from "./openapi-document.ts";
import { fieldsOf, nameOfType } from "./schema-fields.ts";

/** An interface of ours, and what its parts are called on the page. */
export interface DocumentedInterface {
  /** The beginning of its anchors. */
  readonly id: string;
  readonly document: OpenApiDocument;
}

/** The docs page: every operation of every interface. It is complete in itself, so it works without a network. */
export function renderDocs(interfaces: readonly DocumentedInterface[]): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Tollgate: the interfaces</title>
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/docs.css" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <nav aria-label="Operations">
          <p><a href="/">Tollgate</a></p>
          ${interfaces.map(renderContents)}
        </nav>
        <main id="content">${interfaces.map(renderInterface)}</main>
      </body>
    </html> `;
  return page.text;
}

interface NamedOperation {
  readonly anchor: string;
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

function operationsOf({ id, document }: DocumentedInterface): NamedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      anchor: `${id}-${operation.operationId}`,
      method: method.toUpperCase(),
      path: `${document.servers[0]!.url.replace(/\/$/, "")}${path}`,
      operation,
    })),
  );
}

/** `/api/keys/{id}` belongs to `keys`, `/v1/models` to `models`. */
function groupOf({ path }: NamedOperation): string {
  return path.split("/")[2]!;
}

function renderContents(documented: DocumentedInterface): Html {
  const groups = Object.entries(Object.groupBy(operationsOf(documented), groupOf));
  return html`<h2><a href="#${documented.id}">${documented.document.info.title}</a></h2>
    <ul>
      ${groups.map(
        ([group, operations]) =>
          html`<li>
            ${group}
            <ul>
              ${operations!.map(renderLink)}
            </ul>
          </li>`,
      )}
    </ul>`;
}

function renderLink({ anchor, method, path }: NamedOperation): Html {
  return html`<li>
    <a href="#${anchor}"
      ><code><b>${method}</b> ${path}</code></a
    >
  </li>`;
}

function renderInterface(documented: DocumentedInterface): Html {
  const { id, document } = documented;
  return html`<section id="${id}">
    <h1>${document.info.title}</h1>
    <p>${document.info.description}</p>
    <p>For programs: <a href="/docs/${id}.json">the same as OpenAPI 3.0.3</a>.</p>
    <h2>Credentials</h2>
    <ul>
      ${Object.values(document.components.securitySchemes).map(renderScheme)}
    </ul>
    ${operationsOf(documented).map((named) => renderOperation(named, document))}
  </section>`;
}

function renderScheme({ type, name, description }: OpenApiSecurityScheme): Html {
  const how = type === "http" ? "Authorization: Bearer …" : `Cookie: ${name ?? ""}=…`;
  return html`<li><code>${how}</code> ${inCode(description)}</li>`;
}

function renderOperation({ anchor, method, path, operation }: NamedOperation, document: OpenApiDocument): Html {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const isOpen = operation.security?.length === 0;
  return html`<article id="${anchor}">
    <h2>
      <code><b>${method}</b> ${path}</code>
    </h2>
    <p>${summary}</p>
    <p class="access">${inCode(description ?? (isOpen ? "Needs no credential." : ""))}</p>
    ${renderParameters(parameters)}
    ${
      requestBody
        ? html`<h3>Body</h3>
            ${renderContent(requestBody.content, document, "required")}`
        : ""
    }
    <h3>Replies</h3>
    ${Object.entries(responses).map(
      ([status, reply]) =>
        html`<details>
          <summary><code>${status}</code> ${reply.description}</summary>
          ${renderContent(reply.content ?? {}, document, "always")}
        </details>`,
    )}
  </article>`;
}

function renderParameters(parameters: readonly OpenApiParameter[]): Html {
  if (parameters.length === 0) return html``;
  const rows = parameters.map(({ name, in: where, description, schema }) => {
    return [html`<code>${name}</code>`, html`${where}`, html`${nameOfType(schema)}`, inCode(description ?? "")];
  });
  return html`<h3>Parameters</h3>
    ${renderTable(["Name", "In", "Type", "Meaning"], rows)}`;
}

/** `needed` is the word for a field that is never left out. */
function renderContent(content: OpenApiContent, document: OpenApiDocument, needed: string): Html {
  return html`${Object.entries(content).map(([type, { schema }]) => {
    const rows = fieldsOf(schema, document).map(({ path, type: fieldType, isRequired, description }) => {
      return [html`<code>${path}</code>`, html`${fieldType}`, html`${isRequired ? needed : ""}`, inCode(description)];
    });
    return html`<p><code>${type}</code></p>
      ${renderTable(["Field", "Type", "Present", "Meaning"], rows)}`;
  })}`;
}

function renderTable(headings: readonly string[], rows: readonly (readonly Html[])[]): Html {
  return html`<div class="scroll" tabindex="0">
    <table>
      <thead>
        <tr>
          ${headings.map((heading) => html`<th>${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Text in which `this` is code. */
function inCode(text: string): Html {
  return html`${text.split("`").map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`;
}
