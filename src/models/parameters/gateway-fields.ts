/**
 * Fields that LiteLLM's clients send to the gateway and not to a model: https://docs.litellm.ai/docs/completion/input and its pages on the
 * proxy. None of them reaches an upstream, unless the policy of a model passes it: if the upstream is another gateway, fields such as
 * `api_base` would redirect its calls.
 */
const NAMES = [
  "fallbacks",
  "context_window_fallbacks",
  "context_window_fallback_dict",
  "content_policy_fallbacks",
  "default_fallbacks",
  "disable_fallbacks",
  "num_retries",
  "max_retries",
  "retry_policy",
  "retry_strategy",
  "allowed_fails",
  "cooldown_time",
  "stream_timeout",
  "request_timeout",
  "caching",
  "guardrails",
  "guardrail_config",
  "tags",
  "mock_response",
  "mock_tool_calls",
  "mock_timeout",
  "mock_delay",
  "mock_testing_fallbacks",
  "mock_testing_context_fallbacks",
  "mock_testing_content_policy_fallbacks",
  "mock_testing_rate_limit_error",
  "api_base",
  "base_url",
  "api_key",
  "api_version",
  "api_type",
  "organization",
  "custom_llm_provider",
  "deployment_id",
  "model_list",
  "model_info",
  "user_config",
  "router_settings_override",
  "specific_deployment",
  "proxy_server_request",
  "secret_fields",
  "extra_headers",
  "headers",
  "default_headers",
  "drop_params",
  "additional_drop_params",
  "allowed_openai_params",
  "modify_params",
  "input_cost_per_token",
  "output_cost_per_token",
  "input_cost_per_second",
  "output_cost_per_second",
  "initial_prompt_value",
  "final_prompt_value",
  "bos_token",
  "eos_token",
  "hf_model_name",
  "prompt_id",
  "prompt_variables",
  "logger_fn",
  "no-log",
  "shared_session",
  "ssl_verify",
  "aws_access_key_id",
  "aws_secret_access_key",
  "aws_session_token",
  "aws_region_name",
  "aws_role_name",
  "aws_session_name",
  "aws_profile_name",
  "aws_bedrock_runtime_endpoint",
  "vertex_project",
  "vertex_location",
  "vertex_credentials",
  "azure_ad_token",
  "tenant_id",
  "client_id",
  "client_secret",
] as const;

/** The fields that the gateway applies: the time to wait for a response, and whether the response cache is used. */
export const OBEYED_FIELDS: ReadonlySet<string> = new Set(["timeout", "cache"]);

const GATEWAY_FIELDS: ReadonlySet<string> = new Set([...NAMES, ...OBEYED_FIELDS]);

export function isGatewayField(name: string): boolean {
  return GATEWAY_FIELDS.has(name) || name.startsWith("litellm_");
}

/** The names of the fields, to find variants in another case, and for tests. */
export const GATEWAY_FIELD_NAMES: Readonly<Record<string, true>> = Object.fromEntries([...GATEWAY_FIELDS].map((name) => [name, true]));
