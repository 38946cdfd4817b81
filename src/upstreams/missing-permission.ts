/** How the clouds name the permission that an identity lacks: in the message of a 403 and, at Azure, also of a 401 (`PermissionDenied`). */
const PATTERNS = [
  // AWS: "User: arn:… is not authorized to perform: bedrock:InvokeModel on resource: …"
  /is not authorized to perform:? ([\w-]+:\w+)/,
  // Google Cloud: "Permission 'aiplatform.endpoints.predict' denied on resource …"
  /Permission '([\w.]+)' denied/,
  // Azure: "The principal `…` lacks the required data action `Microsoft.CognitiveServices/accounts/…/action` to perform …"
  /lacks the required data action [`'"]?([\w./]+)/,
];

/**
 * Azure without the data action: "Principal does not have access to API/Operation."
 * https://learn.microsoft.com/azure/ai-foundry/openai/how-to/role-based-access-control
 */
const WITHOUT_ROLE = /Principal does not have access to API\/Operation/;

/** The permission or the role that an identity lacks, from the message of its cloud. */
export function missingPermission(message: string): string | undefined {
  for (const pattern of PATTERNS) {
    const permission = pattern.exec(message)?.[1];
    if (permission !== undefined) return `the permission ${permission}`;
  }
  return WITHOUT_ROLE.test(message) ? "a role on the resource, such as Cognitive Services OpenAI User" : undefined;
}

/**
 * Permissions that only lists need: `bedrock:ListFoundationModels`, or `Microsoft.CognitiveServices/accounts/OpenAI/models/read`. Calls
 * need other permissions.
 */
const OF_LISTS = /(:List\w+|\/models\/read)$/;

/** The permission that an identity lacks, if only lists need it. */
export function missingListPermission(message: string): string | undefined {
  const permission = missingPermission(message);
  return permission !== undefined && OF_LISTS.test(permission) ? permission : undefined;
}
