--- Written by `npm run docs` from the table of options: the options that the Lua half reads before the host runs,
--- with their defaults and JSON schemas.

local one_key = {
  anyOf = {
    {
      type = "string",
      minLength = 1,
    },
    {
      type = "array",
      items = {
        type = "string",
        minLength = 1,
      },
    },
    {
      type = "boolean",
      const = false,
    },
  },
}

---@type table<string, { default: any, schema: table }>
return {
  chat_dirs = {
    default = {},
    schema = {
      anyOf = {
        {
          type = "string",
          minLength = 1,
        },
        {
          type = "array",
          items = {
            type = "string",
            minLength = 1,
          },
        },
      },
    },
  },
  chat_dir = {
    schema = {
      anyOf = {
        {
          type = "string",
          minLength = 1,
        },
        {
          type = "array",
          items = {
            type = "string",
            minLength = 1,
          },
        },
      },
    },
  },
  keys = {
    default = {},
    schema = {
      type = "object",
      properties = {
        respond = one_key,
        stop = one_key,
        retry = one_key,
        new = one_key,
        chats = one_key,
        toggle = one_key,
        next = one_key,
        rename = one_key,
        move = one_key,
        tags = one_key,
        delete = one_key,
        model = one_key,
        agent = one_key,
        system_prompt = one_key,
        web_search = one_key,
        follow = one_key,
        respond_all = one_key,
        apply = one_key,
        copy = one_key,
        quote = one_key,
        define = one_key,
        branch = one_key,
        tree = one_key,
        export = one_key,
        follow_link = one_key,
        outline = one_key,
        next_turn = one_key,
        previous_turn = one_key,
        next_call = one_key,
        previous_call = one_key,
        around_exchange = one_key,
        inner_exchange = one_key,
        around_answer = one_key,
        inner_answer = one_key,
        around_code = one_key,
        inner_code = one_key,
        help = one_key,
        approve_all = one_key,
        approve_always = one_key,
        approve_one = one_key,
        approve_always_one = one_key,
        deny_one = one_key,
        deny_all = one_key,
        details = one_key,
        preset = {
          anyOf = {
            {
              type = "string",
              enum = { "one", "parley.nvim" },
            },
            {
              type = "array",
              items = {
                type = "string",
                enum = { "one", "parley.nvim" },
              },
            },
          },
        },
      },
      additionalProperties = false,
    },
  },
  global_keys = {
    default = {},
    schema = {
      type = "object",
      properties = {
        respond = one_key,
        stop = one_key,
        retry = one_key,
        new = one_key,
        chats = one_key,
        toggle = one_key,
        next = one_key,
        rename = one_key,
        move = one_key,
        tags = one_key,
        delete = one_key,
        model = one_key,
        agent = one_key,
        system_prompt = one_key,
        web_search = one_key,
        follow = one_key,
        respond_all = one_key,
        apply = one_key,
        copy = one_key,
        quote = one_key,
        define = one_key,
        branch = one_key,
        tree = one_key,
        export = one_key,
        follow_link = one_key,
        outline = one_key,
        next_turn = one_key,
        previous_turn = one_key,
        next_call = one_key,
        previous_call = one_key,
        around_exchange = one_key,
        inner_exchange = one_key,
        around_answer = one_key,
        inner_answer = one_key,
        around_code = one_key,
        inner_code = one_key,
        help = one_key,
        approve_all = one_key,
        approve_always = one_key,
        approve_one = one_key,
        approve_always_one = one_key,
        deny_one = one_key,
        deny_all = one_key,
        details = one_key,
      },
      additionalProperties = false,
    },
  },
  highlight = {
    default = "parley",
    schema = {
      type = "string",
      enum = { "parley", "treesitter" },
    },
  },
  stream_highlight = {
    default = false,
    schema = {
      type = "boolean",
    },
  },
  fold_results = {
    default = 12,
    schema = {
      anyOf = {
        {
          type = "integer",
          exclusiveMinimum = 0,
        },
        {
          type = "boolean",
          const = false,
        },
      },
    },
  },
  fold_calls = {
    default = true,
    schema = {
      type = "boolean",
    },
  },
  wrap = {
    default = true,
    schema = {
      type = "boolean",
    },
  },
  turn_rule = {
    default = true,
    schema = {
      type = "boolean",
    },
  },
  follow = {
    default = true,
    schema = {
      type = "boolean",
    },
  },
}
