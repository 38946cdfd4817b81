import type { Row } from "../../src/cli/import/keys/row-values.ts";

export const SALT_KEY = "sk-salt-of-tests";

/**
 * Models, credentials and settings in the form in which LiteLLM 1.109 stores them. Its own code encrypted them with the salt key above, in
 * each of its formats (base64url and base64 of NaCl's SecretBox, and AES-256-GCM).
 */
export const STORED: Readonly<Record<string, readonly Row[]>> = {
  LiteLLM_ProxyModelTable: [
    {
      model_id: "1",
      model_name: "db-gpt",
      litellm_params: {
        model: "ssJkc5gVeNafO_rDp32Jc-_RTdNWIRSOiDZgt9gRhn3xxp_vez0IsKQwEiJXnVKq_huTuX-zfiShuw==",
        api_key: "yC8tek6R2pYs8ObfX9U_t0he6TZnjH6w_Qk9wxIcLq2LqlWlZDdv8SBB5lyx6rrrInjQwD1De80=",
        rpm: 60,
        use_in_pass_through: false,
        use_litellm_proxy: false,
        merge_reasoning_content_in_choices: false,
      },
      model_info: {
        id: "1",
        db_model: true,
        created_by: "default_user_id",
      },
    },
    {
      model_id: "2",
      model_name: "db-claude",
      litellm_params: {
        model: "v2:gcm:yrbFYKEVLlZXqpZXuFNd9nMMIKBitVRIfAShInOpFatRiKOBlQDEom0sPHPXN_0riA3fsXYsJQ==",
        litellm_credential_name: "v2:gcm:BRxVAQ2qAsSnP8ceR1mTmYG6kKMV67WkmdVAPhjYCEIRTQ==",
      },
      model_info: {
        id: "2",
        db_model: true,
      },
    },
    {
      model_id: "3",
      model_name: "db-old",
      litellm_params: {
        model: "e+E5Gn/QmMx2uBLduqUfJAmg6pWi4M+EI37WDiBv15MV+QgZkf42UdWG8CcBl6pPkq+2WOIbnBA=",
        api_base: "uDr8aJQy620RQJRoZ2qHoI69qIv/muBQ2SZatx+nShxZQpfi+8hg/pjId+e07U+aq+5KOuA70uunXSH3pvlhEIMW",
        api_key: "0n72ErOXIOcEdoyth0CsZ+aNFlr04GIbL4xvtuk/8VXVv2KJ7AQ740ndyPB2bJSbSD2Z8wdk571ckw==",
        input_cost_per_token: 1e-6,
        output_cost_per_token: 2e-6,
      },
      model_info: {
        id: "3",
        mode: "chat",
      },
    },
    {
      model_id: "4",
      model_name: "of-a-team",
      litellm_params: {
        model: "qZTRjy3vNeJo3k59v6oKLi6LH4CBUPgMxppX59zvKIkCYxEPtgDBqPGllZcgmJC7T5uzbz0=",
      },
      model_info: {
        id: "4",
        team_id: "red",
      },
    },
    {
      model_id: "5",
      model_name: "vectors",
      litellm_params: {
        model: "brbOGs0dHG81KLX0n_zaahtIpSvzWGoziFu6RT6FHjgwLw7MC9Y8sRK4oFFwWux7_oI6Rl4nh7MyTUsBA7siR8zkpv2o",
      },
      model_info: {
        id: "5",
      },
    },
  ],
  LiteLLM_CredentialsTable: [
    {
      credential_id: "1",
      credential_name: "shared",
      credential_values: {
        api_key: "hD4e_orUU7wcOdoPat_-ojiX4Qrb_ctTf2PPtnffUhZABxaOWH57O6Mez3Nm-0rpC-sqInMk3-efa4fx",
      },
    },
    {
      credential_id: "2",
      credential_name: "unused",
      credential_values: {
        api_key: "v2:gcm:eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eA==",
      },
    },
  ],
  LiteLLM_Config: [
    {
      param_name: "environment_variables",
      param_value: {
        OLD_KEY: "T8YWqBwn4IUXFWe1uyCv_TdrPeXHaWkXmDWqxzHJmBwXYcwhxoKg53S5bWJ75sJcBrcEtCo=",
        LANGFUSE_SECRET_KEY: "xZVA545jLyXu6TeWGDbrEKXAYvKJjYv2-AE2BklhjZXN2EfbTwVbdVku",
      },
    },
    {
      param_name: "router_settings",
      param_value: {
        fallbacks: [
          {
            "db-gpt": ["db-claude"],
          },
        ],
      },
    },
  ],
};
