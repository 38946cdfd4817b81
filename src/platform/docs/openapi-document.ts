/** As much of an OpenAPI document as the docs page shows. Ours have no more. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiSchema>>;
    readonly securitySchemes: Readonly<Record<string, OpenApiSecurityScheme>>;
  };
}

/** A bearer in the `Authorization` header, or a cookie of this name. */
export interface OpenApiSecurityScheme {
  readonly type: string;
  readonly name?: string;
  readonly description: string;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly content: OpenApiContent };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: OpenApiContent }>>;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: OpenApiSchema;
}

export type OpenApiContent = Readonly<Record<string, { readonly schema: OpenApiSchema }>>;

export interface OpenApiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: OpenApiSchema;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly OpenApiSchema[];
}
